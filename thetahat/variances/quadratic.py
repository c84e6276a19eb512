"""A quadratic estimator with a requested bias or with requested coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from thetahat.cautions import DEPENDS_ON_THE_MEAN
from thetahat.errors import InvalidParameter, Loc
from thetahat.registry import PARTITIONS, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_number
from thetahat.values.types import BlockKind, FloatArray, Label, MeanKind, Target
from thetahat.variances._building import (
    build_estimate,
    check_few_blocks,
    check_several_repeats,
    count_degrees_between_blocks,
    count_degrees_within_blocks,
)
from thetahat.variances._quadratic_forms import (
    average_over_repeats,
    build_mean_form,
    compute_between_coefficient,
    compute_fourth_coefficient,
    compute_with_bias,
    compute_with_coefficients,
)
from thetahat.variances._within_blocks import combine_degrees
from thetahat.variances.base import BlockVariance, VarianceEstimate

_MAX_COEFFICIENT = 1e9  # larger ones could overflow a sum over the largest allowed losses
_TERMS_IN_WORDS = 12  # longer biases end in "and N more terms"; the numbers have them all


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Coefficients of a quadratic estimator over K sources, in the order of the block labels."""

    a: tuple[float, ...]
    b: tuple[float, ...]
    """(K,) coefficients of s2_k, the mean square, and of w_k, the mean product of two losses of
    source k."""
    c: tuple[tuple[float, ...], ...]
    """(K, K) coefficients of g_kl, the mean product of a loss of source k and one of source l; the
    diagonal is not used."""

    def __post_init__(self) -> None:
        k = len(self.a)
        _check_numbers(self.a, k, ("coefficients", "a"))
        _check_numbers(self.b, k, ("coefficients", "b"))
        if len(self.c) != k:
            raise InvalidParameter(
                f"c must have one row for each of the {k} entries of a, and has {len(self.c)}.",
                loc=("coefficients", "c"),
                value=len(self.c),
            )
        for row, numbers in enumerate(self.c):
            _check_numbers(numbers, k, ("coefficients", "c", row))


@dataclass(frozen=True, slots=True, kw_only=True)
class Quadratic(BlockVariance):
    r"""The quadratic estimator with a requested bias, or with requested coefficients.

    For random folds the formula's :math:`\hat\mu^2` is the plug-in value, and :math:`a_4 =
    a_1 + a_2 + a_3 + 1` is the coefficient of :math:`\mu^2` in the bias. Second moments are those
    of ``thetahat.variances._quadratic_forms``. The ``details`` of the
    result give the bias term by term and in words, and for random folds the coefficients of the
    moments. Where :math:`a_4` (for sources: the sum of a row of coefficients) is not zero, the
    value depends on the mean loss, and no interval is built on it. Proposition 1 and section 4.2 of
    the source.

    Deviations: folds of unequal size keep the requested bias: the plug-in value has the
    coefficients of the exact variance of the macro mean for their sizes.

    Degenerate cases: any value can be negative; equal losses give :math:`a_4` times the squared
    mean.

    Parameters
    ----------
    bias : tuple of float or None
        a_1, a_2, a_3 for random folds; theta_5 is (0, 1, -2).
    coefficients : Coefficients or None
        a, b, c for source blocks.
    """

    bias: tuple[float, float, float] | None = None
    coefficients: Coefficients | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Quadratic estimator with a requested bias",
        summary=(
            "For random folds, the only estimator quadratic in the losses that has the bias you "
            "name; for sources, the estimator with the coefficients you name: a of the mean square "
            "of a source's losses, b of the mean product of two of its losses, c of the mean "
            "product of losses of two sources. The result states the bias."
        ),
        formula=(
            r"\hat\theta = \hat\mu^2 + a_1 s_1 + a_2 s_2 + a_3 s_3,\quad"
            r" E[\hat\theta] - \theta = a_1 \sigma^2 + a_2 \omega + a_3 \gamma"
            r" + (a_1 + a_2 + a_3 + 1)\mu^2;\qquad"
            r" \text{sources:}\quad \hat\theta = \sum_k a_k s^{\sigma^2}_k + \sum_k b_k s^\omega_k"
            r" + \sum_{k \ne l} c_{kl} s^\gamma_{kl}"
        ),
        references=("geras2013",),
        assumptions=(
            "Losses that are exchangeable within blocks and, for random folds, between blocks."
        ),
        errs="By exactly the bias you name. Its variability is not controlled.",
        blocks=PARTITIONS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        by_request_only=True,
    )

    def __post_init__(self) -> None:
        if (self.bias is None) == (self.coefficients is None):
            raise InvalidParameter(
                "quadratic takes either bias, for random folds, or coefficients, for sources.",
                loc=("bias",),
                value=None if self.bias is None else list(self.bias),
            )
        if self.bias is not None:
            _check_numbers(self.bias, 3, ("bias",))

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        if reason := BlockVariance.inapplicable(self, layout):
            return reason
        if layout.kind is BlockKind.RANDOM:
            no_bias = "quadratic takes bias and not coefficients for random blocks"
            return no_bias if self.bias is None else None
        if self.coefficients is None:
            return "quadratic takes coefficients and not bias for source blocks"
        per_repeat = np.bincount(layout.split_repeat)
        k = len(self.coefficients.a)
        if per_repeat.min() == per_repeat.max() == k:
            return None
        return f"coefficients has entries for {k} sources, and there are {len(layout.block_labels)}"

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        if reason := self.inapplicable(losses.layout):
            raise InvalidParameter(reason, loc=("coefficients" if self.bias is None else "bias",))
        if self.coefficients is not None:
            return self._estimate_on_sources(losses, self.coefficients)
        assert self.bias is not None  # noqa: S101 - __post_init__ saw to it
        return self._estimate_on_folds(losses, self.bias)

    def _estimate_on_folds(
        self, losses: BlockLosses, bias: tuple[float, float, float]
    ) -> VarianceEstimate:
        value = average_over_repeats(losses.moments, lambda part: compute_with_bias(part, bias))
        return self._build_estimate(
            losses,
            value,
            ignores_shifts=compute_fourth_coefficient(bias) == 0,
            degrees=None
            if compute_between_coefficient(bias, losses.layout.n_blocks) != 0
            else count_degrees_within_blocks(losses),
            details=describe_bias_of_folds(next(losses.moments.yield_repeats()).sizes, bias),
        )

    def _estimate_on_sources(
        self, losses: BlockLosses, coefficients: Coefficients
    ) -> VarianceEstimate:
        a, b, c = (np.array(x, dtype=np.float64) for x in _list_parts(coefficients))
        form = build_mean_form(a, b, c)
        value = average_over_repeats(
            losses.moments, lambda part: compute_with_coefficients(part, a, b, form)
        )
        sizes = next(losses.moments.yield_repeats()).sizes
        return self._build_estimate(
            losses,
            value,
            ignores_shifts=form.ignores_shifts,
            degrees=None if not form.is_zero else _combine_degrees(losses, a, b),
            details=describe_bias_of_coefficients(sizes, losses.layout.block_labels, a, b, c),
        )

    def _build_estimate(
        self,
        losses: BlockLosses,
        value: float,
        *,
        ignores_shifts: bool,
        degrees: float | None,
        details: dict[str, Any],
    ) -> VarianceEstimate:
        """Return the estimate; ``degrees`` is None where it uses the means of the blocks."""
        depends = DEPENDS_ON_THE_MEAN(losses.layout.words, mean=losses.moments.macro_mean)
        return build_estimate(
            self.info,
            losses,
            value,
            count_degrees_between_blocks(losses) if degrees is None else degrees,
            carries_intervals=ignores_shifts,
            cautions=(
                *(check_few_blocks(losses) if degrees is None else ()),
                *(() if ignores_shifts else (depends,)),
                *check_several_repeats(losses),
            ),
            details=details,
        )


def _combine_degrees(losses: BlockLosses, a: FloatArray, b: FloatArray) -> float:
    """Return the degrees of freedom of a sum of variances within sources, as of theta_A."""
    return min(
        combine_degrees(
            part.within_variances / part.sizes * (a * (part.sizes - 1) - b), part.sizes - 1
        )
        for part in losses.moments.yield_repeats()
    )


def _list_parts(coefficients: Coefficients) -> tuple[Any, Any, Any]:
    return coefficients.a, coefficients.b, coefficients.c


def _check_numbers(numbers: Sequence[float], n: int, loc: Loc) -> None:
    name = loc[-1] if isinstance(loc[-1], str) else f"{loc[-2]}[{loc[-1]}]"
    if len(numbers) != n:
        raise InvalidParameter(
            f"{name} must have {n} entries, and has {len(numbers)}.", loc=loc, value=len(numbers)
        )
    for i, number in enumerate(numbers):
        if not abs(number) <= _MAX_COEFFICIENT:
            raise InvalidParameter(
                f"{name}[{i}] must be at most {_MAX_COEFFICIENT:g} in absolute value, and is "
                f"{number}.",
                loc=(*loc, i),
                value=str(number),
            )


def describe_bias_of_folds(
    sizes: FloatArray, bias: tuple[float, float, float]
) -> dict[str, object]:
    """Return the coefficients of s_1, s_2, s_3 and the bias, as JSON values and in words.

    ``sizes`` is (K,). With unequal blocks the coefficients are those of s2_k and w_k of each block
    and of s_3.
    """
    a1, a2, a3 = bias
    a4 = compute_fourth_coefficient(bias)
    k = len(sizes)
    on_squares = a1 / k + 1 / (k**2 * sizes)
    on_pairs = a2 / k + (sizes - 1) / (k**2 * sizes)
    s3 = a3 + (k - 1) / k
    equal = bool(np.ptp(sizes) == 0)
    coefficients: dict[str, object] = (
        {"s1": float(k * on_squares[0]), "s2": float(k * on_pairs[0]), "s3": s3}
        if equal
        else {"s2_k": on_squares.tolist(), "w_k": on_pairs.tolist(), "s3": s3}
    )
    terms = ((a1, "sigma^2"), (a2, "omega"), (a3, "gamma"), (a4, "mu^2"))
    return {
        "coefficients": coefficients,
        "bias": {"sigma_squared": a1, "omega": a2, "gamma": a3, "mu_squared": a4},
        "bias_in_words": describe_bias(terms),
    }


def describe_bias_of_coefficients(
    sizes: FloatArray, labels: Sequence[Label], a: FloatArray, b: FloatArray, c: FloatArray
) -> dict[str, object]:
    """Return the bias of an estimator over K sources, as JSON values and in words.

    ``sizes``, ``a``, ``b`` are (K,), ``c`` is (K, K); the diagonals of pairs are None.
    """
    k = len(sizes)
    parts = {
        "sigma_squared": a - 1 / (k**2 * sizes),
        "omega": b - (sizes - 1) / (k**2 * sizes),
        "mu_squared": a + b,
    }
    size = np.abs(a) + np.abs(b) + 1 / k**2
    clean = {name: np.where(np.abs(x) <= 1e-12 * size, 0.0, x) for name, x in parts.items()}
    gamma = c - 1 / k**2
    gamma[np.abs(gamma) <= 1e-12 * (np.abs(c) + 1 / k**2)] = 0.0
    terms = [
        *_list_labelled(clean["sigma_squared"], "sigma^2[{}]", labels),
        *_list_labelled(clean["omega"], "omega[{}]", labels),
        *_list_pair_sums(gamma, "gamma[{}, {}]", labels),
        *_list_labelled(clean["mu_squared"], "mu[{}]^2", labels),
        *_list_pair_sums(c, "mu[{}] mu[{}]", labels),
    ]
    return {
        "sources": list(labels),
        "bias": {
            **{name: x.tolist() for name, x in clean.items()},
            "gamma": _list_without_diagonal(gamma),
            "mu_mu": _list_without_diagonal(c),
        },
        "bias_in_words": describe_bias(terms),
    }


def describe_bias(terms: Sequence[tuple[float, str]]) -> str:
    """Return the nonzero terms as text, ``omega - 2 gamma``; ``none`` if there are none."""
    shown = [(x, name) for x, name in terms if x != 0]
    if not shown:
        return "none"
    text = ""
    for x, name in shown[:_TERMS_IN_WORDS]:
        size = "" if abs(x) == 1 else f"{format_number(abs(x))} "
        sign = ("-" if x < 0 else "") if not text else (" - " if x < 0 else " + ")
        text += f"{sign}{size}{name}"
    left = len(shown) - _TERMS_IN_WORDS
    return text if left <= 0 else f"{text} and {left} more terms"


def _list_labelled(
    numbers: FloatArray, name: str, labels: Sequence[Label]
) -> list[tuple[float, str]]:
    return [(x, name.format(label)) for x, label in zip(numbers.tolist(), labels, strict=True)]


def _list_pair_sums(
    matrix: FloatArray, name: str, labels: Sequence[Label]
) -> list[tuple[float, str]]:
    """Return each unordered pair once, with the sum of its two entries."""
    rows, columns = np.triu_indices(len(matrix), 1)
    both = matrix[rows, columns] + matrix[columns, rows]
    return [
        (x, name.format(labels[i], labels[j]))
        for x, i, j in zip(both.tolist(), rows.tolist(), columns.tolist(), strict=True)
    ]


def _list_without_diagonal(matrix: FloatArray) -> list[list[float | None]]:
    return [
        [None if i == j else float(x) for j, x in enumerate(row)]
        for i, row in enumerate(matrix.tolist())
    ]

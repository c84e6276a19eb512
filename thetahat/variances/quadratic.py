"""A quadratic estimator by wished bias or by its coefficients."""

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
from thetahat.values.types import BlockKind, MeanKind, Target
from thetahat.variances._applicability import within_refusal
from thetahat.variances._conclusions import (
    between_degrees,
    conclude,
    few_blocks,
    several_repeats,
    within_degrees,
)
from thetahat.variances._quadratic_forms import (
    averaged,
    between_coefficient,
    by_bias,
    by_coefficients,
    fourth_coefficient,
    mean_form,
)
from thetahat.variances._quadratic_words import bias_of_coefficients, bias_of_folds
from thetahat.variances.base import VarianceEstimate

_LARGEST = 1e9  # with the largest losses that are taken, sums stay inside double precision


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Coefficients of a quadratic estimator over K sources, in the order of the block labels.

    Parameters
    ----------
    a, b : tuple of float
        (K,) coefficients of s2_k, the mean square, and of w_k, the mean product of two losses of
        source k.
    c : tuple of tuple of float
        (K, K) coefficients of g_kl, the mean product of a loss of source k and one of source l;
        the diagonal is not used.
    """

    a: tuple[float, ...]
    b: tuple[float, ...]
    c: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        k = len(self.a)
        _check_numbers(self.a, k, ("coefficients", "a"))
        _check_numbers(self.b, k, ("coefficients", "b"))
        if len(self.c) != k:
            raise InvalidParameter(
                f"c has {len(self.c)} rows and a has {k} entries; c is K x K",
                loc=("coefficients", "c"),
                value=len(self.c),
            )
        for row, numbers in enumerate(self.c):
            _check_numbers(numbers, k, ("coefficients", "c", row))


@dataclass(frozen=True, slots=True, kw_only=True)
class Quadratic:
    r"""The quadratic estimator that has the wished bias, or the given coefficients.

    .. math::

        \hat\theta = \text{plug} + a_1 s_1 + a_2 s_2 + a_3 s_3, \qquad
        E[\hat\theta] - \theta = a_1 \sigma^2 + a_2 \omega + a_3 \gamma + a_4 \mu^2, \quad
        a_4 = a_1 + a_2 + a_3 + 1

    for random folds, and for sources

    .. math::

        \hat\theta = \sum_k a_k s^{\sigma^2}_k + \sum_k b_k s^\omega_k
                   + \sum_{k \ne l} c_{kl} s^\gamma_{kl}

    with the second moments of ``thetahat.variances._quadratic_forms``. The result's ``details``
    give the coefficients on the moments and the bias term by term and in words.

    Assumes nothing; the bias is exact under exchangeable losses within blocks. Where a_4 (for
    sources: the sum of a row of coefficients) is not zero the mean loss is in it, and no interval
    is built on it.

    Source: geras2013, Proposition 1 and section 4.2.

    Deviations: folds of unequal size keep the wished bias: plug has the coefficients of the exact
    variance of the macro mean for their sizes.

    Degenerate cases: any value can be negative; equal losses give a_4 times the squared mean.

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
        name="quadratic",
        title="Quadratic estimator by wished bias",
        summary=(
            "The one estimator, quadratic in the losses, that has the bias you name (random "
            "folds), or the one with the coefficients you name (sources), with its bias spelt out."
        ),
        formula=(
            r"\hat\theta = \hat\mu^2 + a_1 s_1 + a_2 s_2 + a_3 s_3,\quad"
            r" E[\hat\theta] - \theta = a_1 \sigma^2 + a_2 \omega + a_3 \gamma"
            r" + (a_1 + a_2 + a_3 + 1)\mu^2"
        ),
        references=("geras2013",),
        assumptions="Losses exchangeable within blocks; for random folds also across them.",
        errs="By the bias you name, exactly; how much it varies is not under your control.",
        blocks=PARTITIONS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        by_request_only=True,
    )

    def __post_init__(self) -> None:
        if (self.bias is None) == (self.coefficients is None):
            raise InvalidParameter(
                "quadratic takes exactly one of bias (random folds) and coefficients (sources)",
                loc=("bias",),
                value=None if self.bias is None else list(self.bias),
            )
        if self.bias is not None:
            _check_numbers(self.bias, 3, ("bias",))

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        if reason := within_refusal(self.info, layout):
            return reason
        if layout.kind is BlockKind.RANDOM:
            return None if self.bias is not None else "random blocks take bias, not coefficients"
        if self.coefficients is None:
            return "source blocks take coefficients, not bias"
        per_repeat = np.bincount(layout.split_repeat)
        k = len(self.coefficients.a)
        if per_repeat.min() == per_repeat.max() == k:
            return None
        return f"coefficients are for {k} sources, and there are {len(layout.block_labels)}"

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        if reason := self.inapplicable(losses.layout):
            raise InvalidParameter(reason, loc=("coefficients" if self.bias is None else "bias",))
        if self.coefficients is not None:
            return self._of_sources(losses, self.coefficients)
        assert self.bias is not None  # noqa: S101 - __post_init__ saw to it
        return self._of_folds(losses, self.bias)

    def _of_folds(self, losses: BlockLosses, bias: tuple[float, float, float]) -> VarianceEstimate:
        value = averaged(losses.moments, lambda part: by_bias(part, bias))
        return self._conclude(
            losses,
            value,
            ignores_shifts=fourth_coefficient(bias) == 0,
            uses_means=between_coefficient(bias, losses.layout.n_blocks) != 0,
            details=bias_of_folds(next(losses.moments.by_repeat()).sizes, bias),
        )

    def _of_sources(self, losses: BlockLosses, coefficients: Coefficients) -> VarianceEstimate:
        a, b, c = (np.array(x, dtype=np.float64) for x in _parts(coefficients))
        form = mean_form(a, b, c)
        value = averaged(losses.moments, lambda part: by_coefficients(part, a, b, form))
        sizes = next(losses.moments.by_repeat()).sizes
        return self._conclude(
            losses,
            value,
            ignores_shifts=form.ignores_shifts,
            uses_means=not form.is_zero,
            details=bias_of_coefficients(sizes, losses.layout.block_labels, a, b, c),
        )

    def _conclude(
        self,
        losses: BlockLosses,
        value: float,
        *,
        ignores_shifts: bool,
        uses_means: bool,
        details: dict[str, Any],
    ) -> VarianceEstimate:
        depends = DEPENDS_ON_THE_MEAN(mean=f"{losses.moments.macro_mean:.6g}")
        return conclude(
            self.info,
            losses,
            value,
            between_degrees(losses) if uses_means else within_degrees(losses),
            fit_for_intervals=ignores_shifts,
            cautions=(
                *(few_blocks(losses) if uses_means else ()),
                *(() if ignores_shifts else (depends,)),
                *several_repeats(losses),
            ),
            details=details,
        )


def _parts(coefficients: Coefficients) -> tuple[Any, Any, Any]:
    return coefficients.a, coefficients.b, coefficients.c


def _check_numbers(numbers: Sequence[float], n: int, loc: Loc) -> None:
    name = loc[-1] if isinstance(loc[-1], str) else f"{loc[-2]}[{loc[-1]}]"
    if len(numbers) != n:
        raise InvalidParameter(
            f"{name} has {len(numbers)} entries, not {n}", loc=loc, value=len(numbers)
        )
    for i, number in enumerate(numbers):
        if not abs(number) <= _LARGEST:
            raise InvalidParameter(
                f"{name}[{i}] is {number}; it must be at most {_LARGEST:g} in size",
                loc=(*loc, i),
                value=str(number),
            )


METHOD = Quadratic

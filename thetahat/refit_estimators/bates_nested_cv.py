"""Nested cross-validation's interval for the error of the fitted model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar, Literal, get_args

import numpy as np

from thetahat.cautions import FEW_REPEATS, STANDARD_ERROR_AT_ITS_BOUND, ZERO_VARIANCE, Caution
from thetahat.intervals._symmetric import build_symmetric_interval
from thetahat.intervals.base import Interval
from thetahat.parameter_checks import check_choice, check_count
from thetahat.refit_estimators._checks import INDEPENDENT_ROWS, require_rows, zero_if_rounding
from thetahat.refit_estimators.base import (
    INTERVALS_LIST,
    VARIANCES_LIST,
    BuildsInterval,
    EstimatesVariance,
    RefitLosses,
    describe_refit,
)
from thetahat.registry import MethodInfo
from thetahat.schemes._partitions import deal_to_folds
from thetahat.schemes.base import Rows, Split, Splits
from thetahat.seeds import make_random_stream
from thetahat.traits import Recommendation
from thetahat.values.types import Alternative, FloatArray, IntArray, MeanKind, Target
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True)
class NestedFoldsDesign:
    """K fits without one fold and K (K - 1) / 2 without two, repeat by repeat.

    The fit without f and g serves twice: its losses on g belong to outer fold f, and those on f
    to outer fold g. After the repeats come plain cross-validations on partitions of their own.
    """

    n_folds: int
    n_repeats: int
    """K, at least 3, and the number of partitions."""
    n_plain: int = 0
    """Number of additional plain cross-validations."""

    @cached_property
    def left_out(self) -> tuple[tuple[int, ...], ...]:
        """The folds that each fit of a repeat leaves out."""
        folds = range(self.n_folds)
        return (*((f,) for f in folds), *combinations(folds, 2))

    def n_splits(self, rows: Rows) -> int:
        """Return the number of splits: K (K + 1) / 2 by repeat, K by plain cross-validation."""
        require_rows(rows, self.n_folds, f"nested cross-validation in {self.n_folds} folds")
        return self.n_repeats * len(self.left_out) + self.n_plain * self.n_folds

    def n_tests(self, rows: Rows) -> int:
        """Return the number of losses: each row K times by repeat, once by plain one."""
        return rows.n * (self.n_repeats * self.n_folds + self.n_plain)

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield the splits from ``start`` to ``stop``, with one partition for each repeat."""
        drawn_repeat, fold = -1, np.empty(0, dtype=np.intp)
        for split in range(self.n_splits(rows))[start:stop]:
            repeat, block = self._find_position(split)
            if repeat != drawn_repeat:
                drawn_repeat, fold = repeat, self.folds(rows.n, seed, repeat)
            is_test = np.isin(fold, self.left_out[block])
            yield Split(
                repeat, block, block, train=np.flatnonzero(~is_test), test=np.flatnonzero(is_test)
            )

    def _find_position(self, split: int) -> tuple[int, int]:
        nested = self.n_repeats * len(self.left_out)
        if split < nested:
            return divmod(split, len(self.left_out))
        repeat, block = divmod(split - nested, self.n_folds)
        return self.n_repeats + repeat, block

    def folds(self, n: int, seed: int, repeat: int) -> IntArray:
        """Return the (n,) folds; repeats from ``n_repeats`` on are plain cross-validations."""
        return deal_to_folds(
            make_random_stream(seed, "nested folds", repeat).permutation(n), self.n_folds
        )

    def get_outer_and_inner(
        self, fits: RefitLosses, repeat: int
    ) -> tuple[list[FloatArray], list[list[FloatArray]]]:
        """Return the outer and inner losses of one repeat.

        ``outer[f]`` are the losses on f of the fit without f; ``inner[f]`` holds, for every other
        fold g in order, the losses on g of the fit without f and g.
        """
        K = self.n_folds
        losses_of_fits = fits.losses[repeat * len(self.left_out) :][: len(self.left_out)]
        fold = self.folds(fits.rows.n, fits.seed, repeat)
        inner: list[list[FloatArray]] = [[np.empty(0)] * K for _ in range(K)]
        for (f, g), losses in zip(self.left_out[K:], losses_of_fits[K:], strict=True):
            fold_of_row = fold[np.isin(fold, (f, g))]
            inner[f][g], inner[g][f] = losses[fold_of_row == g], losses[fold_of_row == f]
        return list(losses_of_fits[:K]), [
            [losses for g, losses in enumerate(inner[f]) if g != f] for f in range(K)
        ]

    def plain(self, fits: RefitLosses) -> list[FloatArray]:
        """Return the (n,) losses of each plain cross-validation, fold by fold."""
        start, K = self.n_repeats * len(self.left_out), self.n_folds
        return [
            np.concatenate(fits.losses[start + K * r : start + K * (r + 1)])
            for r in range(self.n_plain)
        ]


Variant = Literal["mlr3inferr", "nestedcv"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatesNestedCv(EstimatesVariance, BuildsInterval):
    r"""Variance of a nested cross-validation's estimate of the fitted model's error.

    e_out are the losses on fold f of the model without f, e_in those on every other fold g of
    the model without f and g, and V is the sample variance (ddof 1). With sd the standard deviation
    of all inner losses and m = n (K - 1) / K, rounded down in ``nestedcv`` alone,

    .. math::
        SE = \min\Bigl(\max\Bigl(\sqrt{\tfrac{m}{n} \widehat{\mathrm{MSE}}},
        \tfrac{sd}{\sqrt n}\Bigr), \sqrt K \tfrac{sd}{\sqrt n}\Bigr)

    so SE lies between that of naive cross-validation and sqrt(K) times that. The estimate is the
    mean of the inner losses minus a bias.

    Parameters
    ----------
    n_folds : int
        K, at least 3; every fold needs two rows.
    n_repeats : int
        R, the number of partitions. With few of them the standard error itself is uncertain.
    variant : str
        ``mlr3inferr``: bias = (1 + (K - 2)/K) (mean inner - mean outer). ``nestedcv``: bias =
        (1 + ((K - 2)/K)^1.5) (mean inner - mean of ``n_repeats / 5``, rounded up, further
        cross-validations), which makes K more fits each.
    correct_bias : bool
        Whether to subtract the bias. Without it the estimate is the mean of the outer losses
        (``mlr3inferr``) or of the inner ones (``nestedcv``).

    Deviations: the fit without f and g serves the outer folds f and g, as in the source's own
    code, which makes K (K + 1) / 2 fits a repeat and not K^2.

    Degenerate cases: equal losses give 0; a negative MSE gives the lower bound, with a caution.
    """

    n_folds: int = 5
    n_repeats: int = 10
    variant: Variant = "mlr3inferr"
    correct_bias: bool = True

    info: ClassVar[MethodInfo] = describe_refit(
        title="Nested cross-validation (Bates, Hastie and Tibshirani)",
        summary=(
            "A bias-corrected estimate of the error of the fitted model and of its mean squared "
            "error. A cross-validation within all folds but one is compared with the error on "
            "that fold."
        ),
        formula=(
            r"\widehat{\mathrm{MSE}} = \frac{1}{RK} \sum_{r,f} \bigl((\overline{e}^{in}_{rf} - "
            r"\overline{e}^{out}_{rf})^2 - V(e^{out}_{rf}) / |f|\bigr)"
        ),
        references=("bates2024", "schulz2024"),
        assumptions="The instances are independent, and there are ten repeats or more.",
        errs=(
            "Slightly too wide in the largest published comparison, where it was the narrowest "
            "of the intervals that cover. It is uncertain with few repeats."
        ),
        targets=(Target.THESE_MODELS,),
        recommended=(
            Recommendation(blocks=INDEPENDENT_ROWS, target=Target.THESE_MODELS, own=10, normal=20),
        ),
    )
    gives: ClassVar[frozenset[str]] = frozenset({VARIANCES_LIST, INTERVALS_LIST})

    def __post_init__(self) -> None:
        check_count("n_folds", self.n_folds, 3)
        check_count("n_repeats", self.n_repeats, 1)
        check_choice("variant", self.variant, get_args(Variant))

    @property
    def design(self) -> NestedFoldsDesign:
        """Every fold and every pair of folds left out; plain cross-validations for the bias."""
        plain = self.variant == "nestedcv" and self.correct_bias
        return NestedFoldsDesign(
            self.n_folds, self.n_repeats, -(-self.n_repeats // 5) if plain else 0
        )

    def estimate(self, fits: RefitLosses) -> VarianceEstimate:
        """Estimate the error of the fitted model and the variance of that estimate."""
        design = self.design
        parts = [design.get_outer_and_inner(fits, r) for r in range(self.n_repeats)]
        plain = design.plain(fits)
        return self.estimate_from_losses(
            [outer for outer, _ in parts],
            [inner for _, inner in parts],
            float(np.mean([part.mean() for part in plain])) if plain else None,
        )

    def estimate_from_losses(
        self,
        outer: Sequence[Sequence[FloatArray]],
        inner: Sequence[Sequence[Sequence[FloatArray]]],
        plain_mean: float | None = None,
    ) -> VarianceEstimate:
        """Return the estimate from ``outer[r][f]``, ``inner[r][f][..]`` and the plain mean."""
        K, n = self.n_folds, sum(len(e) for e in outer[0])
        differences = [
            (np.concatenate(e_in).mean() - e_out.mean()) ** 2 - e_out.var(ddof=1) / len(e_out)
            for outer_r, inner_r in zip(outer, inner, strict=True)
            for e_out, e_in in zip(outer_r, inner_r, strict=True)
        ]
        mse = float(np.mean(differences))
        all_inner = np.concatenate([e for inner_r in inner for e_in in inner_r for e in e_in])
        lower_bound = math.sqrt(zero_if_rounding(float(all_inner.var(ddof=1)) / n, [all_inner]))
        share = (n * (K - 1) // K) / n if self.variant == "nestedcv" else (K - 1) / K
        unbounded_error = math.sqrt(max(0.0, share * mse))
        error = min(max(unbounded_error, lower_bound), math.sqrt(K) * lower_bound)
        inner_mean = float(all_inner.mean())
        outer_mean = float(np.mean([np.concatenate(e).mean() for e in outer]))
        raw, bias = self._compute_bias(inner_mean, outer_mean, plain_mean)
        return VarianceEstimate(
            value=error**2,
            target=Target.THESE_MODELS,
            mean=MeanKind.POOLED,
            estimate=raw - bias,
            degrees_of_freedom=None,
            usable=error > 0,
            cautions=(*_check_bounds(unbounded_error, lower_bound, K), *_check_repeats(len(outer))),
            details={
                "mean_squared_error": mse,
                "inflation": error / lower_bound if lower_bound > 0 else None,
                "bias": bias,
                "estimate_before_correction": raw,
            },
        )

    def _compute_bias(
        self, inner_mean: float, outer_mean: float, plain_mean: float | None
    ) -> tuple[float, float]:
        share = (self.n_folds - 2) / self.n_folds
        if self.variant == "nestedcv":
            if plain_mean is None:
                return inner_mean, 0.0
            return inner_mean, (1 + share**1.5) * (inner_mean - plain_mean)
        if not self.correct_bias:
            return outer_mean, 0.0
        return inner_mean, (1 + share) * (inner_mean - outer_mean)

    def interval(
        self, fits: RefitLosses, level: float, alternative: Alternative
    ) -> Interval | None:
        """Return the estimate plus and minus a normal quantile of SE; None if SE is 0."""
        estimate = self.estimate(fits)
        error = math.sqrt(float(estimate.value))
        if not estimate.usable:
            return None
        name = self.info.name
        return build_symmetric_interval(name, name, estimate, error, None, level, alternative)


def _check_bounds(unbounded_error: float, lower_bound: float, K: int) -> tuple[Caution, ...]:
    if lower_bound == 0:
        return (
            ZERO_VARIANCE(reason="all losses are equal", consequence="No interval is built on it."),
        )
    if lower_bound <= unbounded_error <= math.sqrt(K) * lower_bound:
        return ()
    side, bound = (
        ("lower", "that of a naive cross-validation")
        if unbounded_error < lower_bound
        else ("upper", f"the square root of {K} times that of a naive cross-validation")
    )
    return (STANDARD_ERROR_AT_ITS_BOUND(error=unbounded_error, side=side, bound=bound),)


def _check_repeats(n_repeats: int) -> tuple[Caution, ...]:
    if n_repeats >= FEW_REPEATS.threshold:
        return ()
    return (FEW_REPEATS(n=n_repeats),)

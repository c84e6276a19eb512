"""Replace-one variance of a cross-validated error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np

from thetahat.cautions import ZERO_VARIANCE
from thetahat.parameter_checks import check_choice, check_count
from thetahat.refit_estimators._checks import INDEPENDENT_ROWS, require_rows, zero_if_rounding
from thetahat.refit_estimators.base import EstimatesVariance, RefitLosses, describe_refit
from thetahat.registry import MethodInfo
from thetahat.schemes._partitions import deal_to_folds
from thetahat.schemes.base import ComplementSplit, Rows, Split, Splits
from thetahat.seeds import make_random_stream
from thetahat.traits import Recommendation
from thetahat.values.types import FloatArray, IntArray, MeanKind, Target
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True)
class ReplacementsDesign:
    """Cross-validations of all rows, of half of them, and of that half with one row replaced.

    The i-th row of the second half replaces the i-th of the m rows of the first half. If fold f
    holds row i, the model without f is the same before and after, so it is fitted once and tested
    on the rows of f and on those that replace them: K + m (K - 1) fits are enough for m + 1
    cross-validations.
    """

    n_folds: int
    n_repeats: int
    """K, and the number of partitions that are averaged over."""

    def n_splits(self, rows: Rows) -> int:
        """Return the number of splits: 2 K + m (K - 1) for each repeat."""
        what = f"cross-validation of half the rows in {self.n_folds} folds"
        require_rows(rows, 2 * self.n_folds, what)
        return self.n_repeats * self._count_splits_per_repeat(rows.n)

    def n_tests(self, rows: Rows) -> int:
        """Return the number of losses: all rows, both halves and each replacement, by repeat."""
        m = rows.n // 2
        sizes = np.bincount(np.arange(m) % self.n_folds)
        return self.n_repeats * int(rows.n + 2 * m + m * m - (sizes**2).sum())

    def _count_splits_per_repeat(self, n: int) -> int:
        return 2 * self.n_folds + n // 2 * (self.n_folds - 1)

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield by repeat the splits of all rows, of one half, and of it with row i replaced."""
        n, K = rows.n, self.n_folds
        base, others = self._draw_halves(n, seed)
        drawn_repeat = -1
        fold_of_row, fold_of_half = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
        for split in range(self.n_splits(rows))[start:stop]:
            repeat, block = divmod(split, self._count_splits_per_repeat(n))
            if repeat != drawn_repeat:
                drawn_repeat, fold_of_row, fold_of_half = repeat, *self._draw_folds(n, seed, repeat)
            if block < K:
                test = np.flatnonzero(fold_of_row == block)
                yield ComplementSplit(repeat, block, block, test, n)
                continue
            if block < 2 * K:
                is_test, working = fold_of_half == block - K, base
                test = np.concatenate([base[is_test], others[is_test]])
            else:
                i, f = self._find_replacement(block, fold_of_half)
                is_test, working = fold_of_half == f, base.copy()
                working[i] = others[i]
                test = working[is_test]
            yield Split(repeat, block, block, train=np.sort(working[~is_test]), test=test)

    def _find_replacement(self, block: int, fold_of_half: IntArray) -> tuple[int, int]:
        """Return the index of the replaced row, and the test fold, which does not hold it."""
        i, rank = divmod(block - 2 * self.n_folds, self.n_folds - 1)
        return i, rank if rank < fold_of_half[i] else rank + 1

    def _draw_halves(self, n: int, seed: int) -> tuple[IntArray, IntArray]:
        order = (
            make_random_stream(seed, "halves to replace").permutation(n).astype(np.intp, copy=False)
        )
        return order[: n // 2], order[n // 2 : 2 * (n // 2)]

    def _draw_folds(self, n: int, seed: int, repeat: int) -> tuple[IntArray, IntArray]:
        """Return the (n,) folds of all rows and the (m,) folds of the half in one repeat."""
        rng = make_random_stream(seed, "folds to replace in", repeat)
        return (
            deal_to_folds(rng.permutation(n), self.n_folds),
            deal_to_folds(rng.permutation(n // 2), self.n_folds),
        )

    def errors(self, fits: RefitLosses) -> tuple[float, float, FloatArray]:
        """Return the error on all rows, R of the half, and (m,) R_i with row i replaced."""
        n, m, K = fits.rows.n, fits.rows.n // 2, self.n_folds
        on_all, on_half, replaced = 0.0, 0.0, np.zeros(m)
        for repeat in range(self.n_repeats):
            losses = fits.losses[repeat * self._count_splits_per_repeat(n) :][
                : self._count_splits_per_repeat(n)
            ]
            _, fold_of_half = self._draw_folds(n, fits.seed, repeat)
            on_all += sum(float(part.sum()) for part in losses[:K]) / n
            others = np.empty(m)
            for f, part in enumerate(losses[K : 2 * K]):
                on_half += float(part[: len(part) // 2].sum()) / m
                # the losses on the fold of i, with i replaced, under the same model
                own, new = part[: len(part) // 2], part[len(part) // 2 :]
                others[fold_of_half == f] = own.sum() - own + new
            sums = np.array([float(part.sum()) for part in losses[2 * K :]]).reshape(m, K - 1)
            replaced += (others + sums.sum(axis=1)) / m
        return on_all / self.n_repeats, on_half / self.n_repeats, replaced / self.n_repeats


Form = Literal["corrected", "published"]
FORMS: Final[dict[Form, int]] = {"corrected": 4, "published": 2}
"""Divisor of n times the sum of squares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AusternZhou(EstimatesVariance):
    """Variance of a cross-validated error, from the effect of replacing single instances.

    R is the K-fold error of one half of the data, and R_i the same with instance i replaced by
    an instance of the other half, on the same folds. The estimate is the K-fold error of all data.

    Parameters
    ----------
    n_folds : int
        K, at least 2.
    n_repeats : int
        Number of partitions that R, R_i and the estimate are averaged over.
    form : str
        ``corrected``: by the formula, the correction of schulz2024. ``published``: twice as much.

    For losses of a fixed model the sum is 4 s_e^2 / n on average, with s_e^2 the variance of one
    loss, so that the factor 1/4 gives the variance of their mean and 1/2 twice that. For a learner
    the sum bounds the variance of R from above (Efron and Stein), and R is that of half the data.

    Deviations: the model without the fold of i is the same with and without the replacement, so
    it is fitted once, not once for each of its instances: the same numbers from fewer fits,
    unless the learner draws random numbers.

    Degenerate cases: replacements that change nothing give 0. With an odd number of rows, the last
    row is used in the estimate alone.
    """

    n_folds: int = 5
    n_repeats: int = 1
    form: Form = "corrected"

    info: ClassVar[MethodInfo] = describe_refit(
        title="Replace-one variance (Austern and Zhou)",
        summary=(
            "The variance of a cross-validated error, estimated from how much the error of half "
            "of the data changes when one instance after the other is replaced by one of the "
            "other half."
        ),
        formula=(r"\hat\theta = \frac14 \sum_{i=1}^{n/2} \bigl(\hat R - \hat R_i\bigr)^2"),
        references=("austern2020", "schulz2024"),
        assumptions="The instances are independent, and no single one changes the model much.",
        errs=(
            "Too large, and more so the more the model changes with its training data. In the "
            "largest published comparison its intervals were among the widest of those that "
            "cover."
        ),
        recommended=(
            Recommendation(blocks=INDEPENDENT_ROWS, target=Target.THESE_SOURCES, normal=40),
        ),
    )

    def __post_init__(self) -> None:
        check_count("n_folds", self.n_folds, 2)
        check_count("n_repeats", self.n_repeats, 1)
        check_choice("form", self.form, tuple(FORMS))

    @property
    def design(self) -> ReplacementsDesign:
        """Cross-validations with one row replaced."""
        return ReplacementsDesign(self.n_folds, self.n_repeats)

    def estimate(self, fits: RefitLosses) -> VarianceEstimate:
        """Estimate the cross-validated error of all data, and its variance."""
        error, R, R_i = self.design.errors(fits)
        mean_square = zero_if_rounding(float(((R - R_i) ** 2).mean()), fits.losses)
        value = mean_square * len(R_i) / FORMS[self.form]
        return VarianceEstimate(
            value=value,
            target=Target.THESE_SOURCES,
            mean=MeanKind.POOLED,
            estimate=error,
            degrees_of_freedom=None,
            usable=value > 0,
            cautions=() if value > 0 else (_NOTHING_CHANGES,),
            details={"error_of_half": R, "n_replaced": len(R_i)},
        )


_NOTHING_CHANGES = ZERO_VARIANCE(
    reason="no replaced instance changes the error", consequence="No interval is built on it."
)

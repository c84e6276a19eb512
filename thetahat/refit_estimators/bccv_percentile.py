"""Percentile interval of bootstrap case cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np

from thetahat.intervals.base import Interval
from thetahat.parameter_checks import check_count
from thetahat.refit_estimators._parameters import INDEPENDENT_ROWS, require_rows
from thetahat.refit_estimators._percentiles import build_percentile_interval
from thetahat.refit_estimators.base import INTERVALS_LIST, RefitLosses
from thetahat.registry import MethodInfo
from thetahat.schemes.base import Rows, Split
from thetahat.seeds import stream
from thetahat.traits import Recommendation
from thetahat.values.types import Alternative, FloatArray, IntArray, MeanKind, Needs, Target

_MOST_KEPT: Final = 10_000
"""Largest number of rows whose counts are cached: fits and errors both need them."""


@dataclass(frozen=True)
class CaseDeletionsDesign:
    """Leave-one-out of the data, and of each of B resamples with all copies of a row as one case.

    Every sample has one split for each row. A row that a resample does not contain makes no fit, so
    about B x .368 n of the splits are empty.

    Parameters
    ----------
    n_resamples : int
        B.
    """

    n_resamples: int

    def n_splits(self, rows: Rows) -> int:
        """Return (B + 1) n, the number of splits, empty ones included."""
        require_rows(rows, 3, "a leave-one-out of resamples")
        return (self.n_resamples + 1) * rows.n

    def n_tests(self, rows: Rows) -> int:
        """Return an upper bound of the number of losses: one for each split."""
        return self.n_splits(rows)

    def splits(
        self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None
    ) -> Iterator[Split]:
        """Yield, sample by sample, the splits that leave out one case."""
        all_rows = np.arange(rows.n, dtype=np.intp)
        drawn_sample, counts = -1, np.empty(0, dtype=np.intp)
        for split in range(self.n_splits(rows))[start:stop]:
            sample, row = divmod(split, rows.n)
            if sample != drawn_sample:
                drawn_sample, counts = sample, self.counts(rows.n, seed, sample)
            if counts[row] == 0:
                continue
            others = counts.copy()
            others[row] = 0
            train = np.repeat(all_rows, others)
            yield Split(sample, row, row, train=train, test=all_rows[row : row + 1])

    def counts(self, n: int, seed: int, sample: int) -> IntArray:
        """Return (n,) numbers of copies of each row in a sample; sample 0 is the data."""
        return (_draw_counts_once if n <= _MOST_KEPT else _draw_counts)(n, seed, sample)

    def means(self, fits: RefitLosses) -> tuple[float, FloatArray]:
        """Return the leave-one-out error of the data, and (B,) those of the resamples."""
        n = fits.rows.n
        losses = np.concatenate(fits.losses)
        errors, start = [], 0
        for sample in range(self.n_resamples + 1):
            counts = self.counts(n, fits.seed, sample)
            copies = counts[counts > 0]
            stop = start + len(copies)
            errors.append(float(copies @ losses[start:stop]) / n)
            start = stop
        return errors[0], np.array(errors[1:])


def _draw_counts(n: int, seed: int, sample: int) -> IntArray:
    if sample == 0:
        return np.ones(n, dtype=np.intp)
    rng = stream(seed, "resamples of cases", sample)
    while True:
        counts = np.bincount(rng.integers(n, size=n), minlength=n)
        if (counts > 0).sum() >= 2:
            return np.asarray(counts, dtype=np.intp)


_draw_counts_once = lru_cache(maxsize=256)(_draw_counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class BccvPercentile:
    """Percentiles of the leave-one-case-out errors of bootstrap resamples.

    M_ib is the number of copies of instance i in resample b, and L_ib its loss under the model
    fitted to the resample without all its copies. The estimate is the leave-one-out error of the
    data.

    Parameters
    ----------
    n_resamples : int
        B.
    correct_bias : bool
        Whether to shift the interval by the mean of the mu_b minus the leave-one-out error of the
        data.

    A resample has fewer distinct instances than the data, so the mu_b are too large, which
    ``correct_bias`` corrects.

    Degenerate cases: equal mu_b build no interval.
    """

    n_resamples: int = 100
    correct_bias: bool = False

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bccv_percentile",
        title="Bootstrap case cross-validation, percentile interval",
        summary=(
            "Percentiles of the leave-one-out errors of bootstrap resamples, in which all "
            "copies of an instance are left out together."
        ),
        formula=r"\hat\mu_b = \frac1n \sum_{i : M_{ib} > 0} M_{ib}\, L_{ib}",
        references=("jiang2008", "schulz2024"),
        assumptions="The instances are independent.",
        errs=(
            "Covers nearly as often as its level in the largest published comparison. It lies "
            "somewhat too high, because a resample has fewer distinct instances than the data."
        ),
        needs=Needs.REFITS,
        blocks=INDEPENDENT_ROWS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.POOLED,
        recommended=(Recommendation(blocks=INDEPENDENT_ROWS, target=Target.THESE_SOURCES, own=10),),
        by_request_only=True,
    )
    gives: ClassVar[frozenset[str]] = frozenset({INTERVALS_LIST})
    is_own_estimate: ClassVar[bool] = False
    reason_against_pairs: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        check_count("n_resamples", self.n_resamples, 10)

    @property
    def design(self) -> CaseDeletionsDesign:
        """Resamples without one case."""
        return CaseDeletionsDesign(self.n_resamples)

    def interval(
        self, fits: RefitLosses, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None if the errors of the resamples do not vary."""
        error, replicates = self.design.means(fits)
        shift = float(replicates.mean()) - error if self.correct_bias else 0.0
        return build_percentile_interval(self.info, error, replicates, shift, level, alternative)


METHOD = BccvPercentile

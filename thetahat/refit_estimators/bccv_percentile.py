"""Percentile interval of bootstrap case cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np

from thetahat.intervals.base import Interval
from thetahat.parameter_checks import check_count
from thetahat.refit_estimators._checks import INDEPENDENT_ROWS, require_rows
from thetahat.refit_estimators._percentiles import build_percentile_interval
from thetahat.refit_estimators.base import BuildsInterval, RefitLosses, describe_refit
from thetahat.registry import MethodInfo
from thetahat.schemes._class_draws import RowsToDraw, caution_about_repeated_draws
from thetahat.schemes.base import Rows, Split, Splits
from thetahat.seeds import make_random_stream
from thetahat.traits import Recommendation
from thetahat.values.types import Alternative, FloatArray, IntArray, Target

_MAX_CACHED_ROWS: Final = 10_000
"""Largest number of rows whose counts are cached: fits and errors both need them."""


@dataclass(frozen=True)
class CaseDeletionsDesign:
    """Leave-one-out of the data, and of each of B resamples with all copies of a row as one case.

    Every sample has one split for each row. A row that a resample does not contain makes no fit, so
    about B x .368 n of the splits are empty. A resample that has one class only without one of its
    cases is drawn again, unless that holds for the data too.
    """

    n_resamples: int
    """B."""

    def n_splits(self, rows: Rows) -> int:
        """Return (B + 1) n, the number of splits, empty ones included."""
        require_rows(rows, 3, "a leave-one-out of resamples")
        return (self.n_resamples + 1) * rows.n

    def n_tests(self, rows: Rows) -> int:
        """Return an upper bound of the number of losses: one for each split."""
        return self.n_splits(rows)

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield, sample by sample, the splits that leave out one case."""
        all_rows = np.arange(rows.n, dtype=np.intp)
        to_draw = RowsToDraw.read(rows)
        drawn_sample, counts = -1, np.empty(0, dtype=np.intp)
        for split in range(self.n_splits(rows))[start:stop]:
            sample, row = divmod(split, rows.n)
            if sample != drawn_sample:
                drawn_sample, counts = sample, self.draw(to_draw, seed, sample)[0]
            if counts[row] == 0:
                continue
            others = counts.copy()
            others[row] = 0
            train = np.repeat(all_rows, others)
            yield Split(sample, row, row, train=train, test=all_rows[row : row + 1])

    def draw(self, rows: RowsToDraw, seed: int, sample: int) -> tuple[IntArray, int]:
        """Return (n,) numbers of copies of each row in a sample, and the draws not usable.

        Sample 0 is the data.
        """
        is_cached = rows.n <= _MAX_CACHED_ROWS
        return (_draw_counts_once if is_cached else _draw_counts)(rows, seed, sample)

    def count_drawn_again(self, fits: RefitLosses) -> int:
        """Return the number of resamples that were drawn again because of a rare class."""
        rows = RowsToDraw.read(fits.rows)
        if not rows.codes:
            return 0
        samples = range(self.n_resamples + 1)
        return sum(self.draw(rows, fits.seed, sample)[1] for sample in samples)

    def means(self, fits: RefitLosses) -> tuple[float, FloatArray]:
        """Return the leave-one-out error of the data, and (B,) those of the resamples."""
        n, rows = fits.rows.n, RowsToDraw.read(fits.rows)
        losses = np.concatenate(fits.losses)
        errors, start = [], 0
        for sample in range(self.n_resamples + 1):
            counts, _ = self.draw(rows, fits.seed, sample)
            copies = counts[counts > 0]
            stop = start + len(copies)
            errors.append(float(copies @ losses[start:stop]) / n)
            start = stop
        return errors[0], np.array(errors[1:])


def _draw_counts(rows: RowsToDraw, seed: int, sample: int) -> tuple[IntArray, int]:
    n = rows.n
    if sample == 0:
        return np.ones(n, dtype=np.intp), 0
    rng = make_random_stream(seed, "resamples of cases", sample)

    def draw() -> IntArray:
        while True:
            counts = np.bincount(rng.integers(n, size=n), minlength=n)
            if (counts > 0).sum() >= 2:
                return np.asarray(counts, dtype=np.intp)

    if not _has_two_classes_without_a_case(rows, np.arange(n)):
        return draw(), 0
    return rows.draw(
        draw, lambda counts: _has_two_classes_without_a_case(rows, np.flatnonzero(counts))
    )


def _has_two_classes_without_a_case(rows: RowsToDraw, cases: IntArray) -> bool:
    """Return whether, whichever case is left out, the others have two classes; True for values."""
    y = rows.class_codes
    if y is None:
        return True
    sizes = np.unique(y[cases], return_counts=True)[1]
    return len(sizes) > 2 or (len(sizes) == 2 and int(sizes.min()) > 1)


_draw_counts_once = lru_cache(maxsize=256)(_draw_counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class BccvPercentile(BuildsInterval):
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

    info: ClassVar[MethodInfo] = describe_refit(
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
        recommended=(Recommendation(blocks=INDEPENDENT_ROWS, target=Target.THESE_SOURCES, own=10),),
    )

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
        cautions = caution_about_repeated_draws(
            self.design.count_drawn_again(fits), self.n_resamples
        )
        return build_percentile_interval(
            self.info, error, replicates, shift, level, alternative, cautions
        )

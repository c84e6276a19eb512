"""Two-stage bootstrap interval of the .632+ error."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np

from thetahat.cautions import COVERAGE_DISAGREES
from thetahat.errors import UnsupportedCombination
from thetahat.intervals.base import Interval
from thetahat.parameter_checks import check_count
from thetahat.refit_estimators._bootstrap_632 import Error632Plus
from thetahat.refit_estimators._checks import require_rows
from thetahat.refit_estimators._percentiles import build_percentile_interval
from thetahat.refit_estimators.base import APPARENT, BuildsInterval, RefitLosses, describe_refit
from thetahat.refit_estimators.bootstrap_632_plus import NOT_OF_PAIRS
from thetahat.registry import MethodInfo
from thetahat.schemes._class_draws import RowsToDraw, caution_about_repeated_draws
from thetahat.schemes.base import Rows, Split, Splits
from thetahat.seeds import make_random_stream
from thetahat.values.types import Alternative, IntArray

_MAX_CACHED_ROWS: Final = 20_000
"""Largest number of row numbers of a stage that is cached: about 100 megabytes in all."""
_INNER: Final = "inner resamples"


@dataclass(frozen=True, slots=True, eq=False)
class _Stage:
    """The draws of one stage."""

    sample: IntArray
    """(n,) rows of the sample, ascending."""
    resamples: tuple[tuple[IntArray, IntArray], ...]
    """The rows in and out of each resample of the sample."""
    n_drawn_again: int
    """Number of draws with one class, which were made again."""


@dataclass(frozen=True)
class TwoStageDesign:
    """Fits to a sample and to resamples of it, for the data and for resamples of the data.

    The sample of stage 0 is the data; those of the other stages are resamples. A row that occurs
    several times in an outer resample is out of an inner one only if none of its copies is in it,
    so that no model is tested on a row that it was fitted to. Resamples that leave nothing out, or
    that have one class only while the data have more, are drawn again.
    """

    n_outer: int
    n_inner: int
    """Resamples of the data, and of each sample."""

    def n_splits(self, rows: Rows) -> int:
        """Return the number of splits, (outer + 1) x (inner + 1)."""
        require_rows(rows, 2, "a bootstrap")
        RowsToDraw.read(rows).check_size(3, "a bootstrap")
        return (self.n_outer + 1) * (self.n_inner + 1)

    def n_tests(self, rows: Rows) -> int:
        """Return an upper bound of the number of losses: n for each split."""
        return self.n_splits(rows) * rows.n

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield, by sample, the split that fits to it, then those that fit to its resamples."""
        to_draw = RowsToDraw.read(rows)
        for split in range(self.n_splits(rows))[start:stop]:
            number, inner = divmod(split, self.n_inner + 1)
            stage = self._get_stage(number, to_draw, seed)
            if inner == 0:
                yield Split(number, 0, APPARENT, train=stage.sample, test=stage.sample)
            else:
                train, test = stage.resamples[inner - 1]
                yield Split(number, inner, inner, train=train, test=test)

    def _get_stage(self, stage: int, rows: RowsToDraw, seed: int) -> _Stage:
        """Return the draws of a stage, from a cache if small: fits and estimates need them."""
        is_cached = rows.n * (self.n_inner + 1) <= _MAX_CACHED_ROWS
        return (_draw_stage_once if is_cached else _draw_stage)(self, rows, seed, stage)

    def count_drawn_again(self, fits: RefitLosses) -> int:
        """Return the number of draws that were made again because they had one class."""
        rows = RowsToDraw.read(fits.rows)
        if not rows.codes:
            return 0
        stages = range(self.n_outer + 1)
        return sum(self._get_stage(s, rows, fits.seed).n_drawn_again for s in stages)

    def estimates(self, fits: RefitLosses) -> list[Error632Plus]:
        """Return the .632+ combination of every sample; the first is that of the data."""
        rows = RowsToDraw.read(fits.rows)
        return [self._estimate_stage(fits, rows, stage) for stage in range(self.n_outer + 1)]

    def _estimate_stage(self, fits: RefitLosses, rows: RowsToDraw, number: int) -> Error632Plus:
        first = number * (self.n_inner + 1)
        gamma = None if fits.no_information is None else fits.no_information[first]
        if gamma is None:
            raise UnsupportedCombination("A difference of two learners has no .632+ error.")
        n = fits.rows.n
        stage = self._get_stage(number, rows, fits.seed)
        sample = stage.sample
        sums, times = np.zeros(n), np.zeros(n)
        for inner, (_, test) in enumerate(stage.resamples, start=1):
            # copies of a row have the same loss and are out of the same bags
            sums[test] += fits.losses[first + inner]
            times[test] += 1
        copies = sample[times[sample] > 0]
        error = float((sums[copies] / times[copies]).mean())
        return Error632Plus(float(fits.losses[first].mean()), error, gamma)


def _draw_stage(design: TwoStageDesign, rows: RowsToDraw, seed: int, stage: int) -> _Stage:
    sample, n_drawn_again = _draw_sample(rows, seed, stage)
    resamples = []
    for inner in range(1, design.n_inner + 1):
        resample, n_again = _draw_resample(
            rows, sample, make_random_stream(seed, _INNER, stage, inner)
        )
        resamples.append(resample)
        n_drawn_again += n_again
    return _Stage(sample, tuple(resamples), n_drawn_again)


_draw_stage_once = lru_cache(maxsize=256)(_draw_stage)


def _draw_sample(rows: RowsToDraw, seed: int, stage: int) -> tuple[IntArray, int]:
    """Return the (n,) rows of a stage's sample, ascending, and the draws that were not usable.

    At least two rows differ, so that a resample can leave one out; three do if there are classes,
    so that it can leave one out and still have two classes.
    """
    if stage == 0:
        return np.arange(rows.n, dtype=np.intp), 0
    rng = make_random_stream(seed, "outer resamples", stage)
    n_different = 3 if rows.codes else 2

    def draw() -> IntArray:
        while True:
            sample = np.sort(rng.integers(rows.n, size=rows.n))
            if np.count_nonzero(np.diff(sample)) + 1 >= n_different:
                return np.asarray(sample, dtype=np.intp)

    return rows.draw(draw, lambda sample: rows.count_classes(sample) > 1)


def _draw_resample(
    rows: RowsToDraw, sample: IntArray, rng: np.random.Generator
) -> tuple[tuple[IntArray, IntArray], int]:
    """Return the rows in and out of a resample, ascending, and the draws that were not usable."""

    def draw() -> tuple[IntArray, IntArray]:
        while True:
            train = np.sort(sample[rng.integers(rows.n, size=rows.n)])
            is_inside = np.zeros(rows.n, dtype=np.bool_)
            is_inside[train] = True
            test = sample[~is_inside[sample]]
            if len(test):
                return train, test

    return rows.draw(draw, lambda resample: rows.count_classes(resample[0]) > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoStageBootstrap(BuildsInterval):
    """Percentiles of the .632+ estimates of resamples of the data.

    Err* is the .632+ estimate of a resample, computed from resamples of it. The estimate is the
    .632+ error of the data, from as many resamples.

    Parameters
    ----------
    n_outer, n_inner : int
        Number of resamples of the data, and of resamples of each of those.

    Deviations: an instance is out of an inner bag only if none of its copies is in it; some
    packages treat the copies one by one, and so test on rows that were in the training part.

    Degenerate cases: if the estimates do not vary, no interval is built.
    """

    n_outer: int = 200
    n_inner: int = 10

    info: ClassVar[MethodInfo] = describe_refit(
        title="Two-stage bootstrap interval",
        summary=(
            "Percentiles of the .632+ estimates of bootstrap resamples, each computed from "
            "resamples of the resample."
        ),
        formula=(
            r"\bigl[q_{\alpha/2}(\widehat{Err}^{*}),\; q_{1-\alpha/2}(\widehat{Err}^{*})\bigr]"
        ),
        references=("noma2021", "schulz2024"),
        assumptions="Resamples relate to the data as the data relate to the population.",
        errs=(
            "In the largest published comparison it covered in about half of the cases: errors "
            "are too small if copies of training instances are tested. Without such copies, as "
            "here, it covered nearly as often as its level in samples of 50 rows."
        ),
        never_recommended=True,
    )
    reason_against_pairs: ClassVar[str | None] = NOT_OF_PAIRS

    def __post_init__(self) -> None:
        check_count("n_outer", self.n_outer, 10)
        check_count("n_inner", self.n_inner, 1)

    @property
    def design(self) -> TwoStageDesign:
        """Resamples of the rows, and resamples of those."""
        return TwoStageDesign(self.n_outer, self.n_inner)

    def interval(
        self, fits: RefitLosses, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None if the estimates do not vary."""
        data_estimate, *resample_estimates = self.design.estimates(fits)
        n_drawn = self.n_outer + (self.n_outer + 1) * self.n_inner
        return build_percentile_interval(
            self.info,
            data_estimate.estimate,
            np.array([plus.estimate for plus in resample_estimates]),
            0.0,
            level,
            alternative,
            (
                COVERAGE_DISAGREES(),
                *data_estimate.cautions,
                *caution_about_repeated_draws(self.design.count_drawn_again(fits), n_drawn),
            ),
        )

"""The studies that measure how often intervals cover, on samples of the data.

The data are taken as a population. Many samples are drawn from it, and the whole cross-validation
runs on each. The intervals are compared with the truth, which is computed from the rows that were
not drawn. If blocks are sources, a second study draws whole sources, because only then are sources
left that can stand for a new one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from thetahat.analyses.calibration.result import NewSourceCalibration
from thetahat.analyses.cross_validation.evaluation import OutcomesTask
from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.dataset_population import DataAsPopulation
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.record_names import SOURCES
from thetahat.analyses.studies.truths import NEW_FITTED, ONE_NEW, PREDICTED
from thetahat.analyses.studies.whole_sources import WholeSources, measure_coverage
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.generators import DrawSize
from thetahat.intervals import is_prediction
from thetahat.intervals.base import Interval
from thetahat.learners.base import Learner
from thetahat.refit_estimators import RequestedRefit
from thetahat.seeds import make_random_stream
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.coverage import MeasuredCoverage
from thetahat.values.types import BlockKind, FloatArray, Label
from thetahat.values.words import Words

CALIBRATION: Final = "calibration"
"""The estimator of the study that draws rows, and the field of a request that asks for it."""
WHOLE_SOURCES: Final = "whole_sources"
"""The estimator of the study that draws whole sources."""
FEWEST_SOURCES: Final = 4
"""Smallest number of drawn sources, and of sources left; fewer tell little about a variance."""


@dataclass(frozen=True)
class CalibrationStudies:
    """The studies of a calibration, with the scheme, learners and methods of the evaluation."""

    task: OutcomesTask
    """The evaluation whose intervals are calibrated."""
    learners: Mapping[str, Learner]
    """Its learners."""
    refits: tuple[RequestedRefit, ...]
    """Its methods that fit the learners again."""
    share: float
    """Share of the rows, or of the rows of each source, in a sample."""
    source_words: Words
    """The words for a source; a block of the scheme may be a group of sources."""

    @cached_property
    def row_study(self) -> GeneralStudy:
        """The study that draws rows; if blocks are sources, it draws rows of every source."""
        data, share = self.task.data, self.share
        if self._has_source_blocks and data.source is not None:
            size = _compute_size_by_source(data.source, share)
        else:
            size = DrawSize(n=int(share * data.n))
        return GeneralStudy(
            population=DataAsPopulation(data=data),
            size=size,
            estimators=[self._estimator],
            seed=self._seed,
            same_sources=None,
        )

    @cached_property
    def source_study(self) -> WholeSourcesStudy | None:
        """The study that draws whole sources; None if blocks are not sources."""
        if not self._has_source_blocks:
            return None
        data, share = self.task.data, self.share
        n_sources = len(np.unique(np.asarray(data.source)))
        n_drawn = max(FEWEST_SOURCES, int(share * n_sources))
        n_drawn = max(1, min(n_drawn, n_sources - FEWEST_SOURCES))
        estimator = replace(
            self._estimator, key=WHOLE_SOURCES, refits=(), truths=(NEW_FITTED, ONE_NEW)
        )
        study = GeneralStudy(
            population=WholeSources(data=data),
            size=DrawSize(n_sources=n_drawn, per_source=1),
            estimators=[estimator],
            seed=int(make_random_stream(self._seed, WHOLE_SOURCES).integers(2**53)),
            same_sources=1,
        )
        return WholeSourcesStudy(study, n_drawn, n_sources, self.source_words.noun)

    @property
    def _has_source_blocks(self) -> bool:
        task = self.task
        return task.scheme.block_kind is BlockKind.SOURCE and task.data.source is not None

    @cached_property
    def _seed(self) -> int:
        return int(make_random_stream(self.task.seed, CALIBRATION).integers(2**53))

    @property
    def _estimator(self) -> StudyEstimator:
        return StudyEstimator(
            key=CALIBRATION,
            choices=replace(self.task.choices, tests=(), gate=None),
            scheme=self.task.scheme,
            learners=self.learners,
            loss=self.task.loss,
            refits=self.refits,
        )

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Return the records of a range of repetitions of both studies."""
        records = self.row_study.run(start, stop)
        if self.source_study is None:
            return records
        return records | self.source_study.run(start, stop)


def _compute_size_by_source(source: Sequence[Label] | np.ndarray, share: float) -> DrawSize:
    """Return the size of a draw that takes the same number of rows from every source."""
    counts = np.unique(np.asarray(source), return_counts=True)[1]
    per_source = int(share * counts.min())
    if per_source < 2:
        raise InvalidParameter(
            f"The smallest source has {counts.min()} rows, and the calibration would draw a share "
            f"of {share:g} of them, which is fewer than two. Use a larger share.",
            loc=(CALIBRATION,),
            value=int(counts.min()),
        )
    return DrawSize(n_sources=len(counts), per_source=per_source)


@dataclass(frozen=True, slots=True, eq=False)
class WholeSourcesStudy:
    """The study that draws whole sources, which measures intervals for a new source."""

    study: GeneralStudy
    """Draws the sources and runs the cross-validation on each draw."""
    n_drawn: int
    n_sources: int
    """Number of sources in a draw, and in the data."""
    noun: BlockNoun
    """The word for a source in sentences."""

    @property
    def has_enough_sources(self) -> bool:
        """Whether there are enough sources to draw, and enough others to compute the truth from."""
        return self.n_sources >= 2 * FEWEST_SOURCES

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Return the records of a range of repetitions; none if there are too few sources."""
        if not self.has_enough_sources:
            return {}
        records = self.study.run(start, stop)
        return {name: values for name, values in records.items() if name != SOURCES}

    def find_reason_against(self, records: Records) -> str | None:
        """Return why intervals for a new source cannot be calibrated, or None."""
        if not self.has_enough_sources:
            units = self.noun.plural
            return (
                f"there are {self.n_sources} {units}, and {2 * FEWEST_SOURCES} are needed: "
                f"{FEWEST_SOURCES} to draw, and {FEWEST_SOURCES} others to compute the truth from"
            )
        try:
            self.study.finish(records)
        except EvaluationError as error:
            return error.message
        return None

    def measure(
        self, records: Records, subject: str, interval: Interval
    ) -> MeasuredCoverage | None:
        """Return how often an interval covered a new source; None if it has another target."""
        target = PREDICTED if is_prediction(interval.method) else interval.target.value
        key = (build_study_label(interval), target, interval.mean.value)
        share = self.n_drawn / self.n_sources
        return measure_coverage(records, (WHOLE_SOURCES, subject), key, share)

    def summarise(self) -> NewSourceCalibration:
        """Return what the samples are, and in which direction the coverage errs."""
        units = self.noun.plural
        return NewSourceCalibration(
            drawn=self.n_drawn,
            sources=self.n_sources,
            truth_from=self.study.population.truth_from,
            note=(
                f"Each sample has all rows of {self.n_drawn} of the {self.n_sources} {units}. "
                f"coverage is about the mean of all {units} that might exist: the errors about the "
                f"mean of these {units} are enlarged accordingly, which assumes that {units} are "
                f"exchangeable. covers.new_source, about the mean of these {units}, is too high. "
                f"covers.fold_models_on_new_sources, about the {units} that were not drawn, is too "
                f"low. The standard errors do not allow for the small number of {units}."
            ),
        )


def build_study_label(interval: Interval) -> str:
    """Return the name of an interval in the records of a study."""
    variance = interval.variance
    return interval.method if variance is None else f"{interval.method}:{variance}"

"""How often the intervals of a cross-validation cover, measured on samples of its own data.

The data are taken as a population. Many samples are drawn from it, and the whole cross-validation
runs on each. The intervals are compared with the truth, which is computed from the rows that were
not drawn. If blocks are sources, a second study draws whole sources, because only then are sources
left that can stand for a new one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeVar
from uuid import UUID

import numpy as np

from thetahat.analyses.losses.result import (
    AnyComparison,
    BriefComparison,
    BriefInterval,
    Comparison,
    EvaluationResult,
    ModelResult,
)
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.dataset_population import DataAsPopulation
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.record_names import SOURCES, make_pair_name
from thetahat.analyses.studies.result import TableCell, TableRow
from thetahat.analyses.studies.truths import NEW_FITTED, ONE_NEW, PREDICTED
from thetahat.analyses.studies.whole_sources import WholeSources, measure_coverage
from thetahat.cautions import NEW_SOURCE_NOT_CALIBRATED, NOT_CALIBRATED
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.generators import DrawSize
from thetahat.intervals import is_prediction
from thetahat.intervals.base import Interval
from thetahat.seeds import make_random_stream
from thetahat.values.block_nouns import BlockNoun, read_noun
from thetahat.values.coverage import IntervalCalibration, MeasuredCoverage
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.values.types import BlockKind, FloatArray, Label, Target
from thetahat.values.words import Words, choose_words
from thetahat_service.json_types import Payload
from thetahat_service.kinds.base import Arrays, Chunk, DatasetFile, read_payload
from thetahat_service.kinds.cross_validation.plan import CrossValidationPlan
from thetahat_service.kinds.cross_validation.request import CalibrationInput, CrossValidationRequest
from thetahat_service.kinds.cross_validation.result import CalibrationSummary, NewSourceCalibration
from thetahat_service.kinds.study.records import (
    RecordedRepetitions,
    RepetitionRange,
    merge_records,
    pack_records,
    unpack_records,
)
from thetahat_service.outcomes.failure_arrays import encode_failure, read_failure

CALIBRATION: Final = "calibration"
"""Name of the calibration in the progress, and the estimator of the study that draws rows."""
WHOLE_SOURCES: Final = "whole_sources"
"""The estimator of the study that draws whole sources."""
FEWEST_ROWS: Final = 20
"""Smallest number of rows in a sample; with fewer, its intervals say little about the data's."""
FEWEST_SOURCES: Final = 4
"""Smallest number of drawn sources, and of sources left; fewer tell little about a variance."""
MOST_CHUNKS: Final = 40
FEWEST_REPETITIONS: Final = 5
"""Smallest number of repetitions in a chunk."""

AnyInterval = TypeVar("AnyInterval", Interval, BriefInterval)


def check_calibration(
    request: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile]
) -> None:
    """Refuse samples of too few rows, and a learner with the name of the calibration."""
    settings = request.build_calibration_settings()
    if settings is None:
        return
    inline = 0 if request.data is None else len(request.data.y)
    n_rows = inline if request.dataset is None else datasets[request.dataset].rows
    if CALIBRATION in request.learners:
        raise InvalidParameter(
            f"The learner name {CALIBRATION!r} is reserved, because the progress uses it for the "
            "calibration. Give the learner another name.",
            loc=("learners", CALIBRATION),
        )
    if settings.share * n_rows < FEWEST_ROWS:
        raise InvalidParameter(
            f"The calibration would draw samples of {settings.share:g} x {n_rows} rows, which is "
            f"fewer than {FEWEST_ROWS}. Use a larger share, or leave the calibration out.",
            loc=(CALIBRATION,),
            value=n_rows,
        )


def cut_calibration(plan: CrossValidationPlan) -> list[Chunk]:
    """Return the chunks of the calibration; each runs a range of the repetitions."""
    settings = plan.request.build_calibration_settings()
    if settings is None:
        return []
    n_chunks = min(MOST_CHUNKS, settings.repetitions // FEWEST_REPETITIONS)
    edges = [settings.repetitions * i // n_chunks for i in range(n_chunks + 1)]
    per_sample = plan.n_splits * len(plan.learners)
    return [
        Chunk(
            asdict(RepetitionRange(start, stop)),
            size=(stop - start) * per_sample,
            part=CALIBRATION,
        )
        for start, stop in pairwise(edges)
    ]


def run_calibration(plan: CrossValidationPlan, payload: Payload) -> Arrays:
    """Run the repetitions of a chunk; if one raises, only the calibration fails."""
    part = read_payload(RepetitionRange, payload)
    try:
        records = _CalibrationStudies(plan).run(part.start, part.stop)
    except EvaluationError as error:
        return encode_failure(error.code, error.message, (CALIBRATION,))
    return pack_records(RecordedRepetitions(np.arange(part.start, part.stop), records))


def add_calibration(
    evaluation: EvaluationResult,
    plan: CrossValidationPlan,
    outputs: Sequence[Mapping[str, np.ndarray]],
) -> tuple[EvaluationResult, CalibrationSummary | None]:
    """Add the measured coverage to the intervals of an evaluation, and summarise the measurement.

    The summary is None if the request asks for no calibration, or if the calibration failed; a
    failure adds a caution to the evaluation.

    Parameters
    ----------
    outputs : sequence of mapping
        The arrays of all chunks of the calibration.
    """
    if plan.request.build_calibration_settings() is None or not outputs:
        return evaluation, None
    studies = _CalibrationStudies(plan)
    for arrays in outputs:
        failure = read_failure(arrays, CALIBRATION)
        if failure is not None:
            return _add_failure(evaluation, failure["message"]), None
    merged = merge_records(unpack_records(arrays) for arrays in outputs)
    try:
        coverage = studies.finish(merged.records)
    except EvaluationError as error:
        return _add_failure(evaluation, error.message), None
    return coverage.add_to(evaluation), coverage.summarise(len(merged.index))


def _add_failure(evaluation: EvaluationResult, reason: str) -> EvaluationResult:
    caution = NOT_CALIBRATED(reason=reason)
    return replace(evaluation, cautions=(*evaluation.cautions, caution))


@dataclass(frozen=True)
class _CalibrationStudies:
    """The studies of a calibration, which use the scheme, learners and methods of the request."""

    plan: CrossValidationPlan

    @property
    def settings(self) -> CalibrationInput:
        """How many samples are drawn, and how large."""
        settings = self.plan.request.build_calibration_settings()
        assert settings is not None  # noqa: S101 - the callers have checked that there are any
        return settings

    @cached_property
    def row_study(self) -> GeneralStudy:
        """The study that draws rows; if blocks are sources, it draws rows of every source."""
        data, share = self.plan.data, self.settings.share
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
        data, share = self.plan.data, self.settings.share
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
        return WholeSourcesStudy(study, n_drawn, n_sources, self.words.noun)

    @property
    def words(self) -> Words:
        """The words for a source; a block of the scheme may be a group of sources."""
        request = self.plan.request
        return choose_words(BlockKind.SOURCE, read_noun(request.unit, request.unit_plural))

    @property
    def _has_source_blocks(self) -> bool:
        return self.plan.scheme.block_kind is BlockKind.SOURCE and self.plan.data.source is not None

    @cached_property
    def _seed(self) -> int:
        return int(make_random_stream(self.plan.job.seed, CALIBRATION).integers(2**53))

    @property
    def _estimator(self) -> StudyEstimator:
        return StudyEstimator(
            key=CALIBRATION,
            choices=replace(self.plan.request.choices, tests=()),
            scheme=self.plan.scheme,
            learners=self.plan.learners,
            loss=self.plan.loss,
            refits=self.plan.refits.methods,
        )

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Return the records of a range of repetitions of both studies."""
        records = self.row_study.run(start, stop)
        if self.source_study is None:
            return records
        return records | self.source_study.run(start, stop)

    def finish(self, records: Records) -> _IntervalCoverage:
        """Compute the coverage of the intervals from the records of all repetitions."""
        findings = self.row_study.finish(_select_records(records, CALIBRATION))
        source_records = _select_records(records, WHOLE_SOURCES)
        reason = None
        if self.source_study is not None:
            reason = self.source_study.find_reason_against(source_records)
        return _IntervalCoverage(self, findings, source_records, reason)


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
    """The study that draws whole sources, which measures intervals for a new source.

    Parameters
    ----------
    study : GeneralStudy
        Draws the sources and runs the cross-validation on each draw.
    n_drawn, n_sources : int
        Number of sources in a draw, and in the data.
    noun : BlockNoun
        The word for a source in sentences.
    """

    study: GeneralStudy
    n_drawn: int
    n_sources: int
    noun: BlockNoun

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
        self, records: Records, subject: str, interval: Interval | BriefInterval
    ) -> MeasuredCoverage | None:
        """Return how often an interval covered a new source; None if it has another target."""
        target = PREDICTED if is_prediction(interval.method) else interval.target.value
        key = (_build_study_label(interval), target, interval.mean.value)
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


@dataclass(frozen=True)
class _IntervalCoverage:
    """The measured coverage of the intervals of a result.

    Parameters
    ----------
    studies : _CalibrationStudies
        The studies that measured it.
    findings : StudyFindings
        The tables of the study that draws rows.
    source_records : mapping
        The records of the study that draws whole sources.
    source_reason : str or None
        Why intervals for a new source have no coverage.
    """

    studies: _CalibrationStudies
    findings: StudyFindings
    source_records: Records
    source_reason: str | None

    @cached_property
    def _table(self) -> Mapping[tuple[TableCell, ...], TableRow]:
        """The rows of the table of intervals by model or pair, interval, target and mean."""
        return {
            (row["subject"], row["interval"], row["target"], row["mean"]): row
            for table in self.findings.tables
            if table.name == "intervals"
            for row in table.rows
        }

    def add_to(self, evaluation: EvaluationResult) -> EvaluationResult:
        """Return the evaluation with the coverage of every interval of a model.

        Of a comparison, only the interval of the verdict and the recommended intervals get it.
        """
        models = {
            name: self._add_to_model(name, model) for name, model in evaluation.models.items()
        }
        comparisons = [self._add_to_comparison(pair) for pair in evaluation.comparisons]
        in_full = tuple(pair for pair in comparisons if isinstance(pair, Comparison))
        in_brief = tuple(pair for pair in comparisons if isinstance(pair, BriefComparison))
        return replace(evaluation, models=models, comparisons=in_brief or in_full)

    def _add_to_model(self, name: str, model: ModelResult) -> ModelResult:
        intervals, prediction = model.intervals, model.prediction
        return replace(
            model,
            recommended=self._add_to_each(name, model.recommended),
            prediction=None if prediction is None else self._add_to_interval(name, prediction),
            intervals=intervals
            and tuple(self._add_to_interval(name, interval) for interval in intervals),
        )

    def _add_to_comparison(self, pair: AnyComparison) -> AnyComparison:
        subject = make_pair_name(pair.a, pair.b)
        if isinstance(pair, BriefComparison):
            brief = pair.interval
            return replace(pair, interval=brief and self._add_to_interval(subject, brief))
        interval = pair.interval
        return replace(
            pair,
            interval=interval and self._add_to_interval(subject, interval),
            recommended=self._add_to_each(subject, pair.recommended),
        )

    def _add_to_each(
        self, subject: str, intervals: Mapping[Target, Interval]
    ) -> dict[Target, Interval]:
        return {
            target: self._add_to_interval(subject, interval)
            for target, interval in intervals.items()
        }

    def _add_to_interval(self, subject: str, interval: AnyInterval) -> AnyInterval:
        """Return the interval with its coverage, which is None if no study has its target."""
        coverage = self._measure_on_rows(subject, interval)
        sources = self.studies.source_study
        if coverage is None and sources is not None:
            coverage = sources.measure(self.source_records, subject, interval)
        return replace(interval, measured=IntervalCalibration(calibration=coverage))

    def _measure_on_rows(
        self, subject: str, interval: Interval | BriefInterval
    ) -> MeasuredCoverage | None:
        key = (subject, _build_study_label(interval), interval.target.value, interval.mean.value)
        row = self._table.get(key, {})
        numbers = {name: cell for name, cell in row.items() if isinstance(cell, MonteCarloNumber)}
        if "coverage" not in numbers:
            return None
        return MeasuredCoverage(
            coverage=numbers["coverage"],
            truth_below=numbers["truth_below"],
            truth_above=numbers["truth_above"],
            width=numbers["width"],
            covers={
                name.removeprefix("covers_"): number
                for name, number in numbers.items()
                if name.startswith("covers_")
            },
        )

    def summarise(self, n_repetitions: int) -> CalibrationSummary:
        """Return how the coverage was measured."""
        study, sources = self.studies.row_study, self.studies.source_study
        cautions = [*self.findings.cautions]
        if self.source_reason is not None:
            cautions.append(
                NEW_SOURCE_NOT_CALIBRATED(self.studies.words, reason=self.source_reason)
            )
        new_source = None
        if sources is not None and self.source_reason is None:
            new_source = sources.summarise()
        return CalibrationSummary(
            repetitions=n_repetitions,
            share=self.studies.settings.share,
            rows=study.size.rows,
            truth_from=study.population.truth_from,
            new_source=new_source,
            cautions=tuple(dict.fromkeys(cautions)),
            note=(
                f"Each sample has {study.size.rows} of the {self.studies.plan.data.n} rows; the "
                "truth is computed from the others. With all rows, learners are a little better "
                "and intervals narrower than in the samples. The samples share rows, which the "
                "standard errors do not allow for."
            ),
        )


def _build_study_label(interval: Interval | BriefInterval) -> str:
    """Return the name of an interval in the records of a study."""
    variance = interval.variance
    return interval.method if variance is None else f"{interval.method}:{variance}"


def _select_records(records: Records, key: str) -> dict[str, FloatArray]:
    """Return the records of one estimator, and those of the sources that were drawn."""
    return {
        name: values
        for name, values in records.items()
        if name.startswith(f"{key}/") or name == SOURCES
    }

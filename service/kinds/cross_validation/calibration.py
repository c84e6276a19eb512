"""How often the intervals of a cross-validation cover, measured on samples of its own data.

The data are taken as a population. Many samples of it are drawn, the whole cross-validation is
done on each, and its intervals are compared with the truth, which is computed from the rows that
were not drawn. Where the blocks are sources a second study draws whole sources: only there is a
source left over that can be the new one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

import numpy as np

from service.jobs.parts import failed_arrays, read_failure
from service.kinds.base import Arrays, Chunk, DatasetFile
from service.kinds.cross_validation.plan import CrossValidationPlan
from service.kinds.cross_validation.request import CalibrationInput, CrossValidationRequest
from service.kinds.study.records import (
    RecordedRepetitions,
    merge_records,
    pack_records,
    unpack_records,
)
from thetahat.analyses.losses.result import BriefInterval, EvaluationResult
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.dataset_population import DataAsPopulation
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.record_names import SOURCES, pair_name
from thetahat.analyses.studies.truths import NEW_FITTED, ONE_NEW, PREDICTED
from thetahat.analyses.studies.whole_sources import WholeSources, measure_coverage
from thetahat.cautions import NEW_SOURCE_NOT_CALIBRATED, NOT_CALIBRATED
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.generators import DrawSize
from thetahat.intervals import is_prediction
from thetahat.intervals.base import Interval
from thetahat.seeds import stream
from thetahat.values.json_values import to_json
from thetahat.values.types import BlockKind, FloatArray

CALIBRATION: Final = "calibration"
"""The part of the progress, which fails alone, and the key of the result."""
WHOLE_SOURCES: Final = "whole_sources"
"""The estimator of the second study, which tells its records from those of the first."""
FEWEST_ROWS: Final = 20
"""Rows in a sample: with fewer, its intervals say little about those of the data."""
FEWEST_SOURCES: Final = 4
"""Sources in a sample, and sources left over: fewer say next to nothing about a variance."""
MOST_CHUNKS: Final = 40
FEWEST_REPETITIONS: Final = 5
"""Repetitions in a chunk."""

AnyInterval = Interval | BriefInterval


def check_calibration(
    request: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile]
) -> None:
    """Refuse samples of too few rows, and a learner with the name of the calibration."""
    settings = request.calibration_settings()
    if settings is None:
        return
    inline = 0 if request.data is None else len(request.data.y)
    n_rows = inline if request.dataset is None else datasets[request.dataset].rows
    if CALIBRATION in request.learners:
        raise InvalidParameter(
            f"a learner is called {CALIBRATION!r}, which is what the calibration is called in the "
            "progress; give it another name",
            loc=("learners", CALIBRATION),
        )
    if settings.share * n_rows < FEWEST_ROWS:
        raise InvalidParameter(
            f"a share of {settings.share:g} of {n_rows} rows is fewer than {FEWEST_ROWS}: too few "
            "to say how intervals do on these data",
            loc=(CALIBRATION,),
            value=n_rows,
        )


def cut_calibration(plan: CrossValidationPlan) -> list[Chunk]:
    """Return the chunks of the calibration, each with some of the repetitions."""
    settings = plan.request.calibration_settings()
    if settings is None:
        return []
    n_chunks = min(MOST_CHUNKS, settings.repetitions // FEWEST_REPETITIONS)
    edges = [settings.repetitions * i // n_chunks for i in range(n_chunks + 1)]
    per_sample = plan.n_splits * len(plan.learners)
    return [
        Chunk(
            {CALIBRATION: True, "start": start, "stop": stop},
            size=(stop - start) * per_sample,
            part=CALIBRATION,
        )
        for start, stop in pairwise(edges)
    ]


def run_calibration(plan: CrossValidationPlan, payload: Mapping[str, Any]) -> Arrays:
    """Do the repetitions of a chunk; an error is a failure of the calibration alone."""
    start, stop = payload["start"], payload["stop"]
    try:
        records = _CalibrationStudies(plan).run(start, stop)
    except EvaluationError as error:
        return failed_arrays(error.code, error.message, (CALIBRATION,))
    return pack_records(RecordedRepetitions(np.arange(start, stop), records))


def add_calibration(
    evaluation: EvaluationResult,
    plan: CrossValidationPlan,
    outputs: Sequence[Mapping[str, np.ndarray]],
) -> tuple[EvaluationResult, dict[str, Any] | None]:
    """Return the evaluation with the coverage of its intervals, and how it was measured.

    The latter is None where nothing is calibrated. A calibration that failed leaves a caution.

    Parameters
    ----------
    outputs : sequence of mapping
        The arrays of all chunks of the calibration.
    """
    if plan.request.calibration_settings() is None or not outputs:
        return evaluation, None
    studies = _CalibrationStudies(plan)
    for one in outputs:
        failure = read_failure(one, CALIBRATION)
        if failure is not None:
            return _note_failure(evaluation, failure["message"]), None
    whole = merge_records(unpack_records(one) for one in outputs)
    try:
        coverage = studies.finish(whole.records)
    except EvaluationError as error:
        return _note_failure(evaluation, error.message), None
    return coverage.add_to(evaluation), coverage.describe(len(whole.index))


def _note_failure(evaluation: EvaluationResult, reason: str) -> EvaluationResult:
    caution = NOT_CALIBRATED(reason=reason)
    return replace(evaluation, cautions=(*evaluation.cautions, caution))


@dataclass(frozen=True)
class _CalibrationStudies:
    """The studies of a calibration, with the request's scheme, learners and methods."""

    plan: CrossValidationPlan

    @property
    def settings(self) -> CalibrationInput:
        """How many samples are drawn, and how large."""
        settings = self.plan.request.calibration_settings()
        assert settings is not None  # noqa: S101 - the callers have checked it
        return settings

    @cached_property
    def of_rows(self) -> GeneralStudy:
        """The study that draws rows; of every source, where blocks are sources."""
        data, share = self.plan.data, self.settings.share
        by_source = self._has_source_blocks
        size = _size_by_source(data.source, share) if by_source else DrawSize(n=int(share * data.n))
        return GeneralStudy(
            population=DataAsPopulation(data=data),
            size=size,
            estimators=[self._estimator],
            seed=self._seed,
            same_sources=None,
        )

    @cached_property
    def of_sources(self) -> WholeSourcesStudy | None:
        """The study that draws whole sources; None where blocks are not sources."""
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
            seed=int(stream(self._seed, WHOLE_SOURCES).integers(2**53)),
            same_sources=1,
        )
        return WholeSourcesStudy(study, n_drawn, n_sources)

    @property
    def _has_source_blocks(self) -> bool:
        return self.plan.scheme.block_kind is BlockKind.SOURCE and self.plan.data.source is not None

    @cached_property
    def _seed(self) -> int:
        return int(stream(self.plan.job.seed, CALIBRATION).integers(2**53))

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
        """Return the records of some repetitions of both studies."""
        records = self.of_rows.run(start, stop)
        return records if self.of_sources is None else records | self.of_sources.run(start, stop)

    def finish(self, records: Records) -> _IntervalCoverage:
        """Return the coverage of the intervals, from the records of all repetitions."""
        findings = self.of_rows.finish(_select_records(records, CALIBRATION))
        reason = None
        if self.of_sources is not None:
            reason = self.of_sources.reason_against(_select_records(records, WHOLE_SOURCES))
        return _IntervalCoverage(self, findings, _select_records(records, WHOLE_SOURCES), reason)


def _size_by_source(source: Any, share: float) -> DrawSize:
    """Return a share of the smallest source's rows, to be drawn from every source."""
    counts = np.unique(np.asarray(source), return_counts=True)[1]
    per_source = int(share * counts.min())
    if per_source < 2:
        raise InvalidParameter(
            f"a share of {share:g} of the smallest source, which has {counts.min()} rows, is fewer "
            "than two",
            loc=(CALIBRATION,),
            value=int(counts.min()),
        )
    return DrawSize(n_sources=len(counts), per_source=per_source)


@dataclass(frozen=True, slots=True, eq=False)
class WholeSourcesStudy:
    """The study of whole sources.

    Parameters
    ----------
    study : GeneralStudy
        Draws whole sources.
    n_drawn, n_sources : int
        Number of sources that are drawn, and of all.
    """

    study: GeneralStudy
    n_drawn: int
    n_sources: int

    @property
    def has_enough_sources(self) -> bool:
        """Whether there are sources to draw, and as many to compute the truth from."""
        return self.n_sources >= 2 * FEWEST_SOURCES

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Return the records of some repetitions; none where there are too few sources."""
        if not self.has_enough_sources:
            return {}
        records = self.study.run(start, stop)
        return {name: values for name, values in records.items() if name != SOURCES}

    def reason_against(self, records: Records) -> str | None:
        """Return why intervals for a new source are not calibrated; None where they are."""
        if not self.has_enough_sources:
            return (
                f"nothing is told of new sources: of {self.n_sources} there are not "
                f"{FEWEST_SOURCES} to draw and {FEWEST_SOURCES} others to judge on"
            )
        try:
            self.study.finish(records)
        except EvaluationError as error:
            return error.message
        return None

    def coverage(
        self, records: Records, subject: str, interval: AnyInterval
    ) -> dict[str, Any] | None:
        """Return how often an interval covered a new source; None for another target."""
        target = PREDICTED if is_prediction(interval.method) else interval.target.value
        key = (_study_label(interval), target, interval.mean.value)
        share = self.n_drawn / self.n_sources
        coverage = measure_coverage(records, (WHOLE_SOURCES, subject), key, share)
        return None if coverage is None else dict(coverage)

    def describe(self) -> dict[str, Any]:
        """Return what the samples are, and which way the coverage errs."""
        return {
            "drawn": self.n_drawn,
            "sources": self.n_sources,
            "truth_from": self.study.population.truth_from,
            "note": (
                f"Each sample has all rows of {self.n_drawn} of the {self.n_sources} sources. The "
                "error about the mean of all sources at hand is spread to what it would be about "
                "that of all there might be, which takes sources for exchangeable; "
                "covers.new_source, about those at hand, is too high, and "
                "covers.fold_models_on_new_sources, about those left over, too low. The standard "
                "errors do not know that the sources are few."
            ),
        }


@dataclass(frozen=True)
class _IntervalCoverage:
    """The coverage of the intervals of a result.

    Parameters
    ----------
    studies : _CalibrationStudies
        The studies that measured it.
    findings : StudyFindings
        Those of the study that draws rows.
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
    def _rows(self) -> dict[tuple[Any, ...], Mapping[str, Any]]:
        return {
            (row["subject"], row["interval"], row["target"], row["mean"]): row
            for table in self.findings.tables
            if table.name == "intervals"
            for row in table.rows
        }

    def add_to(self, evaluation: EvaluationResult) -> EvaluationResult:
        """Return the evaluation with the coverage in every interval of a model or a pair.

        Of a pair they are the interval of the verdict and the recommended ones.
        """
        models = {
            name: self._calibrate_fields(name, model, ("recommended", "intervals"))
            for name, model in evaluation.models.items()
        }
        comparisons: Any = tuple(
            self._calibrate_fields(pair_name(pair.a, pair.b), pair, ("interval", "recommended"))
            for pair in evaluation.comparisons
        )
        return replace(evaluation, models=models, comparisons=comparisons)

    def _calibrate_fields(self, subject: str, part: Any, names: Sequence[str]) -> Any:
        """Return a part of the result with the coverage of the intervals in these fields."""
        return replace(
            part, **{name: self._calibrate(subject, getattr(part, name)) for name in names}
        )

    def _calibrate(self, subject: str, intervals: Any) -> Any:
        """Return an interval, or a mapping or tuple of intervals, with its coverage."""
        if isinstance(intervals, Mapping):
            return {key: self._calibrate(subject, one) for key, one in intervals.items()}
        if isinstance(intervals, tuple):
            return tuple(self._calibrate(subject, one) for one in intervals)
        return None if intervals is None else self._calibrate_one(subject, intervals)

    def _calibrate_one(self, subject: str, interval: Any) -> Any:
        """Return an interval with its coverage; None where no study has its target."""
        coverage = self._of_rows(subject, interval)
        sources = self.studies.of_sources
        if coverage is None and sources is not None:
            coverage = sources.coverage(self.source_records, subject, interval)
        return replace(interval, details={**interval.details, CALIBRATION: coverage})

    def _of_rows(self, subject: str, interval: AnyInterval) -> dict[str, Any] | None:
        key = (subject, _study_label(interval), interval.target.value, interval.mean.value)
        row = self._rows.get(key)
        if row is None or row.get("coverage") is None:
            return None
        covers = {
            name.removeprefix("covers_"): value
            for name, value in row.items()
            if name.startswith("covers_") and value is not None
        }
        names = ("coverage", "truth_below", "truth_above", "width")
        return {**{name: row[name] for name in names}, "covers": covers}

    def describe(self, n_repetitions: int) -> dict[str, Any]:
        """Return how the coverage was measured."""
        study, sources = self.studies.of_rows, self.studies.of_sources
        cautions = [*self.findings.cautions]
        if self.source_reason is not None:
            cautions.append(NEW_SOURCE_NOT_CALIBRATED(reason=self.source_reason))
        new_source = None
        if sources is not None and self.source_reason is None:
            new_source = sources.describe()
        return {
            "repetitions": n_repetitions,
            "share": self.studies.settings.share,
            "rows": study.size.rows,
            "truth_from": study.population.truth_from,
            "new_source": new_source,
            "cautions": to_json(tuple(dict.fromkeys(cautions))),
            "note": (
                f"Each sample has {study.size.rows} of the {self.studies.plan.data.n} rows, so "
                "that the truth can be taken on the others: with all rows learners are a little "
                "better, and intervals narrower, than in the samples. Samples share rows, and the "
                "standard errors do not know it."
            ),
        }


def _study_label(interval: AnyInterval) -> str:
    """Return the name of an interval in the records of a study."""
    variance = interval.variance
    return interval.method if variance is None else f"{interval.method}:{variance}"


def _select_records(records: Records, key: str) -> dict[str, FloatArray]:
    """Return the records of one estimator, and those that say which sources were drawn from."""
    return {
        name: values
        for name, values in records.items()
        if name.startswith(f"{key}/") or name == SOURCES
    }

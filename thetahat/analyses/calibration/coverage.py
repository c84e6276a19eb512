"""The measured coverage of the intervals of a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from thetahat.analyses.calibration.result import CalibrationSummary
from thetahat.analyses.calibration.studies import (
    CALIBRATION,
    WHOLE_SOURCES,
    CalibrationStudies,
    build_study_label,
)
from thetahat.analyses.losses.refit_estimates import ModelOrPair
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.record_names import SOURCES, make_pair_name
from thetahat.analyses.studies.recorded_repetitions import RecordedRepetitions
from thetahat.analyses.studies.result import TableCell, TableRow
from thetahat.cautions import NEW_SOURCE_NOT_CALIBRATED, NOT_CALIBRATED, Caution
from thetahat.errors import EvaluationError
from thetahat.intervals.base import Interval
from thetahat.values.coverage import IntervalCalibration, MeasuredCoverage
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class FailedCalibration:
    """A calibration without result, which leaves the intervals as they are."""

    reason: str
    """Why it failed."""

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """The caution that the intervals are not calibrated."""
        return (NOT_CALIBRATED(reason=self.reason),)

    def add_to(self, subject: ModelOrPair, interval: Interval) -> Interval:
        """Return the interval as it is."""
        del subject
        return interval

    def summarise(self) -> None:
        """Return None: nothing was measured."""


def measure_interval_coverage(
    studies: CalibrationStudies, repetitions: RecordedRepetitions
) -> CalibratedIntervals | FailedCalibration:
    """Return the coverage of the intervals from the records of all repetitions."""
    records = repetitions.records
    source_records = _select_records(records, WHOLE_SOURCES)
    try:
        findings = studies.row_study.finish(_select_records(records, CALIBRATION))
    except EvaluationError as error:
        return FailedCalibration(error.message)
    reason = None
    if studies.source_study is not None:
        reason = studies.source_study.find_reason_against(source_records)
    return CalibratedIntervals(studies, findings, source_records, reason, len(repetitions.index))


@dataclass(frozen=True)
class CalibratedIntervals:
    """The measured coverage of the intervals of a result."""

    studies: CalibrationStudies
    """The studies that measured it."""
    findings: StudyFindings
    """The tables of the study that draws rows."""
    source_records: Records
    """The records of the study that draws whole sources."""
    source_reason: str | None
    """Why intervals for a new source have no coverage."""
    n_repetitions: int
    """Number of samples."""

    @cached_property
    def _table(self) -> Mapping[tuple[TableCell, ...], TableRow]:
        """The rows of the table of intervals by model or pair, interval, target and mean."""
        return {
            (row["subject"], row["interval"], row["target"], row["mean"]): row
            for table in self.findings.tables
            if table.name == "intervals"
            for row in table.rows
        }

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """The summary has the cautions about the measured coverage."""
        return ()

    def add_to(self, subject: ModelOrPair, interval: Interval) -> Interval:
        """Return the interval with its coverage, which is None if no study has its target."""
        if isinstance(subject, tuple):
            subject = make_pair_name(*subject)
        coverage = self._measure_on_rows(subject, interval)
        sources = self.studies.source_study
        if coverage is None and sources is not None:
            coverage = sources.measure(self.source_records, subject, interval)
        return replace(interval, measured=IntervalCalibration(calibration=coverage))

    def _measure_on_rows(self, subject: str, interval: Interval) -> MeasuredCoverage | None:
        key = (subject, build_study_label(interval), interval.target.value, interval.mean.value)
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

    def summarise(self) -> CalibrationSummary:
        """Return how the coverage was measured."""
        study, sources = self.studies.row_study, self.studies.source_study
        cautions = [*self.findings.cautions]
        if self.source_reason is not None:
            cautions.append(
                NEW_SOURCE_NOT_CALIBRATED(self.studies.source_words, reason=self.source_reason)
            )
        new_source = None
        if sources is not None and self.source_reason is None:
            new_source = sources.summarise()
        return CalibrationSummary(
            repetitions=self.n_repetitions,
            share=self.studies.share,
            rows=study.size.rows,
            truth_from=study.population.truth_from,
            new_source=new_source,
            cautions=tuple(dict.fromkeys(cautions)),
            note=(
                f"Each sample has {study.size.rows} of the {self.studies.task.data.n} rows; the "
                "truth is computed from the others. With all rows, learners are a little better "
                "and intervals narrower than in the samples. The samples share rows, which the "
                "standard errors do not allow for."
            ),
        )


def _select_records(records: Records, key: str) -> dict[str, FloatArray]:
    """Return the records of one estimator, and those of the sources that were drawn."""
    return {
        name: values
        for name, values in records.items()
        if name.startswith(f"{key}/") or name == SOURCES
    }

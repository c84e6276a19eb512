"""From the records of a general study to its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from thetahat.analyses.studies import record_names
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.general_rows import (
    Row,
    errors_rows,
    estimates_rows,
    intervals_rows,
    selection_rows,
    tests_rows,
    variances_rows,
)
from thetahat.analyses.studies.record_names import group_record_names
from thetahat.analyses.studies.record_reader import RecordReader
from thetahat.analyses.studies.tables import StudyTable
from thetahat.analyses.studies.truths import TITLES
from thetahat.cautions import FEW_REPETITIONS, REPETITIONS_FAILED, THESE_SOURCES_UNKNOWN, Caution
from thetahat.values.types import BlockKind


def tabulate(
    records: Records,
    estimators: Sequence[StudyEstimator],
    refusals: Mapping[str, str],
    truth_from: str,
) -> StudyFindings:
    """Return the tables of a general study.

    Parameters
    ----------
    records : mapping
        Of all repetitions.
    estimators : sequence of Estimator
        For their levels, and the kind of their blocks.
    refusals : mapping of str to str
        By estimator, why it gave nothing where it did not.
    truth_from : str
        What truths are taken from.
    """
    of_sources = {
        one.key
        for one in estimators
        if one.scheme is not None and one.scheme.block_kind is BlockKind.SOURCE
    }
    reading = RecordReader(records, frozenset(of_sources))
    levels = {one.key: one.choices.level for one in estimators}
    alphas = {one.key: one.choices.alpha for one in estimators}
    made = (
        _table("estimates", "Estimates", _ESTIMATES, estimates_rows(reading)),
        _table("errors", "Estimates against the truth", _ERRORS, errors_rows(reading)),
        _table("variances", "Variances of the mean", _VARIANCES, variances_rows(reading)),
        _table("intervals", "Intervals", _INTERVALS, intervals_rows(reading, levels)),
        _table("tests", "Tests", _TESTS, tests_rows(reading, alphas)),
        _table("selection", "What is chosen", _SELECTION, selection_rows(reading)),
    )
    return StudyFindings(
        tables=tuple(table for table in made if table.rows),
        cautions=tuple(_cautions(reading, refusals)),
        details={"truth_from": truth_from, "truths": _told_truths(reading)},
    )


FEW: Final = 100
"""Repetitions below which standard errors are not to be trusted."""
_WHO = {"estimator": "Estimator", "subject": "Model, or a|b for the difference a - b"}
_ESTIMATES = {
    **_WHO,
    "mean": "Which mean",
    "average": "Average",
    "standard_deviation": "Standard deviation",
    "n": "Repetitions",
}
_ERRORS = {
    **_WHO,
    "mean": "Which mean",
    "truth": "Truth",
    "true_value": "Its average",
    "bias": "Bias",
    "mean_squared_error": "Mean squared error",
}
_VARIANCES = {
    **_WHO,
    "variance": "Variance",
    "target": "Target",
    "mean": "Which mean",
    "average": "Average",
    "standard_deviation": "Standard deviation",
    "true_variance": "Variance of the mean about the target's truth",
    "bias": "Bias",
    "ratio": "Average over true variance",
    "root_mean_squared_error": "Root mean squared error",
    "negative": "Share below 0",
    "n": "Repetitions",
}
_INTERVALS = {
    **_WHO,
    "interval": "Interval",
    "target": "Target",
    "mean": "Which mean",
    "level": "Level",
    "coverage": "Covers its own target",
    "truth_below": "Truth below",
    "truth_above": "Truth above",
    "width": "Average width",
    "score": "Interval score: width, and 2/alpha times how far it misses",
    "built": "Share of repetitions with one",
    **{f"covers_{name}": f"Covers {name}" for name in TITLES},
}
_TESTS = {
    **_WHO,
    "test": "Test",
    "alpha": "Level",
    "rejected": "Share rejected",
    "is": "What that share is",
    "true_difference": "True difference, at the training size",
    "n": "Repetitions with a p-value",
}
_SELECTION = {
    **_WHO,
    "share": "Share of repetitions that choose it",
    "internal": "Average internal error",
    "risk": "Average R(f^S)",
    "regret": "R(f^S) of the chosen above the least of all",
}


def _table(name: str, title: str, columns: Mapping[str, str], rows: Iterator[Row]) -> StudyTable:
    found = list(rows)
    used = {key for row in found for key in row}
    kept = {key: text for key, text in columns.items() if key in used}
    return StudyTable(name=name, title=title, columns=kept, rows=found)


def _told_truths(reading: RecordReader) -> dict[str, str]:
    """Return the truths that are known of any subject, in words."""
    found = group_record_names(reading.records, record_names.MEAN)
    known = {name for who in found for name in reading.truths(*who)}
    return {name: text for name, text in TITLES.items() if name in known}


def _cautions(reading: RecordReader, refusals: Mapping[str, str]) -> Iterator[Caution]:
    for estimator, words in refusals.items():
        n = int((reading.at(estimator, record_names.FAILED) > 0).sum())
        yield REPETITIONS_FAILED(estimator=estimator, n_failed=n, n=reading.n, reason=words)
    if reading.n < FEW:
        yield FEW_REPETITIONS(n=reading.n, more="")
    missing = [
        key
        for key in sorted(reading.source_blocks)
        if reading.clusters is None and int(reading.groups.max()) + 1 == reading.n > 1
    ]
    if missing:
        yield THESE_SOURCES_UNKNOWN(estimators=", ".join(missing))

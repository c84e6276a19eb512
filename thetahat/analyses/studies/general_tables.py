"""The tables of a general study: estimates, errors, variances, intervals, tests and selection.

Each number comes with its Monte-Carlo standard error. A function ``*_rows`` yields the rows of a
table; the columns stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from thetahat.analyses.studies import record_names
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.monte_carlo import (
    compute_interval_score,
    divide,
    estimate_deviation,
    estimate_mean,
    estimate_share,
    subtract,
)
from thetahat.analyses.studies.record_names import group_record_names, make_record_name
from thetahat.analyses.studies.record_reader import RecordedTruth, RecordReader
from thetahat.analyses.studies.result import StudyTable, TableCell, make_table
from thetahat.analyses.studies.truths import FITTED, MODEL, OF_TARGET, TITLES, get_truth_for_target
from thetahat.cautions import FEW_REPETITIONS, REPETITIONS_FAILED, THESE_SOURCES_UNKNOWN, Caution
from thetahat.values.monte_carlo_number import UNDEFINED, MonteCarloNumber, make_exact
from thetahat.values.types import BlockKind, FloatArray, Target

FEW_REPETITIONS_BELOW: Final = 100
"""Repetitions below which the standard errors themselves are uncertain."""

Row = dict[str, TableCell]


def tabulate(
    records: Records,
    estimators: Sequence[StudyEstimator],
    failures: Mapping[str, str],
    truth_from: str,
) -> StudyFindings:
    """Return the tables of a general study.

    Parameters
    ----------
    records : mapping
        Of all repetitions.
    estimators : sequence of StudyEstimator
        For their levels and the kind of their blocks.
    failures : mapping of str to str
        By estimator that failed in some repetitions, the first exception's message.
    truth_from : str
        How truths were computed, for readers.
    """
    source_blocks = {
        estimator.key
        for estimator in estimators
        if estimator.scheme is not None and estimator.scheme.block_kind is BlockKind.SOURCE
    }
    reader = RecordReader(records, frozenset(source_blocks))
    levels = {estimator.key: estimator.choices.level for estimator in estimators}
    alphas = {estimator.key: estimator.choices.alpha for estimator in estimators}
    tables = (
        _build_table("estimates", "Estimates", _ESTIMATES, list_estimate_rows(reader)),
        _build_table(
            "errors", "Estimates compared with the truth", _ERRORS, list_error_rows(reader)
        ),
        _build_table("variances", "Variances of the mean", _VARIANCES, list_variance_rows(reader)),
        _build_table("intervals", "Intervals", _INTERVALS, list_interval_rows(reader, levels)),
        _build_table("tests", "Tests", _TESTS, list_test_rows(reader, alphas)),
        _build_table("selection", "Chosen learners", _SELECTION, list_selection_rows(reader)),
    )
    return StudyFindings(
        tables=tuple(table for table in tables if table.rows),
        cautions=tuple(_list_cautions(reader, failures)),
        truth_from=truth_from,
        truths=_describe_truths(reader),
    )


def _build_table(
    name: str, title: str, columns: Mapping[str, str], rows: Iterator[Row]
) -> StudyTable:
    """Return a table with those of the columns that occur in the rows."""
    all_rows = list(rows)
    used = {key for row in all_rows for key in row}
    kept = {key: heading for key, heading in columns.items() if key in used}
    return make_table(name, title, kept, all_rows)


_SUBJECT_COLUMNS: Final = {
    "estimator": "Estimator",
    "subject": "Model, or a|b for the difference a - b",
}
_ESTIMATES: Final = {
    **_SUBJECT_COLUMNS,
    "mean": "Which mean",
    "average": "Average",
    "standard_deviation": "Standard deviation",
    "n": "Repetitions",
}


def list_estimate_rows(reader: RecordReader) -> Iterator[Row]:
    """Yield the average and the standard deviation of each estimate."""
    groups = group_record_names(reader.records, record_names.MEAN)
    for (estimator, subject), names in groups.items():
        for (mean,) in names:
            values = reader.at(estimator, subject, record_names.MEAN, mean)
            yield {
                "estimator": estimator,
                "subject": subject,
                "mean": mean,
                "average": estimate_mean(values, reader.clusters),
                "standard_deviation": estimate_deviation(values),
                "n": int(np.isfinite(values).sum()),
            }


_ERRORS: Final = {
    **_SUBJECT_COLUMNS,
    "mean": "Which mean",
    "truth": "Truth",
    "true_value": "Average of the truth",
    "bias": "Bias",
    "mean_squared_error": "Mean squared error",
}


def list_error_rows(reader: RecordReader) -> Iterator[Row]:
    """Yield the bias and the mean squared error of each estimate about each known truth."""
    groups = group_record_names(reader.records, record_names.MEAN)
    for (estimator, subject), names in groups.items():
        truths = reader.truths(estimator, subject)
        for (mean,) in names:
            values = reader.at(estimator, subject, record_names.MEAN, mean)
            for name, truth in truths.items():
                error = values - truth.values
                yield {
                    "estimator": estimator,
                    "subject": subject,
                    "mean": mean,
                    "truth": name,
                    "true_value": truth.average(reader.clusters),
                    "bias": truth.estimate_bias(values, reader.clusters),
                    "mean_squared_error": estimate_mean(error**2, reader.clusters),
                }


_VARIANCES: Final = {
    **_SUBJECT_COLUMNS,
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


def list_variance_rows(reader: RecordReader) -> Iterator[Row]:
    """Yield each variance estimate beside the variance over repetitions."""
    groups = group_record_names(reader.records, record_names.VARIANCES)
    for (estimator, subject), names in groups.items():
        for method, target, mean in names:
            values = reader.at(estimator, subject, record_names.VARIANCES, method, target, mean)
            known = np.isfinite(values)
            average = estimate_mean(values, reader.clusters)
            true = _compute_true_variance(reader, estimator, subject, target, mean)
            yield {
                "estimator": estimator,
                "subject": subject,
                "variance": method,
                "target": target,
                "mean": mean,
                "average": average,
                "standard_deviation": estimate_deviation(values),
                "true_variance": true,
                "bias": subtract(average, true),
                "ratio": divide(average, true),
                "root_mean_squared_error": _compute_root_mean_squared_error(values, true),
                "negative": estimate_share(values < 0, known, reader.clusters),
                "n": int(known.sum()),
            }


def _compute_true_variance(
    reader: RecordReader, estimator: str, subject: str, target: str, mean: str
) -> MonteCarloNumber:
    truth_name = get_truth_for_target(target)
    truth = reader.truth(estimator, subject, truth_name)
    known = reader.records.get(make_record_name(estimator, subject, record_names.KNOWN, truth_name))
    if known is not None and mean == "macro":
        return make_exact(float(known[0]))
    values = reader.records.get(make_record_name(estimator, subject, record_names.MEAN, mean))
    if truth is None or values is None:
        return UNDEFINED
    return reader.estimate_variance_about(truth, values)


def _compute_root_mean_squared_error(
    values: FloatArray, true: MonteCarloNumber
) -> MonteCarloNumber:
    if true.value is None:
        return UNDEFINED
    square = estimate_mean((values - true.value) ** 2)
    if square.value is None:
        return square
    root = float(np.sqrt(square.value))
    error = square.standard_error
    return MonteCarloNumber(root, error / (2 * root) if error is not None and root else error)


_INTERVALS: Final = {
    **_SUBJECT_COLUMNS,
    "interval": "Interval",
    "target": "Target",
    "mean": "Which mean",
    "level": "Level",
    "coverage": "Coverage of its own target",
    "truth_below": "Truth below the interval",
    "truth_above": "Truth above the interval",
    "width": "Average width",
    "score": "Interval score: width plus 2/alpha times the distance of a missed truth",
    "built": "Share of repetitions with an interval",
    **{f"covers_{name}": f"Coverage of {name.replace('_', ' ')}" for name in TITLES},
}


def list_interval_rows(reader: RecordReader, levels: Mapping[str, float]) -> Iterator[Row]:
    """Yield coverage, width and score of each interval; ``levels`` are by estimator."""
    groups = group_record_names(reader.records, record_names.INTERVALS)
    for (estimator, subject), names in groups.items():
        truths = reader.truths(estimator, subject)
        for method, target, mean, end in names:
            if end != "lower":
                continue
            place = (estimator, subject, record_names.INTERVALS, method, target, mean)
            lower, upper = reader.at(*place, "lower"), reader.at(*place, "upper")
            built, width = ~np.isnan(lower), upper - lower
            own = truths.get(get_truth_for_target(target))
            row: Row = {
                "estimator": estimator,
                "subject": subject,
                "interval": method,
                "target": target,
                "mean": mean,
                "level": levels.get(estimator),
                "width": estimate_mean(np.where(np.isfinite(width), width, np.nan)),
                "built": estimate_share(built, np.ones_like(built), reader.clusters),
            }
            if own is not None:
                judged = built & np.isfinite(own.values)
                below, above = own.values < lower, own.values > upper
                row["coverage"] = _compute_coverage(reader, lower, upper, own)
                row["truth_below"] = estimate_share(below, judged, reader.clusters)
                row["truth_above"] = estimate_share(above, judged, reader.clusters)
                score = compute_interval_score(
                    lower, upper, own.values, levels.get(estimator, 0.95)
                )
                row["score"] = estimate_mean(score, reader.clusters)
            for name, truth in truths.items():
                row[f"covers_{name}"] = _compute_coverage(reader, lower, upper, truth)
            yield row


def _compute_coverage(
    reader: RecordReader, lower: FloatArray, upper: FloatArray, truth: RecordedTruth
) -> MonteCarloNumber:
    judged = ~np.isnan(lower) & np.isfinite(truth.values)
    covers = (lower <= truth.values) & (truth.values <= upper)
    return estimate_share(covers, judged, reader.clusters)


_TESTS: Final = {
    **_SUBJECT_COLUMNS,
    "test": "Test",
    "alpha": "Level",
    "rejected": "Share rejected",
    "is": "Meaning of that share",
    "true_difference": "True difference, at the training size",
    "n": "Repetitions with a p-value",
}


def list_test_rows(reader: RecordReader, alphas: Mapping[str, float]) -> Iterator[Row]:
    """Yield the share of rejections of each test: its size, or its power."""
    groups = group_record_names(reader.records, record_names.TESTS)
    for (estimator, subject), names in groups.items():
        truth = reader.truth(estimator, subject, OF_TARGET[Target.THESE_SOURCES])
        truth = truth or reader.truth(estimator, subject, FITTED)
        for method, _ in names:
            values = reader.at(estimator, subject, record_names.TESTS, method, "p_value")
            known = np.isfinite(values)
            if not known.any():  # Bayesian tests have none
                continue
            alpha = alphas.get(estimator, 0.05)
            row: Row = {
                "estimator": estimator,
                "subject": subject,
                "test": method,
                "alpha": alpha,
                "rejected": estimate_share(values <= alpha, known, reader.clusters),
                "n": int(known.sum()),
            }
            if truth is not None:
                is_null_true = not truth.is_average and not np.any(truth.values)
                row["is"] = "size" if is_null_true else "power"
                row["true_difference"] = truth.average(reader.clusters)
            yield row


_SELECTION: Final = {
    **_SUBJECT_COLUMNS,
    "share": "Share of repetitions in which it is chosen",
    "internal": "Average internal error",
    "risk": "Average R(f^S)",
    "regret": "R(f^S) of the chosen learner minus that of the best",
}


def list_selection_rows(reader: RecordReader) -> Iterator[Row]:
    """Yield a row for each learner that may be chosen, and one for the chosen learner."""
    groups = group_record_names(reader.records, record_names.PICKED)
    for (estimator, selected), names in groups.items():
        for (name,) in names:
            picked = reader.at(estimator, selected, record_names.PICKED, name)
            share = estimate_share(picked > 0, np.isfinite(picked), reader.clusters)
            yield {**_get_internal_error(reader, estimator, name), "share": share}
        regret = reader.records.get(make_record_name(estimator, selected, record_names.REGRET))
        row = _get_internal_error(reader, estimator, selected)
        if regret is not None:
            row["regret"] = estimate_mean(regret, reader.clusters)
        yield row


def _get_internal_error(reader: RecordReader, estimator: str, subject: str) -> Row:
    """Return the internal error of a learner, and its risk if that is known."""
    values = reader.at(estimator, subject, record_names.MEAN, "macro")
    row: Row = {
        "estimator": estimator,
        "subject": subject,
        "internal": estimate_mean(values, reader.clusters),
    }
    truth = reader.truth(estimator, subject, MODEL)
    if truth is not None:
        row["risk"] = truth.average(reader.clusters)
    return row


def _describe_truths(reader: RecordReader) -> dict[str, str]:
    """Return the truths that are known of any subject, in words."""
    subjects = group_record_names(reader.records, record_names.MEAN)
    known = {name for place in subjects for name in reader.truths(*place)}
    return {name: title for name, title in TITLES.items() if name in known}


def _list_cautions(reader: RecordReader, failures: Mapping[str, str]) -> Iterator[Caution]:
    for estimator, message in failures.items():
        n = int((reader.at(estimator, record_names.FAILED) > 0).sum())
        yield REPETITIONS_FAILED(estimator=estimator, n_failed=n, n=reader.n, reason=message)
    if reader.n < FEW_REPETITIONS_BELOW:
        yield FEW_REPETITIONS(n=reader.n, more="")
    missing = [
        key
        for key in sorted(reader.source_blocks)
        if reader.clusters is None and int(reader.groups.max()) + 1 == reader.n > 1
    ]
    if missing:
        yield THESE_SOURCES_UNKNOWN(estimators=", ".join(missing))

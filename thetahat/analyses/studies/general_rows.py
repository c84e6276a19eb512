"""The rows of a general study's tables, each number with its Monte-Carlo standard error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from thetahat.analyses.studies import record_names
from thetahat.analyses.studies.monte_carlo import (
    divide,
    interval_score,
    monte_carlo_deviation,
    monte_carlo_mean,
    monte_carlo_share,
    subtract,
)
from thetahat.analyses.studies.record_names import group_record_names
from thetahat.analyses.studies.record_reader import RecordedTruth, RecordReader
from thetahat.analyses.studies.tables import Cell, MonteCarloNumber
from thetahat.analyses.studies.truths import FITTED, MODEL, OF_TARGET, truth_for_target
from thetahat.values.types import FloatArray, Target

Row = dict[str, Cell]


def estimates_rows(reading: RecordReader) -> Iterator[Row]:
    """Yield the average and the standard deviation of each estimate."""
    for (estimator, subject), found in group_record_names(
        reading.records, record_names.MEAN
    ).items():
        for (mean,) in found:
            values = reading.at(estimator, subject, record_names.MEAN, mean)
            yield {
                "estimator": estimator,
                "subject": subject,
                "mean": mean,
                "average": monte_carlo_mean(values, reading.clusters),
                "standard_deviation": monte_carlo_deviation(values),
                "n": int(np.isfinite(values).sum()),
            }


def errors_rows(reading: RecordReader) -> Iterator[Row]:
    """Yield the bias and the mean squared error of each estimate about each known truth."""
    for (estimator, subject), found in group_record_names(
        reading.records, record_names.MEAN
    ).items():
        truths = reading.truths(estimator, subject)
        for (mean,) in found:
            values = reading.at(estimator, subject, record_names.MEAN, mean)
            for name, truth in truths.items():
                error = values - truth.values
                yield {
                    "estimator": estimator,
                    "subject": subject,
                    "mean": mean,
                    "truth": name,
                    "true_value": truth.average(reading.clusters),
                    "bias": truth.bias_of(values, reading.clusters),
                    "mean_squared_error": monte_carlo_mean(error**2, reading.clusters),
                }


def variances_rows(reading: RecordReader) -> Iterator[Row]:
    """Yield each variance estimate beside the variance over repetitions."""
    for (estimator, subject), found in group_record_names(
        reading.records, record_names.VARIANCES
    ).items():
        for method, target, mean in found:
            values = reading.at(estimator, subject, record_names.VARIANCES, method, target, mean)
            known = np.isfinite(values)
            average = monte_carlo_mean(values, reading.clusters)
            true = _true_variance(reading, estimator, subject, target, mean)
            yield {
                "estimator": estimator,
                "subject": subject,
                "variance": method,
                "target": target,
                "mean": mean,
                "average": average,
                "standard_deviation": monte_carlo_deviation(values),
                "true_variance": true,
                "bias": subtract(average, true),
                "ratio": divide(average, true),
                "root_mean_squared_error": _root_mean_square(values, true),
                "negative": monte_carlo_share(values < 0, known, reading.clusters),
                "n": int(known.sum()),
            }


def _true_variance(
    reading: RecordReader, estimator: str, subject: str, target: str, mean: str
) -> MonteCarloNumber:
    truth = reading.truth(estimator, subject, truth_for_target(target))
    known = reading.records.get(
        record_names.record_name(estimator, subject, record_names.KNOWN, truth_for_target(target))
    )
    if known is not None and mean == "macro":
        return MonteCarloNumber(float(known[0]), 0.0)
    values = reading.records.get(
        record_names.record_name(estimator, subject, record_names.MEAN, mean)
    )
    if truth is None or values is None:
        return MonteCarloNumber(None)
    return reading.variance_about(truth, values)


def _root_mean_square(values: FloatArray, true: MonteCarloNumber) -> MonteCarloNumber:
    square = (
        MonteCarloNumber(None)
        if true.value is None
        else monte_carlo_mean((values - true.value) ** 2)
    )
    if square.value is None:
        return square
    root = float(np.sqrt(square.value))
    error = square.standard_error
    return MonteCarloNumber(root, error / (2 * root) if error is not None and root else error)


def intervals_rows(reading: RecordReader, levels: Mapping[str, float]) -> Iterator[Row]:
    """Yield coverage, width and score of each interval."""
    for (estimator, subject), found in group_record_names(
        reading.records, record_names.INTERVALS
    ).items():
        truths = reading.truths(estimator, subject)
        for method, target, mean, end in found:
            if end != "lower":
                continue
            where = (estimator, subject, record_names.INTERVALS, method, target, mean)
            lower, upper = reading.at(*where, "lower"), reading.at(*where, "upper")
            built = ~np.isnan(lower)
            own = truths.get(truth_for_target(target))
            row: Row = {
                "estimator": estimator,
                "subject": subject,
                "interval": method,
                "target": target,
                "mean": mean,
                "level": levels.get(estimator),
                "width": monte_carlo_mean(
                    np.where(np.isfinite(upper - lower), upper - lower, np.nan)
                ),
                "built": monte_carlo_share(built, np.ones_like(built), reading.clusters),
            }
            if own is not None:
                judged = built & np.isfinite(own.values)
                row["coverage"] = _coverage(reading, lower, upper, own)
                row["truth_below"] = monte_carlo_share(own.values < lower, judged, reading.clusters)
                row["truth_above"] = monte_carlo_share(own.values > upper, judged, reading.clusters)
                score = interval_score(lower, upper, own.values, levels.get(estimator, 0.95))
                row["score"] = monte_carlo_mean(score, reading.clusters)
            for name, truth in truths.items():
                row[f"covers_{name}"] = _coverage(reading, lower, upper, truth)
            yield row


def _coverage(
    reading: RecordReader, lower: FloatArray, upper: FloatArray, truth: RecordedTruth
) -> MonteCarloNumber:
    judged = ~np.isnan(lower) & np.isfinite(truth.values)
    return monte_carlo_share(
        (lower <= truth.values) & (truth.values <= upper), judged, reading.clusters
    )


def tests_rows(reading: RecordReader, alphas: Mapping[str, float]) -> Iterator[Row]:
    """Yield the share of rejections of each test: its size, or its power."""
    for (estimator, subject), found in group_record_names(
        reading.records, record_names.TESTS
    ).items():
        truth = reading.truth(estimator, subject, OF_TARGET[Target.THESE_SOURCES])
        truth = truth or reading.truth(estimator, subject, FITTED)
        for method, _ in found:
            values = reading.at(estimator, subject, record_names.TESTS, method, "p_value")
            known = np.isfinite(values)
            if not known.any():  # Bayesian tests have none
                continue
            alpha = alphas.get(estimator, 0.05)
            row: Row = {
                "estimator": estimator,
                "subject": subject,
                "test": method,
                "alpha": alpha,
                "rejected": monte_carlo_share(values <= alpha, known, reading.clusters),
                "n": int(known.sum()),
            }
            if truth is not None:
                none = not truth.is_average and not np.any(truth.values)
                row["is"] = "size" if none else "power"
                row["true_difference"] = truth.average(reading.clusters)
            yield row


def selection_rows(reading: RecordReader) -> Iterator[Row]:
    """Yield a row for each learner that may be chosen, and one for what is chosen."""
    for (estimator, selected), found in group_record_names(
        reading.records, record_names.PICKED
    ).items():
        for (name,) in found:
            picked = reading.at(estimator, selected, record_names.PICKED, name)
            yield {
                **_errors_of(reading, estimator, name),
                "share": monte_carlo_share(picked > 0, np.isfinite(picked), reading.clusters),
            }
        regret = reading.records.get(
            record_names.record_name(estimator, selected, record_names.REGRET)
        )
        row = _errors_of(reading, estimator, selected)
        if regret is not None:
            row["regret"] = monte_carlo_mean(regret, reading.clusters)
        yield row


def _errors_of(reading: RecordReader, estimator: str, subject: str) -> Row:
    """Return the internal error of a learner, and its risk where that is known."""
    row: Row = {
        "estimator": estimator,
        "subject": subject,
        "internal": monte_carlo_mean(
            reading.at(estimator, subject, record_names.MEAN, "macro"), reading.clusters
        ),
    }
    truth = reading.truth(estimator, subject, MODEL)
    if truth is not None:
        row["risk"] = truth.average(reading.clusters)
    return row

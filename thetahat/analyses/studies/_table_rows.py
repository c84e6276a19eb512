"""The rows of a general study's tables, each number with its Monte-Carlo standard error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from thetahat.analyses.studies import names
from thetahat.analyses.studies.monte_carlo import (
    deviation_of,
    difference_of,
    interval_score,
    mean_of,
    ratio_of,
    share_of,
)
from thetahat.analyses.studies.names import subjects_of
from thetahat.analyses.studies.records import Reading, Truth
from thetahat.analyses.studies.tables import Cell, Number
from thetahat.analyses.studies.truths import FITTED, MODEL, OF_TARGET, truth_of
from thetahat.values.types import FloatArray, Target

Row = dict[str, Cell]


def estimates_rows(reading: Reading) -> Iterator[Row]:
    for (estimator, subject), found in subjects_of(reading.records, names.MEAN).items():
        for (mean,) in found:
            values = reading.at(estimator, subject, names.MEAN, mean)
            yield {
                "estimator": estimator,
                "subject": subject,
                "mean": mean,
                "average": mean_of(values, reading.clusters),
                "standard_deviation": deviation_of(values),
                "n": int(np.isfinite(values).sum()),
            }


def errors_rows(reading: Reading) -> Iterator[Row]:
    for (estimator, subject), found in subjects_of(reading.records, names.MEAN).items():
        truths = reading.truths(estimator, subject)
        for (mean,) in found:
            values = reading.at(estimator, subject, names.MEAN, mean)
            for name, truth in truths.items():
                error = values - truth.values
                yield {
                    "estimator": estimator,
                    "subject": subject,
                    "mean": mean,
                    "truth": name,
                    "true_value": truth.average(reading.clusters),
                    "bias": truth.bias_of(values, reading.clusters),
                    "mean_squared_error": mean_of(error**2, reading.clusters),
                }


def variances_rows(reading: Reading) -> Iterator[Row]:
    for (estimator, subject), found in subjects_of(reading.records, names.VARIANCES).items():
        for method, target, mean in found:
            values = reading.at(estimator, subject, names.VARIANCES, method, target, mean)
            known = np.isfinite(values)
            average = mean_of(values, reading.clusters)
            true = _true_variance(reading, estimator, subject, target, mean)
            yield {
                "estimator": estimator,
                "subject": subject,
                "variance": method,
                "target": target,
                "mean": mean,
                "average": average,
                "standard_deviation": deviation_of(values),
                "true_variance": true,
                "bias": difference_of(average, true),
                "ratio": ratio_of(average, true),
                "root_mean_squared_error": _root_mean_square(values, true),
                "negative": share_of(values < 0, known, reading.clusters),
                "n": int(known.sum()),
            }


def _true_variance(
    reading: Reading, estimator: str, subject: str, target: str, mean: str
) -> Number:
    truth = reading.truth(estimator, subject, truth_of(target))
    known = reading.records.get(names.name_of(estimator, subject, names.KNOWN, truth_of(target)))
    if known is not None and mean == "macro":
        return Number(float(known[0]), 0.0)
    values = reading.records.get(names.name_of(estimator, subject, names.MEAN, mean))
    if truth is None or values is None:
        return Number(None)
    return reading.variance_about(truth, values)


def _root_mean_square(values: FloatArray, true: Number) -> Number:
    square = Number(None) if true.value is None else mean_of((values - true.value) ** 2)
    if square.value is None:
        return square
    root = float(np.sqrt(square.value))
    error = square.standard_error
    return Number(root, error / (2 * root) if error is not None and root else error)


def intervals_rows(reading: Reading, levels: Mapping[str, float]) -> Iterator[Row]:
    for (estimator, subject), found in subjects_of(reading.records, names.INTERVALS).items():
        truths = reading.truths(estimator, subject)
        for method, target, mean, end in found:
            if end != "lower":
                continue
            where = (estimator, subject, names.INTERVALS, method, target, mean)
            lower, upper = reading.at(*where, "lower"), reading.at(*where, "upper")
            built = ~np.isnan(lower)
            own = truths.get(truth_of(target))
            row: Row = {
                "estimator": estimator,
                "subject": subject,
                "interval": method,
                "target": target,
                "mean": mean,
                "level": levels.get(estimator),
                "width": mean_of(np.where(np.isfinite(upper - lower), upper - lower, np.nan)),
                "built": share_of(built, np.ones_like(built), reading.clusters),
            }
            if own is not None:
                judged = built & np.isfinite(own.values)
                row["coverage"] = _coverage(reading, lower, upper, own)
                row["truth_below"] = share_of(own.values < lower, judged, reading.clusters)
                row["truth_above"] = share_of(own.values > upper, judged, reading.clusters)
                score = interval_score(lower, upper, own.values, levels.get(estimator, 0.95))
                row["score"] = mean_of(score, reading.clusters)
            for name, truth in truths.items():
                row[f"covers_{name}"] = _coverage(reading, lower, upper, truth)
            yield row


def _coverage(reading: Reading, lower: FloatArray, upper: FloatArray, truth: Truth) -> Number:
    judged = ~np.isnan(lower) & np.isfinite(truth.values)
    return share_of((lower <= truth.values) & (truth.values <= upper), judged, reading.clusters)


def tests_rows(reading: Reading, alphas: Mapping[str, float]) -> Iterator[Row]:
    for (estimator, subject), found in subjects_of(reading.records, names.TESTS).items():
        truth = reading.truth(estimator, subject, OF_TARGET[Target.THESE_SOURCES])
        truth = truth or reading.truth(estimator, subject, FITTED)
        for method, _ in found:
            values = reading.at(estimator, subject, names.TESTS, method, "p_value")
            known = np.isfinite(values)
            if not known.any():  # Bayesian tests have none
                continue
            alpha = alphas.get(estimator, 0.05)
            row: Row = {
                "estimator": estimator,
                "subject": subject,
                "test": method,
                "alpha": alpha,
                "rejected": share_of(values <= alpha, known, reading.clusters),
                "n": int(known.sum()),
            }
            if truth is not None:
                none = not truth.is_average and not np.any(truth.values)
                row["is"] = "size" if none else "power"
                row["true_difference"] = truth.average(reading.clusters)
            yield row


def selection_rows(reading: Reading) -> Iterator[Row]:
    """Yield a row for each learner that may be chosen, and one for what is chosen."""
    for (estimator, selected), found in subjects_of(reading.records, names.PICKED).items():
        for (name,) in found:
            picked = reading.at(estimator, selected, names.PICKED, name)
            yield {
                **_errors_of(reading, estimator, name),
                "share": share_of(picked > 0, np.isfinite(picked), reading.clusters),
            }
        regret = reading.records.get(names.name_of(estimator, selected, names.REGRET))
        row = _errors_of(reading, estimator, selected)
        if regret is not None:
            row["regret"] = mean_of(regret, reading.clusters)
        yield row


def _errors_of(reading: Reading, estimator: str, subject: str) -> Row:
    """Return the internal error of a learner, and its risk where that is known."""
    row: Row = {
        "estimator": estimator,
        "subject": subject,
        "internal": mean_of(reading.at(estimator, subject, names.MEAN, "macro"), reading.clusters),
    }
    truth = reading.truth(estimator, subject, MODEL)
    if truth is not None:
        row["risk"] = truth.average(reading.clusters)
    return row

"""From the records of a general study to its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from thetahat.studies import names
from thetahat.studies.base import Findings, Records
from thetahat.studies.estimator import Estimator
from thetahat.studies.monte_carlo import (
    deviation_of,
    difference_of,
    mean_of,
    ratio_of,
    share_of,
)
from thetahat.studies.names import subjects_of
from thetahat.studies.reading import Reading, Truth
from thetahat.studies.tables import Cell, Number, Table
from thetahat.studies.truths import FITTED, OF_TARGET, TITLES
from thetahat.types import BlockKind, Caution, FloatArray, Target

Row = dict[str, Cell]


def tabulate(
    records: Records,
    estimators: Sequence[Estimator],
    refusals: Mapping[str, str],
    truth_from: str,
) -> Findings:
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
    reading = Reading(records, frozenset(of_sources))
    levels = {one.key: one.choices.level for one in estimators}
    alphas = {one.key: one.choices.alpha for one in estimators}
    made = (
        _table("estimates", "Estimates", _ESTIMATES, _estimates(reading)),
        _table("errors", "Estimates against the truth", _ERRORS, _errors(reading)),
        _table("variances", "Variances of the mean", _VARIANCES, _variances(reading)),
        _table("intervals", "Intervals", _INTERVALS, _intervals(reading, levels)),
        _table("tests", "Tests", _TESTS, _tests(reading, alphas)),
    )
    return Findings(
        tables=tuple(table for table in made if table.rows),
        cautions=tuple(_cautions(reading, refusals)),
        details={"truth_from": truth_from, "truths": _told_truths(reading)},
    )


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


def _table(name: str, title: str, columns: Mapping[str, str], rows: Iterator[Row]) -> Table:
    found = list(rows)
    used = {key for row in found for key in row}
    kept = {key: text for key, text in columns.items() if key in used}
    return Table(name=name, title=title, columns=kept, rows=found)


def _estimates(reading: Reading) -> Iterator[Row]:
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


def _errors(reading: Reading) -> Iterator[Row]:
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
                    "true_value": mean_of(truth.values, reading.clusters),
                    "bias": truth.bias_of(values, reading.clusters),
                    "mean_squared_error": mean_of(error**2, reading.clusters),
                }


def _variances(reading: Reading) -> Iterator[Row]:
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
    truth = reading.truth(estimator, subject, OF_TARGET[Target(target)])
    known = reading.records.get(
        names.name_of(estimator, subject, names.KNOWN, OF_TARGET[Target(target)])
    )
    if known is not None and mean == "macro":
        return Number(float(known[0]), 0.0)
    values = reading.records.get(names.name_of(estimator, subject, names.MEAN, mean))
    if truth is None or values is None:
        return Number(None)
    return reading.variance_about(truth, values)


def _root_mean_square(values: FloatArray, true: Number) -> Number:
    if true.value is None:
        return Number(None)
    square = mean_of((values - true.value) ** 2)
    if square.value is None:
        return square
    root = float(np.sqrt(square.value))
    error = square.standard_error
    return Number(root, error / (2 * root) if error is not None and root else error)


def _intervals(reading: Reading, levels: Mapping[str, float]) -> Iterator[Row]:
    for (estimator, subject), found in subjects_of(reading.records, names.INTERVALS).items():
        truths = reading.truths(estimator, subject)
        for method, target, mean, end in found:
            if end != "lower":
                continue
            where = (estimator, subject, names.INTERVALS, method, target, mean)
            lower, upper = reading.at(*where, "lower"), reading.at(*where, "upper")
            built = ~np.isnan(lower)
            own = truths.get(OF_TARGET[Target(target)])
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
            for name, truth in truths.items():
                row[f"covers_{name}"] = _coverage(reading, lower, upper, truth)
            yield row


def _coverage(reading: Reading, lower: FloatArray, upper: FloatArray, truth: Truth) -> Number:
    judged = ~np.isnan(lower) & np.isfinite(truth.values)
    return share_of((lower <= truth.values) & (truth.values <= upper), judged, reading.clusters)


def _tests(reading: Reading, alphas: Mapping[str, float]) -> Iterator[Row]:
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
                row["true_difference"] = mean_of(truth.values, reading.clusters)
            yield row


def _told_truths(reading: Reading) -> dict[str, str]:
    """Return the truths that are known of any subject, in words."""
    found = subjects_of(reading.records, names.MEAN)
    known = {name for who in found for name in reading.truths(*who)}
    return {name: text for name, text in TITLES.items() if name in known}


def _cautions(reading: Reading, refusals: Mapping[str, str]) -> Iterator[Caution]:
    for estimator, words in refusals.items():
        n = int((reading.at(estimator, names.FAILED) > 0).sum())
        yield Caution(
            "repetitions_failed",
            f"estimator {estimator!r} gave nothing in {n} of {reading.n} repetitions, which are "
            f"left out of its numbers; the first said: {words}",
        )
    if reading.n < _FEW:
        yield Caution(
            "few_repetitions",
            f"{reading.n} repetitions are few: standard errors are themselves uncertain",
        )
    missing = [
        key
        for key in sorted(reading.source_blocks)
        if reading.clusters is None and int(reading.groups.max()) + 1 == reading.n > 1
    ]
    if missing:
        yield Caution(
            "these_sources_unknown",
            f"every repetition of {', '.join(missing)} has sources of its own, so the expected "
            "error on these sources is not known; draw.same_sources says for how many "
            "repetitions sources are kept",
        )


_FEW = 100

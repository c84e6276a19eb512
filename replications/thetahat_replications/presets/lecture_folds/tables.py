"""Statistics, table and figures of the preset ``lecture_folds``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.jackknife import JackknifedStatistics, jackknife
from thetahat.analyses.studies.result import (
    FigureAxis,
    FigureSeries,
    SeriesStyle,
    StudyFigure,
    StudyTable,
    TableCell,
    make_series_of_numbers,
    make_table,
)
from thetahat.values.types import FloatArray
from thetahat_replications.presets.lecture_folds.claims import judge_folds

PARTITIONS: Final = {"random": "at random", "stratified": "stratified"}


def compute_statistics(records: Records) -> dict[str, FloatArray]:
    """Return (folds,) statistics by name; the last entry is leave-one-out.

    The variance of one partition's estimate is the variance of the mean over L partitions plus the
    part 1 - 1/L of the variance over partitions.
    """
    truth, leave_one_out = records["truth"], records["leave_one_out"]
    statistics: dict[str, FloatArray] = {}
    for kind in PARTITIONS:
        estimates = records[kind]
        repeats = estimates.shape[2]
        mean = np.column_stack([estimates.mean(axis=2), leave_one_out])
        conditional = np.append(estimates.var(axis=2, ddof=1).mean(axis=0), 0.0)
        repeated = mean.var(axis=0, ddof=1)
        repeated_loo = np.repeat(leave_one_out[:, None, None], repeats, axis=2)
        all_estimates = np.concatenate([estimates, repeated_loo], axis=1)
        statistics |= {
            f"{kind}/bias": _compute_bias(records, mean, kind),
            f"{kind}/absolute": np.abs(all_estimates - truth[:, None, None]).mean(axis=(0, 2)),
            f"{kind}/conditional": conditional,
            f"{kind}/once": repeated + (1 - 1 / repeats) * conditional,
            f"{kind}/repeated": repeated,
            f"{kind}/mse": ((all_estimates - truth[:, None, None]) ** 2).mean(axis=(0, 2)),
        }
    bias, once = statistics["random/bias"], statistics["random/once"]
    statistics["random/bias_falls"] = -np.diff(bias, append=bias[-1])
    statistics["saved"] = once - statistics["random/repeated"]
    statistics["over_leave_one_out"] = once / once[-1]
    statistics["bias_above_largest"] = bias[0] - bias
    statistics["above_fewest"] = once - once[0]
    absolute = statistics["random/absolute"]
    statistics["absolute_above"] = absolute[-1] - absolute
    statistics["stratified_gain"] = np.abs(bias) - np.abs(statistics["stratified/bias"])
    statistics["stratified_variance"] = once - statistics["stratified/once"]
    return statistics


def _compute_bias(records: Records, mean: FloatArray, kind: str) -> FloatArray:
    """Return the (folds,) biases; see the preset for why the models' true errors are used."""
    bias = (records["fitted"] - records["truth"][:, None]).mean(axis=0)
    if kind == "random":
        return np.asarray(bias)
    at_random = np.column_stack([records["random"].mean(axis=2), records["leave_one_out"]])
    return np.asarray(bias + (mean - at_random).mean(axis=0))


def compute_findings(records: Records, folds: Sequence[int], n: int) -> StudyFindings:
    """Return table, figures and claims from the records of all repetitions."""
    statistics = jackknife(compute_statistics, records)
    counts, repeats = [*folds, n], records["random"].shape[2]
    return StudyFindings(
        tables=(_build_folds_table(statistics, counts, repeats),),
        figures=tuple(_build_figures(statistics, counts, repeats)),
        claims=judge_folds(statistics, counts, repeats),
    )


def _build_folds_table(
    statistics: JackknifedStatistics, counts: Sequence[int], repeats: int
) -> StudyTable:
    columns = {
        "bias": "Bias",
        "conditional": "Variance over partitions of one sample",
        "once": "Variance with one partition",
        "repeated": f"Variance of the mean over {repeats} partitions",
        "mse": "Mean squared error with one partition",
    }
    rows: list[dict[str, TableCell]] = []
    for kind, title in PARTITIONS.items():
        for at, count in enumerate(counts):
            place: dict[str, TableCell] = {"folds": count, "partition": title}
            rows.append(
                place | {name: statistics.get_number(f"{kind}/{name}", at) for name in columns}
            )
    return make_table(
        name="folds",
        title="Cross-validation against the number of folds",
        columns={"partition": "Partition", "folds": "Folds", **columns},
        rows=rows,
        note="The largest number of folds is leave-one-out.",
    )


def _build_figures(
    statistics: JackknifedStatistics, counts: Sequence[int], repeats: int
) -> list[StudyFigure]:
    def series(name: str, label: str, style: SeriesStyle = "line") -> FigureSeries:
        numbers = statistics.get_numbers(name, len(counts))
        return make_series_of_numbers(label, counts, numbers, style)

    axis = FigureAxis(title="folds", scale="log")
    return [
        StudyFigure(
            name="bias",
            title="Bias of cross-validation",
            x=axis,
            y=FigureAxis(title="error rate"),
            series=tuple(series(f"{kind}/bias", title) for kind, title in PARTITIONS.items()),
        ),
        StudyFigure(
            name="variance",
            title="Variance of cross-validation",
            x=axis,
            y=FigureAxis(title="squared error rate"),
            series=(
                series("random/once", "one partition"),
                series("stratified/once", "one stratified partition"),
                series("random/repeated", f"mean over {repeats} partitions"),
                series("random/conditional", "over partitions of one sample", "dashed"),
            ),
        ),
    ]

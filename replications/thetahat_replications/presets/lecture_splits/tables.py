"""Statistics, table and figures of the preset ``lecture_splits``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.jackknife import JackknifedStatistics, jackknife
from thetahat.analyses.studies.result import (
    FigureAxis,
    FigureSeries,
    StudyFigure,
    StudyTable,
    TableCell,
    make_series_of_numbers,
    make_table,
)
from thetahat.values.types import FloatArray
from thetahat_replications.presets.lecture_splits.claims import judge_splits


def compute_statistics(
    records: Records, n: int, shares: FloatArray, splits: int
) -> dict[str, FloatArray]:
    """Return (shares,) statistics of one sample size by name.

    The variance over samples of the mean of L splits is that of the conditional mean plus an L-th
    of the conditional variance; both parts are computed from it.
    """
    mean, fitted = records[f"{n}/mean"], records[f"{n}/fitted"]
    conditional = records[f"{n}/variance"].mean(axis=0)
    of_means = mean.var(axis=0, ddof=1) - conditional / splits
    risk = fitted.mean(axis=0)
    tested = np.ceil(shares * n - 1e-9)
    bias = (mean - records[f"{n}/truth"]).mean(axis=0)
    statistics = {
        "mean": mean.mean(axis=0),
        "truth": records[f"{n}/truth"].mean(axis=0),
        "fitted": risk,
        "bias": bias,
        "bias_for_fitted": (mean - fitted).mean(axis=0),
        "conditional": conditional,
        "unconditional": of_means + conditional,
        "of_means": of_means,
        "binomial_ratio": conditional / (risk * (1 - risk) / tested),
        "bias_grows": np.diff(bias, append=bias[-1]),
        "variance_left": (of_means + conditional)[0] - (of_means + conditional),
    }
    if f"{n}/complete" in records:
        complete = records[f"{n}/complete"]
        variance = complete.var(axis=0, ddof=1)
        statistics |= {
            "complete": complete.mean(axis=0),
            "complete_bias": (complete - records[f"{n}/truth"]).mean(axis=0),
            "complete_variance": variance,
            "complete_apart": (complete - mean).mean(axis=0),
            "complete_saves": of_means + conditional - variance,
            "first_above": variance[0] - variance,
        }
    return statistics


def compute_findings(
    records: Records, sizes: Sequence[int], shares: Sequence[float], splits: int
) -> StudyFindings:
    """Return table, figures and claims from the records of all repetitions."""

    def compute(subset: Records) -> dict[str, FloatArray]:
        return {
            f"{n}/{name}": value
            for n in sizes
            for name, value in compute_statistics(subset, n, np.asarray(shares), splits).items()
        }

    statistics = jackknife(compute, records)
    return StudyFindings(
        tables=(_build_splits_table(statistics, sizes, shares),),
        figures=tuple(_build_figures(statistics, sizes, shares)),
        claims=judge_splits(statistics, sizes, shares),
    )


COLUMNS: Final = {
    "mean": "Mean estimate",
    "truth": "Error of the model fitted on all rows",
    "fitted": "Error of the model fitted in the split",
    "bias": "Bias",
    "bias_for_fitted": "Bias for the model fitted in the split",
    "conditional": "Variance over splits of one sample",
    "unconditional": "Variance over splits and samples",
    "complete_bias": "Bias of complete subsampling",
    "complete_variance": "Variance of complete subsampling",
}


def _build_splits_table(
    statistics: JackknifedStatistics, sizes: Sequence[int], shares: Sequence[float]
) -> StudyTable:
    rows: list[dict[str, TableCell]] = []
    for n in sizes:
        known = [name for name in COLUMNS if f"{n}/{name}" in statistics.values]
        for at, share in enumerate(shares):
            place: dict[str, TableCell] = {"n": n, "share": share}
            rows.append(place | {name: statistics.get_number(f"{n}/{name}", at) for name in known})
    return make_table(
        name="splits",
        title="Split samples and complete subsampling",
        columns={"n": "Rows", "share": "Share to test on", **COLUMNS},
        rows=rows,
        note="Complete subsampling is computed for the smallest sample only.",
    )


def _build_figures(
    statistics: JackknifedStatistics, sizes: Sequence[int], shares: Sequence[float]
) -> list[StudyFigure]:
    def series(n: int, name: str, label: str) -> FigureSeries:
        return make_series_of_numbers(
            label, shares, statistics.get_numbers(f"{n}/{name}", len(shares))
        )

    axis = FigureAxis(title="share to test on")
    figures = []
    for n in sizes:
        biases = [series(n, "bias", "split sample")]
        variances = [
            series(n, "conditional", "over splits of one sample"),
            series(n, "unconditional", "over splits and samples"),
        ]
        if f"{n}/complete" in statistics.values:
            biases.append(series(n, "complete_bias", "complete subsampling"))
            variances.append(series(n, "complete_variance", "complete subsampling"))
        for name, title, unit, lines in (
            ("bias", "Bias", "error rate", biases),
            ("variance", "Variance", "squared error rate", variances),
        ):
            figures.append(
                StudyFigure(
                    name=f"{name}_{n}",
                    title=f"{title} of the estimates, samples of {n} rows",
                    x=axis,
                    y=FigureAxis(title=unit),
                    series=tuple(lines),
                )
            )
    return figures

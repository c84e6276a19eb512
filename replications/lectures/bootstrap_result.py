"""Tables, figures and claims of the preset ``bootstrap_estimates``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.figures import FigureAxis, FigureSeries, StudyFigure
from thetahat.analyses.studies.jackknife import jackknife, number_at
from thetahat.analyses.studies.monte_carlo import monte_carlo_share
from thetahat.analyses.studies.tables import Cell, MonteCarloNumber, StudyTable
from thetahat.values.types import FloatArray

INTERVALS: Final = ("normal", "percentile", "basic", "bca")
LECTURE: Final = "zelezny2011"
BOOK: Final = "efron1993"
NEAR: Final = (0.75, 1.25)
"""Shares of the truth between which a mean estimate is called right."""


class _Told:
    def __init__(self, records: Records, truths: Mapping[str, float]) -> None:
        self.records, self.truths = records, truths

        def statistics(some: Records) -> dict[str, FloatArray]:
            return {name: _statistics(some, name, truth) for name, truth in truths.items()}

        self.values, self.errors = jackknife(statistics, records)

    def at(self, statistic: str, what: str) -> MonteCarloNumber:
        return number_at(self.values, self.errors, statistic, COLUMNS.index(what))

    def coverage(self, statistic: str, interval: str) -> MonteCarloNumber:
        ends = self.records[f"{statistic}/ends"][:, INTERVALS.index(interval)]
        truth = self.truths[statistic]
        covers = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        return monte_carlo_share(covers, np.asarray(np.isfinite(ends).all(axis=1)))


COLUMNS: Final = (
    "bias",
    "bootstrap_bias",
    "bias_apart",
    "variance",
    "bootstrap_variance",
    "variance_ratio",
    "corrected_bias",
    "bias_saved",
    "mse_added",
)


def _statistics(records: Records, name: str, truth: float) -> FloatArray:
    value, bias = records[f"{name}/value"], records[f"{name}/bias"]
    variance, told = value.var(ddof=1), np.nanmean(records[f"{name}/variance"])
    corrected = value - bias
    own, left = value.mean() - truth, corrected.mean() - truth
    return np.array(
        [
            own,
            bias.mean(),
            bias.mean() - own,
            variance,
            told,
            told / variance if variance > 0 else np.nan,
            left,
            abs(own) - abs(left),
            ((corrected - truth) ** 2).mean() - ((value - truth) ** 2).mean(),
        ]
    )


def findings(records: Records, truths: Mapping[str, float], n: int, level: float) -> StudyFindings:
    """Return what the repetitions say."""
    told = _Told(records, truths)
    return StudyFindings(
        tables=(_estimates(told, n), _coverage(told, level)),
        figures=(_figure(told, level),),
        claims=tuple(claim for name in truths for claim in _claims(told, name)),
    )


def _estimates(told: _Told, n: int) -> StudyTable:
    rows: list[dict[str, Cell]] = []
    for name, truth in told.truths.items():
        row: dict[str, Cell] = {"statistic": name, "truth": truth}
        rows.append(row | {column: told.at(name, column) for column in COLUMNS})
    return StudyTable(
        name="estimates",
        title=f"Bias and variance, and the bootstrap's estimates of them, n = {n}",
        columns={
            "statistic": "Statistic",
            "truth": "True value",
            "bias": "Bias",
            "bootstrap_bias": "Mean bootstrap estimate of the bias",
            "bias_apart": "That less the bias",
            "variance": "Variance",
            "bootstrap_variance": "Mean bootstrap estimate of the variance",
            "variance_ratio": "That over the variance",
            "corrected_bias": "Bias of the corrected value",
            "bias_saved": "Size of the bias that the correction saves",
            "mse_added": "Squared error that the correction adds",
        },
        rows=rows,
    )


def _coverage(told: _Told, level: float) -> StudyTable:
    rows: list[dict[str, Cell]] = [
        {"statistic": name, **{each: told.coverage(name, each) for each in INTERVALS}}
        for name in told.truths
    ]
    return StudyTable(
        name="coverage",
        title=f"How often the intervals of level {level:g} cover",
        columns={"statistic": "Statistic", **{each: each for each in INTERVALS}},
        rows=rows,
        note="Of the samples on which an interval is defined.",
    )


def _figure(told: _Told, level: float) -> StudyFigure:
    names = list(told.truths)
    series = []
    for each in INTERVALS:
        numbers = [told.coverage(name, each) for name in names]
        y, error = [one.value for one in numbers], [one.standard_error for one in numbers]
        series.append(FigureSeries(each, list(range(len(names))), y, error, "points"))
    nominal = FigureSeries("nominal", list(range(len(names))), [level] * len(names), None, "dashed")
    return StudyFigure(
        name="coverage",
        title="Coverage of bootstrap intervals",
        x=FigureAxis("statistic", labels=tuple(names)),
        y=FigureAxis("share of samples"),
        series=(*series, nominal),
    )


def _claims(told: _Told, name: str) -> list[StudyClaim]:
    deviation = float(np.sqrt(told.at(name, "variance").value or 0.0))
    near = 0.05 * deviation
    return [
        StudyClaim(
            text="The bootstrap gives the variance of the estimate.",
            reference=LECTURE,
            place="Bias and variance estimates with the bootstrap",
            measured=f"mean bootstrap variance over the variance, {name}",
            figure=told.at(name, "variance_ratio"),
            at_least=NEAR[0],
            at_most=NEAR[1],
        ),
        StudyClaim(
            text="The bootstrap gives the bias of the estimate.",
            reference=LECTURE,
            place="Bias and variance estimates with the bootstrap",
            measured=f"mean bootstrap bias less the bias, {name}, within .05 deviations",
            figure=told.at(name, "bias_apart"),
            at_least=-near,
            at_most=near,
        ),
        StudyClaim(
            text="Taking the estimated bias off gives an estimate of less bias.",
            reference=BOOK,
            place="chapter 10",
            measured=f"size of the bias less that of the corrected value, {name}",
            figure=told.at(name, "bias_saved"),
            at_least=0,
        ),
        StudyClaim(
            text="The correction can be dangerous: it may add more error than it saves.",
            reference=BOOK,
            place="chapter 10",
            measured=f"mean squared error that the correction adds, {name}",
            figure=told.at(name, "mse_added"),
            at_least=0,
        ),
    ]

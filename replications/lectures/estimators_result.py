"""Table, figures and claims of the preset ``lecture_estimators``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from replications.lectures.classifiers import TITLES
from replications.lectures.risk_estimates import ESTIMATORS, FOLDS, LEAVE_ONE_OUT, PLUS
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.figures import FigureAxis, FigureSeries, StudyFigure
from thetahat.analyses.studies.jackknife import jackknife, number_at
from thetahat.analyses.studies.tables import Cell, MonteCarloNumber, StudyTable
from thetahat.cautions import Caution
from thetahat.values.types import FloatArray

NAMES: Final = {
    "two_fold": "2-fold, p = 0.5",
    "five_fold": "5-fold, p = 0.2",
    "ten_fold": "10-fold, p = 0.1",
    "leave_one_out": "leave-one-out",
    "split_third": "split, a third to test on",
    "split_half": "split, a half to test on",
    "bootstrap_632_plus": ".632+",
}
LECTURE: Final = "zelezny2011"
MOLINARO: Final = "molinaro2005"
HASTIE: Final = "hastie2009"
BESIDE: Final = (0.8, 1.25)
"""Between which ratios two deviations are called comparable."""


class _Told:
    """Statistics by name, each (classifiers,), with their errors."""

    def __init__(self, records: Records, classifiers: Sequence[str]) -> None:
        self.values, self.errors = jackknife(_statistics, records)
        self.classifiers = classifiers

    def at(self, name: str, classifier: int) -> MonteCarloNumber:
        return number_at(self.values, self.errors, name, classifier)


def _statistics(records: Records) -> dict[str, FloatArray]:
    truth = records["truth"]
    found = {"truth/mean": truth.mean(axis=0), "truth/sd": truth.std(axis=0, ddof=1)}
    for name in ESTIMATORS:
        off = records[name] - truth
        found |= {
            f"{name}/mean": records[name].mean(axis=0),
            f"{name}/sd": records[name].std(axis=0, ddof=1),
            f"{name}/bias": off.mean(axis=0),
            f"{name}/mse": (off**2).mean(axis=0),
            f"{name}/absolute": np.abs(off).mean(axis=0),
        }
    folds = [*FOLDS, LEAVE_ONE_OUT]
    for first, second in pairwise(folds):
        found[f"{first}/bias_above"] = found[f"{first}/bias"] - found[f"{second}/bias"]
    ten, one = "ten_fold", LEAVE_ONE_OUT
    found |= {
        "fitted_on_fewer": (records["split_third"] - records["split_third_truth"]).mean(axis=0),
        "halves_above": found["split_half/bias"] - found["split_third/bias"],
        "one_out/mse": found[f"{ten}/mse"] - found[f"{one}/mse"],
        "one_out/absolute": found[f"{one}/absolute"] - found[f"{ten}/absolute"],
        "one_out/sd": _ratio(found[f"{ten}/sd"], found[f"{one}/sd"]),
        "split/sd": found["split_third/sd"] - found[f"{ten}/sd"],
        "plus/sd": np.min([found[f"{name}/sd"] for name in folds], axis=0) - found[f"{PLUS}/sd"],
    }
    return found


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    return np.asarray(np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0))


def findings(
    records: Records, classifiers: Sequence[str], n: int, cautions: tuple[Caution, ...]
) -> StudyFindings:
    """Return what the repetitions say."""
    told = _Told(records, classifiers)
    return StudyFindings(
        tables=(_table(told, n),),
        figures=tuple(_figures(told)),
        claims=tuple(_claims(told)),
        cautions=cautions,
    )


def _table(told: _Told, n: int) -> StudyTable:
    rows: list[dict[str, Cell]] = []
    for at, classifier in enumerate(told.classifiers):
        first: dict[str, Cell] = {"estimator": "true error of the classifier fitted on all rows"}
        first |= {"classifier": TITLES[classifier], "mean": told.at("truth/mean", at)}
        rows.append(first | {"sd": told.at("truth/sd", at)})
        for name in ESTIMATORS:
            row: dict[str, Cell] = {"estimator": NAMES[name], "classifier": TITLES[classifier]}
            what = ("mean", "sd", "bias", "mse", "absolute")
            rows.append(row | {column: told.at(f"{name}/{column}", at) for column in what})
    return StudyTable(
        name="estimators",
        title=f"Estimators of the risk on samples of {n} rows",
        columns={
            "estimator": "Estimator",
            "classifier": "Classifier",
            "mean": "Mean",
            "sd": "Deviation",
            "bias": "Bias",
            "mse": "Mean squared error",
            "absolute": "Mean absolute error",
        },
        rows=rows,
        note="Bias and errors are about the true error of the classifier fitted on that sample.",
    )


def _figures(told: _Told) -> list[StudyFigure]:
    places = list(range(len(ESTIMATORS)))
    axis = FigureAxis("estimator", labels=tuple(NAMES[name] for name in ESTIMATORS))
    found = []
    for what, title in (("bias", "Bias"), ("sd", "Deviation"), ("mse", "Mean squared error")):
        series = []
        for at, classifier in enumerate(told.classifiers):
            numbers = [told.at(f"{name}/{what}", at) for name in ESTIMATORS]
            y = [one.value for one in numbers]
            error = [one.standard_error for one in numbers]
            series.append(FigureSeries(TITLES[classifier], places, y, error, "points"))
        found.append(
            StudyFigure(
                name=what,
                title=f"{title} of the estimators",
                x=axis,
                y=FigureAxis("squared error rate" if what == "mse" else "error rate"),
                series=tuple(series),
            )
        )
    return found


ABOVE: Final = (0, None)
"""Bounds of a figure that is to be positive."""
_OF_ONE_FIGURE: Final[Sequence[tuple[str, str, str, str, tuple[float | None, float | None]]]] = (
    (
        "The split sample overestimates the risk of what is fitted on all rows.",
        LECTURE,
        "split_third/bias",
        "bias of the split with a third to test on",
        ABOVE,
    ),
    (
        "The split sample is unbiased for the risk of what it fitted, to 0.01.",
        LECTURE,
        "fitted_on_fewer",
        "estimate less the true error of the classifier fitted on two thirds",
        (-0.01, 0.01),
    ),
    (
        "The bias of the split sample grows with the share to test on.",
        LECTURE,
        "halves_above",
        "bias with a half to test on less that with a third",
        ABOVE,
    ),
    (
        "Leave-one-out has a smaller error than 10-fold.",
        MOLINARO,
        "one_out/mse",
        "mean squared error of 10-fold less that of leave-one-out",
        ABOVE,
    ),
    (
        "Leave-one-out has a larger absolute error than 10-fold.",
        HASTIE,
        "one_out/absolute",
        "mean absolute error of leave-one-out less that of 10-fold",
        ABOVE,
    ),
    (
        "The deviation of 10-fold is comparable to that of leave-one-out.",
        MOLINARO,
        "one_out/sd",
        "deviation of 10-fold over that of leave-one-out",
        BESIDE,
    ),
    (
        "A split varies more than 10-fold.",
        MOLINARO,
        "split/sd",
        "deviation of the split with a third to test on less that of 10-fold",
        ABOVE,
    ),
    (
        ".632+ varies less than any cross-validation.",
        MOLINARO,
        "plus/sd",
        "least deviation of the cross-validations less that of .632+",
        ABOVE,
    ),
)
"""Text, source, the figure's name, what is measured, and the bounds."""


def _claims(told: _Told) -> list[StudyClaim]:
    found: list[StudyClaim] = []
    for at, classifier in enumerate(told.classifiers):
        found += _of_classifier(told, at, TITLES[classifier])
    return found


def _of_classifier(told: _Told, at: int, title: str) -> list[StudyClaim]:
    folds = [*FOLDS, LEAVE_ONE_OUT]
    of_bias = (
        (
            "The bias of cross-validation falls with the number of folds.",
            LECTURE,
            f"{first}/bias_above",
            f"bias of {NAMES[first]} less that of {NAMES[second]}",
            ABOVE,
        )
        for first, second in pairwise(folds)
    )
    return [
        StudyClaim(
            text=text,
            reference=source,
            place="Leave-one-out vs. 10-fold" if source != LECTURE else "Bias and variance",
            measured=f"{measured}, {title}",
            figure=told.at(name, at),
            at_least=low,
            at_most=high,
        )
        for text, source, name, measured, (low, high) in (*of_bias, *_OF_ONE_FIGURE)
    ]

"""Statistics, table and figures of the preset ``lecture_estimators``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.jackknife import JackknifedStatistics, jackknife
from thetahat.analyses.studies.result import (
    FigureAxis,
    StudyFigure,
    StudyTable,
    TableCell,
    make_series_of_numbers,
    make_table,
)
from thetahat.cautions import Caution
from thetahat.values.types import FloatArray
from thetahat_replications.lectures.classifiers import TITLES
from thetahat_replications.presets.lecture_estimators.claims import judge_classifiers
from thetahat_replications.presets.lecture_estimators.risk_estimates import (
    ESTIMATORS,
    FOLDS,
    LEAVE_ONE_OUT,
    PLUS,
)

ESTIMATOR_TITLES: Final = {
    "two_fold": "2-fold, p = 0.5",
    "five_fold": "5-fold, p = 0.2",
    "ten_fold": "10-fold, p = 0.1",
    "leave_one_out": "leave-one-out",
    "split_third": "split, a third to test on",
    "split_half": "split, a half to test on",
    "bootstrap_632_plus": ".632+",
}
CROSS_VALIDATIONS: Final = (*FOLDS, LEAVE_ONE_OUT)


def compute_statistics(records: Records) -> dict[str, FloatArray]:
    """Return (classifiers,) statistics by name."""
    truth = records["truth"]
    statistics = {"truth/mean": truth.mean(axis=0), "truth/sd": truth.std(axis=0, ddof=1)}
    for name in ESTIMATORS:
        error = records[name] - truth
        statistics |= {
            f"{name}/mean": records[name].mean(axis=0),
            f"{name}/sd": records[name].std(axis=0, ddof=1),
            f"{name}/bias": error.mean(axis=0),
            f"{name}/mse": (error**2).mean(axis=0),
            f"{name}/absolute": np.abs(error).mean(axis=0),
        }
    s = statistics
    for first, second in pairwise(CROSS_VALIDATIONS):
        s[f"{first}/bias_above"] = s[f"{first}/bias"] - s[f"{second}/bias"]
    ten_fold, leave_one_out, plus = "ten_fold", LEAVE_ONE_OUT, PLUS
    least_sd = np.min([s[f"{name}/sd"] for name in CROSS_VALIDATIONS], axis=0)
    fitted_on_fewer = records["split_third"] - records["split_third_truth"]
    return s | {
        "fitted_on_fewer": fitted_on_fewer.mean(axis=0),
        "halves_above": s["split_half/bias"] - s["split_third/bias"],
        "one_out/mse": s[f"{ten_fold}/mse"] - s[f"{leave_one_out}/mse"],
        "one_out/sd": _compute_ratio(s[f"{ten_fold}/sd"], s[f"{leave_one_out}/sd"]),
        "split/sd": s["split_third/sd"] - s[f"{ten_fold}/sd"],
        "plus/sd": least_sd - s[f"{plus}/sd"],
    }


def _compute_ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.divide(a, b, out=np.full(len(a), np.nan), where=b > 0))


def compute_findings(
    records: Records, classifiers: Sequence[str], n: int, cautions: tuple[Caution, ...]
) -> StudyFindings:
    """Return table, figures and claims from the records of all repetitions."""
    statistics = jackknife(compute_statistics, records)
    return StudyFindings(
        tables=(_build_estimators_table(statistics, classifiers, n),),
        figures=tuple(_build_figures(statistics, classifiers)),
        claims=judge_classifiers(statistics, classifiers),
        cautions=cautions,
    )


def _build_estimators_table(
    statistics: JackknifedStatistics, classifiers: Sequence[str], n: int
) -> StudyTable:
    columns = {
        "mean": "Mean",
        "sd": "Standard deviation",
        "bias": "Bias",
        "mse": "Mean squared error",
        "absolute": "Mean absolute error",
    }
    rows: list[dict[str, TableCell]] = []
    for at, classifier in enumerate(classifiers):
        for name in ("truth", *ESTIMATORS):
            title = ESTIMATOR_TITLES.get(name, "true error of the classifier fitted on all rows")
            row: dict[str, TableCell] = {"estimator": title, "classifier": TITLES[classifier]}
            for column in columns:
                if f"{name}/{column}" in statistics.values:
                    row[column] = statistics.get_number(f"{name}/{column}", at)
            rows.append(row)
    return make_table(
        name="estimators",
        title=f"Estimators of the risk on samples of {n} rows",
        columns={"estimator": "Estimator", "classifier": "Classifier", **columns},
        rows=rows,
        note="Bias and errors are about the true error of the classifier fitted on the sample.",
    )


def _build_figures(
    statistics: JackknifedStatistics, classifiers: Sequence[str]
) -> list[StudyFigure]:
    places = list(range(len(ESTIMATORS)))
    axis = FigureAxis(
        title="estimator", labels=tuple(ESTIMATOR_TITLES[name] for name in ESTIMATORS)
    )
    figures = []
    for column, title in (
        ("bias", "Bias"),
        ("sd", "Standard deviation"),
        ("mse", "Mean squared error"),
    ):
        series = []
        for at, classifier in enumerate(classifiers):
            numbers = [statistics.get_number(f"{name}/{column}", at) for name in ESTIMATORS]
            series.append(make_series_of_numbers(TITLES[classifier], places, numbers, "points"))
        figures.append(
            StudyFigure(
                name=column,
                title=f"{title} of the estimators",
                x=axis,
                y=FigureAxis(title="squared error rate" if column == "mse" else "error rate"),
                series=tuple(series),
            )
        )
    return figures

"""Table, figures and claims of the preset ``lecture_folds``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.figures import FigureAxis, FigureSeries, StudyFigure
from thetahat.analyses.studies.jackknife import jackknife, number_at
from thetahat.analyses.studies.tables import Cell, MonteCarloNumber, StudyTable
from thetahat.values.types import FloatArray

LECTURE: Final = "zelezny2011"
MOLINARO: Final = "molinaro2005"
KINDS: Final = {"random": "at random", "stratified": "stratified"}


class _Told:
    """Statistics by name, (folds,) each, the last being leave-one-out."""

    def __init__(self, records: Records, folds: Sequence[int], n: int) -> None:
        self.folds, self.counts = folds, [*folds, n]
        self.repeats = records["random"].shape[2]
        self.values, self.errors = jackknife(_statistics, records)

    def at(self, name: str, at: int) -> MonteCarloNumber:
        return number_at(self.values, self.errors, name, at)

    def series(self, name: str, label: str, *, dashed: bool = False) -> FigureSeries:
        n = len(self.values[name])
        numbers = [self.at(name, at) for at in range(n)]
        y, error = [one.value for one in numbers], [one.standard_error for one in numbers]
        return FigureSeries(label, self.counts[:n], y, error, "dashed" if dashed else "line")


def _statistics(records: Records) -> dict[str, FloatArray]:
    """Statistics of each number of folds, leave-one-out last.

    The variance of one partition's estimate is that of the mean over L partitions and the part
    1 - 1/L of the variance over partitions.
    """
    truth, one_out = records["truth"], records["leave_one_out"]
    found: dict[str, FloatArray] = {}
    for kind in KINDS:
        of_kind = records[kind]
        repeats = of_kind.shape[2]
        mean = np.column_stack([of_kind.mean(axis=2), one_out])
        conditional = np.append(of_kind.var(axis=2, ddof=1).mean(axis=0), 0.0)
        repeated = mean.var(axis=0, ddof=1)
        off = np.concatenate([of_kind, np.repeat(one_out[:, None, None], repeats, axis=2)], axis=1)
        found |= {
            f"{kind}/bias": (mean - truth[:, None]).mean(axis=0),
            f"{kind}/conditional": conditional,
            f"{kind}/once": repeated + (1 - 1 / repeats) * conditional,
            f"{kind}/repeated": repeated,
            f"{kind}/mse": ((off - truth[:, None, None]) ** 2).mean(axis=(0, 2)),
        }
    bias, once = found["random/bias"], found["random/once"]
    found["random/bias_falls"] = -np.diff(bias, append=bias[-1])
    found["saved"] = once - found["random/repeated"]
    found["over_one_out"] = once / once[-1]
    found["stratified_gain"] = np.abs(bias) - np.abs(found["stratified/bias"])
    found["stratified_variance"] = once - found["stratified/once"]
    return found


def findings(records: Records, folds: Sequence[int], n: int) -> StudyFindings:
    """Return what the repetitions say."""
    told = _Told(records, folds, n)
    return StudyFindings(
        tables=(_table(told),), figures=tuple(_figures(told)), claims=tuple(_claims(told))
    )


def _table(told: _Told) -> StudyTable:
    names = ("bias", "conditional", "once", "repeated", "mse")
    rows: list[dict[str, Cell]] = []
    for kind, title in KINDS.items():
        for at, count in enumerate(told.counts):
            first: dict[str, Cell] = {"folds": count, "partition": title}
            rows.append(first | {name: told.at(f"{kind}/{name}", at) for name in names})
    return StudyTable(
        name="folds",
        title="Cross-validation against the number of folds",
        columns={
            "partition": "Partition",
            "folds": "Folds",
            "bias": "Bias",
            "conditional": "Variance over partitions of one sample",
            "once": "Variance of one partition",
            "repeated": f"Variance of the mean of {told.repeats}",
            "mse": "Mean squared error of one partition",
        },
        rows=rows,
        note="The largest number of folds is leave-one-out.",
    )


def _figures(told: _Told) -> list[StudyFigure]:
    axis = FigureAxis("folds", "log")
    bias = [told.series(f"{kind}/bias", title) for kind, title in KINDS.items()]
    variance = [
        told.series("random/once", "one partition"),
        told.series("stratified/once", "one stratified partition"),
        told.series("random/repeated", f"mean of {told.repeats} partitions"),
        told.series("random/conditional", "over partitions of one sample", dashed=True),
    ]
    return [
        StudyFigure(
            name="bias",
            title="Bias of cross-validation",
            x=axis,
            y=FigureAxis("error rate"),
            series=tuple(bias),
        ),
        StudyFigure(
            name="variance",
            title="Variance of cross-validation",
            x=axis,
            y=FigureAxis("squared error rate"),
            series=tuple(variance),
        ),
    ]


def _claims(told: _Told) -> list[StudyClaim]:
    found = [
        _claim(
            told,
            "The bias decays with the number of folds, to its least in leave-one-out.",
            ("random/bias_falls", at),
            f"bias with {first} folds less that with {second}",
        )
        for at, (first, second) in enumerate(pairwise(told.counts))
    ]
    found.append(
        _claim(
            told,
            "Leave-one-out has a bias above 0.",
            ("random/bias", len(told.folds)),
            "bias of leave-one-out",
        )
    )
    for at, count in enumerate(told.folds):
        found += [
            _claim(
                told,
                "Repeating cross-validation lowers its variance.",
                ("saved", at),
                f"variance of one partition less that of {told.repeats}, {count} folds",
            ),
            _claim(
                told,
                "Stratification lowers the bias.",
                ("stratified_gain", at),
                f"size of the bias less that of stratified folds, {count} folds",
            ),
            _claim(
                told,
                "Stratification lowers the variance.",
                ("stratified_variance", at),
                f"variance less that of stratified folds, {count} folds",
            ),
        ]
    if 10 in told.folds:
        ten = list(told.folds).index(10)
        found.append(
            StudyClaim(
                text="The variance of 10-fold cross-validation is comparable to leave-one-out's.",
                reference=MOLINARO,
                place="cross-validation: variance",
                measured="variance of 10-fold over that of leave-one-out",
                figure=told.at("over_one_out", ten),
                at_least=0.8,
                at_most=1.25,
            )
        )
    return found


def _claim(told: _Told, text: str, where: tuple[str, int], measured: str) -> StudyClaim:
    return StudyClaim(
        text=text,
        reference=LECTURE,
        place="cross-validation: variance and bias",
        measured=measured,
        figure=told.at(*where),
        at_least=0,
    )

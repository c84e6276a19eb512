"""Table, figures and claims of the preset ``lecture_splits``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.figures import FigureAxis, FigureSeries, StudyFigure
from thetahat.analyses.studies.jackknife import jackknife, number_at
from thetahat.analyses.studies.tables import Cell, MonteCarloNumber, StudyTable
from thetahat.values.types import FloatArray

SOURCE: Final = "zelezny2011"
NEAR: Final = 0.01
"""Error rates nearer than this are called equal."""


class _Told:
    def __init__(
        self, records: Records, sizes: Sequence[int], shares: Sequence[float], splits: int
    ) -> None:
        self.sizes, self.shares = sizes, shares

        def statistics(some: Records) -> dict[str, FloatArray]:
            found: dict[str, FloatArray] = {}
            for n in sizes:
                of_size = _statistics(some, n, np.asarray(shares), splits)
                found |= {f"{n}/{name}": value for name, value in of_size.items()}
            return found

        self.values, self.errors = jackknife(statistics, records)

    def at(self, n: int, name: str, share: int) -> MonteCarloNumber:
        return number_at(self.values, self.errors, f"{n}/{name}", share)

    def series(self, n: int, name: str, label: str) -> FigureSeries:
        numbers = [self.at(n, name, at) for at in range(len(self.shares))]
        y, error = [one.value for one in numbers], [one.standard_error for one in numbers]
        return FigureSeries(label, list(self.shares), y, error)


def _statistics(records: Records, n: int, shares: FloatArray, splits: int) -> dict[str, FloatArray]:
    """Statistics of one sample size, (shares,) each.

    The variance over samples of the mean of L splits is that of the conditional mean and a L-th
    of the conditional variance; both parts are got from it.
    """
    mean, fitted = records[f"{n}/mean"], records[f"{n}/fitted"]
    conditional = records[f"{n}/variance"].mean(axis=0)
    of_means = mean.var(axis=0, ddof=1) - conditional / splits
    risk = fitted.mean(axis=0)
    tested = np.ceil(shares * n - 1e-9)
    bias = (mean - records[f"{n}/truth"]).mean(axis=0)
    found = {
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
        found |= {
            "complete": complete.mean(axis=0),
            "complete_bias": (complete - records[f"{n}/truth"]).mean(axis=0),
            "complete_variance": variance,
            "complete_apart": (complete - mean).mean(axis=0),
            "complete_saves": of_means + conditional - variance,
            "first_above": variance[0] - variance,
        }
    return found


def findings(
    records: Records, sizes: Sequence[int], shares: Sequence[float], splits: int
) -> StudyFindings:
    """Return what the repetitions say."""
    told = _Told(records, sizes, shares, splits)
    return StudyFindings(
        tables=(_table(told),), figures=tuple(_figures(told)), claims=tuple(_claims(told))
    )


COLUMNS: Final = {
    "mean": "Mean estimate",
    "truth": "Error of what is fitted on all rows",
    "fitted": "Error of what is fitted in the split",
    "bias": "Bias",
    "bias_for_fitted": "Bias for what is fitted in the split",
    "conditional": "Variance over splits of one sample",
    "unconditional": "Variance over splits and samples",
    "complete_bias": "Bias of complete subsampling",
    "complete_variance": "Variance of complete subsampling",
}


def _table(told: _Told) -> StudyTable:
    rows: list[dict[str, Cell]] = []
    for n in told.sizes:
        for at, share in enumerate(told.shares):
            row: dict[str, Cell] = {"n": n, "share": share}
            known = [name for name in COLUMNS if f"{n}/{name}" in told.values]
            rows.append(row | {name: told.at(n, name, at) for name in known})
    return StudyTable(
        name="splits",
        title="Split samples and complete subsampling",
        columns={"n": "Rows", "share": "Share to test on", **COLUMNS},
        rows=rows,
        note="Complete subsampling is made of the smallest sample.",
    )


def _figures(told: _Told) -> list[StudyFigure]:
    axis = FigureAxis("share to test on")
    found = []
    for n in told.sizes:
        biases = [told.series(n, "bias", "split sample")]
        variances = [
            told.series(n, "conditional", "over splits of one sample"),
            told.series(n, "unconditional", "over splits and samples"),
        ]
        if f"{n}/complete" in told.values:
            biases.append(told.series(n, "complete_bias", "complete subsampling"))
            variances.append(told.series(n, "complete_variance", "complete subsampling"))
        for name, title, series in (("bias", "Bias", biases), ("variance", "Variance", variances)):
            found.append(
                StudyFigure(
                    name=f"{name}_{n}",
                    title=f"{title} of the estimates, samples of {n} rows",
                    x=axis,
                    y=FigureAxis("error rate" if name == "bias" else "squared error rate"),
                    series=tuple(series),
                )
            )
    return found


def _claims(told: _Told) -> list[StudyClaim]:
    found: list[StudyClaim] = []
    for n in told.sizes:
        for at in range(len(told.shares)):
            found += _at_share(told, n, at)
        last = len(told.shares) - 1
        found += [
            _claim(
                told,
                "The unconditional variance decays with growing mu.",
                (n, "variance_left", at),
                "Unconditional variance",
                f"variance with mu = {told.shares[0]} less that with mu = {told.shares[at]}",
                (0, None),
            )
            for at in (last // 2, last)
        ]
    return [*found, *_of_complete(told, told.sizes[0])]


def _claim(  # noqa: PLR0913 - a claim's own fields
    told: _Told,
    text: str,
    where: tuple[int, str, int],
    place: str,
    measured: str,
    bounds: tuple[float | None, float | None],
) -> StudyClaim:
    return StudyClaim(
        text=text,
        reference=SOURCE,
        place=place,
        measured=f"{measured}, n = {where[0]}",
        figure=told.at(*where),
        at_least=bounds[0],
        at_most=bounds[1],
    )


def _at_share(told: _Told, n: int, at: int) -> list[StudyClaim]:
    mu = f"mu = {told.shares[at]}"
    found = [
        _claim(
            told,
            "The split sample overestimates the risk of what is fitted on all rows.",
            (n, "bias", at),
            "Bias of the split sample",
            f"bias, {mu}",
            (0, None),
        ),
        _claim(
            told,
            "The split sample is unbiased for the risk of what it fitted.",
            (n, "bias_for_fitted", at),
            "Bias of the split sample",
            f"estimate less the error of what was fitted, {mu}, within {NEAR}",
            (-NEAR, NEAR),
        ),
        _claim(
            told,
            "The conditional variance is R(f)(1 - R(f)) / (mu |S|) where the learner is saturated.",
            (n, "binomial_ratio", at),
            "Conditional variance of the split sample",
            f"variance over splits over that formula, {mu}",
            (0.8, 1.25),
        ),
    ]
    if at + 1 < len(told.shares):
        found.append(
            _claim(
                told,
                "The bias grows with mu.",
                (n, "bias_grows", at),
                "Bias of the split sample",
                f"bias with mu = {told.shares[at + 1]} less that with {mu}",
                (0, None),
            )
        )
    return found


def _of_complete(told: _Told, n: int) -> list[StudyClaim]:
    found: list[StudyClaim] = []
    for at, share in enumerate(told.shares):
        found += [
            _claim(
                told,
                "Complete subsampling has the bias of the split sample.",
                (n, "complete_apart", at),
                "Complete subsampling",
                f"its mean less that of the split sample, mu = {share}, within {NEAR}",
                (-NEAR, NEAR),
            ),
            _claim(
                told,
                "Complete subsampling does away with the variance over splits.",
                (n, "complete_saves", at),
                "Complete subsampling",
                f"variance of the split sample less that of all splits, mu = {share}",
                (0, None),
            ),
        ]
    third = min(range(len(told.shares)), key=lambda at: abs(told.shares[at] - 0.3))
    found.append(
        _claim(
            told,
            "Leave-one-out has a high variance beside other complete subsampling.",
            (n, "first_above", third),
            "Leave-one-out: bias and variance",
            f"variance with mu = {told.shares[0]} less that with mu = {told.shares[third]}",
            (0, None),
        )
    )
    return found

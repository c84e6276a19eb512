"""Tables and figures of final target risks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from replications.importance.final_risks import RISKS, TITLES, FinalRisks, Which
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.figures import FigureAxis, FigureSeries, StudyFigure
from thetahat.analyses.studies.tables import MonteCarloNumber, StudyTable
from thetahat.cautions import DATA_SETS_WITHOUT_WEIGHTS, FEW_REPETITIONS, Caution

ENOUGH: Final = 500
"""Repetitions from which a tenth has fifty data sets."""
WEIGHTS: Final = {
    "gaussian_ratio": "ratio of two fitted normals",
    "true": "true density ratio",
    "kernel_mean_matching": "kernel mean matching",
    "kliep": "KLIEP",
}


def findings(  # noqa: PLR0913 - what the presets differ in
    records: Records,
    panels: Mapping[str, str],
    gammas: Sequence[float],
    *,
    claims: Callable[[FinalRisks], list[StudyClaim]],
    axis: str = "gamma, variance of the source",
    cautions: tuple[Caution, ...] = (),
) -> StudyFindings:
    """Return what the repetitions say.

    Parameters
    ----------
    panels : mapping of str to str
        By estimator of the weights, the number of the text's figure.
    """
    told = {name: FinalRisks(records, name, gammas) for name in panels}
    return StudyFindings(
        tables=tuple(_table(one) for one in told.values()),
        figures=tuple(_figure(one, panels[name], axis) for name, one in told.items()),
        claims=tuple(claim for one in told.values() for claim in claims(one)),
        cautions=(
            *cautions,
            *few_repetitions(len(next(iter(records.values())))),
            *(c for one in told.values() for c in _refused(one)),
        ),
        details={
            "from_rows": {name: int((records[f"{name}_from_rows"] == 1).sum()) for name in panels}
        },
    )


def few_repetitions(n: int) -> tuple[Caution, ...]:
    """Caution where a tenth is too small for the error of its mean."""
    if n >= ENOUGH:
        return ()
    return (
        FEW_REPETITIONS(
            n=n,
            more=f", those of a tenth of the data sets most of all; {ENOUGH} are enough",
        ),
    )


def _table(told: FinalRisks) -> StudyTable:
    rows: list[dict[str, MonteCarloNumber | float | str | None]] = []
    for which in ("all", "top"):
        for at, gamma in enumerate(told.gammas):
            row: dict[str, MonteCarloNumber | float | str | None] = {
                "gamma": gamma,
                "of": TITLES[which],
            }
            row |= {risk: told.mean(risk, at, which) for risk in RISKS}
            row["gain"] = told.gain(at, which)
            row["log10_p"] = told.log_p(at, which).value
            row["weight_variance"] = told.mean("weight_variance", at, which)
            rows.append(row)
    return StudyTable(
        name=f"final_risks_{told.name}",
        title=f"Mean final target risks, weights by {WEIGHTS[told.name]}",
        columns={
            "gamma": "gamma",
            "of": "Data sets",
            **{risk: f"Penalty {title}" for risk, title in RISKS.items()},
            "gain": "Weighted less controlled",
            "log10_p": "log10 p of Wilcoxon's test",
            "weight_variance": "Mean variance of the weights",
        },
        rows=rows,
        note="Wilcoxon's signed-rank test, two-sided, by the normal approximation, of the final "
        "risks by the weighted and the controlled risk; its p-value falls with the repetitions.",
    )


def _figure(told: FinalRisks, number: str, axis: str) -> StudyFigure:
    series: list[FigureSeries] = []
    marks: tuple[tuple[Which, str], ...] = (("all", ""), ("top", " >>"))
    for which, mark in marks:
        for risk, title in RISKS.items():
            means = [told.mean(risk, at, which) for at in range(len(told.gammas))]
            series.append(
                FigureSeries(
                    f"{title}{mark}",
                    told.gammas,
                    [one.value for one in means],
                    [one.standard_error for one in means],
                    "line" if which == "all" else "dashed",
                )
            )
    return StudyFigure(
        name=f"figure_{number}_{told.name}",
        title=f"Mean final target risks, weights by {WEIGHTS[told.name]}",
        x=FigureAxis(axis),
        y=FigureAxis("mean target risk"),
        series=tuple(series),
        note=f"Figure {number} of the text; >> is the tenth of the data sets with the largest "
        "variance of the weights.",
    )


def _refused(told: FinalRisks) -> list[Caution]:
    refused = [told.n_refused(at) for at in range(len(told.gammas))]
    if not any(refused):
        return []
    counts = ", ".join(f"{n} with gamma {g:g}" for n, g in zip(refused, told.gammas, strict=True))
    return [DATA_SETS_WITHOUT_WEIGHTS(weights=WEIGHTS[told.name], counts=counts)]

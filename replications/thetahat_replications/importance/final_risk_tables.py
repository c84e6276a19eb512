"""Tables and figures of final target risks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thetahat.analyses.studies.base import Records, StudyFindings
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
from thetahat.cautions import DATA_SETS_WITHOUT_WEIGHTS, FEW_REPETITIONS, Caution
from thetahat_replications.importance.final_risks import RISKS, SUBSET_TITLES, FinalRisks, Subset

if TYPE_CHECKING:
    from thetahat_replications.importance.penalty_selection import SelectionPreset

MIN_REPETITIONS: Final = 500
"""Repetitions with which the tenth has fifty data sets."""
WEIGHT_TITLES: Final = {
    "gaussian_ratio": "ratio of two fitted normals",
    "true": "true density ratio",
    "kernel_mean_matching": "kernel mean matching",
    "kliep": "KLIEP",
}


def compute_findings(
    records: Records, preset: SelectionPreset, cautions: tuple[Caution, ...]
) -> StudyFindings:
    """Return tables, figures and claims from the records of all repetitions.

    There is a panel for each estimator of the weights; ``cautions`` are about the data sets.
    """
    panels = tuple(preset.get_weight_estimators())
    panel_risks = [FinalRisks(records, weights, preset.gammas) for weights in panels]
    n = len(next(iter(records.values())))
    return StudyFindings(
        tables=tuple(_build_final_risks_table(risks) for risks in panel_risks),
        figures=tuple(_build_figure(risks, preset.figure, preset.axis) for risks in panel_risks),
        claims=tuple(claim for risks in panel_risks for claim in preset.claims.judge(risks)),
        cautions=(
            *cautions,
            *check_repetitions_of_tenth(n),
            *(caution for risks in panel_risks for caution in _drop_weights(risks)),
        ),
        details={
            "from_rows": {
                weights: int((records[f"{weights}_from_rows"] == 1).sum()) for weights in panels
            }
        },
    )


def check_repetitions_of_tenth(n: int) -> tuple[Caution, ...]:
    """Return a caution if the tenth is too small for the error of its mean."""
    if n >= MIN_REPETITIONS:
        return ()
    return (
        FEW_REPETITIONS(
            n=n,
            more=f", those of a tenth of the data sets most of all; {MIN_REPETITIONS} are enough",
        ),
    )


def _build_final_risks_table(risks: FinalRisks) -> StudyTable:
    rows: list[dict[str, TableCell]] = []
    for subset in ("all", "top"):
        for at, gamma in enumerate(risks.gammas):
            row: dict[str, TableCell] = {"gamma": gamma, "of": SUBSET_TITLES[subset]}
            row |= {risk: risks.mean(risk, at, subset) for risk in RISKS}
            row["gain"] = risks.gain(at, subset)
            row["log10_p"] = risks.log_p(at, subset).value
            row["weight_variance"] = risks.mean("weight_variance", at, subset)
            rows.append(row)
    return make_table(
        name=f"final_risks_{risks.weights}",
        title=f"Mean final target risks, weights by {WEIGHT_TITLES[risks.weights]}",
        columns={
            "gamma": "gamma",
            "of": "Data sets",
            **{risk: f"Penalty {title}" for risk, title in RISKS.items()},
            "gain": "Weighted minus controlled",
            "log10_p": "log10 p of Wilcoxon's test",
            "weight_variance": "Mean variance of the weights",
        },
        rows=rows,
        note="Two-sided Wilcoxon signed-rank test, by the normal approximation, of the final risks "
        "by the weighted and the controlled risk; its p-value falls with the repetitions.",
    )


def _build_figure(risks: FinalRisks, number: str, axis: str) -> StudyFigure:
    series: list[FigureSeries] = []
    lines: tuple[tuple[Subset, str, SeriesStyle], ...] = (
        ("all", "", "line"),
        ("top", ", most variable weights", "dashed"),
    )
    for subset, mark, style in lines:
        for risk, title in RISKS.items():
            means = [risks.mean(risk, at, subset) for at in range(len(risks.gammas))]
            name = f"{title}{mark}"
            series.append(make_series_of_numbers(name, risks.gammas, means, style, quantity=title))
    return StudyFigure(
        name=f"figure_{number}_{risks.weights}",
        title=f"Mean final target risks, weights by {WEIGHT_TITLES[risks.weights]}",
        x=FigureAxis(title=axis),
        y=FigureAxis(title="mean target risk"),
        series=tuple(series),
        note=f"Figure {number} of the paper. Dashed is the tenth of the data sets with the largest "
        "variance of the weights.",
    )


def _drop_weights(risks: FinalRisks) -> list[Caution]:
    counts = [risks.count_without_weights(at) for at in range(len(risks.gammas))]
    if not any(counts):
        return []
    listed = ", ".join(
        f"{n} with gamma {gamma:g}" for n, gamma in zip(counts, risks.gammas, strict=True)
    )
    return [DATA_SETS_WITHOUT_WEIGHTS(weights=WEIGHT_TITLES[risks.weights], counts=listed)]

"""Tables, figures and claims of the preset ``importance_variances``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from replications.importance.example_setting import ExampleSetting
from replications.importance.final_risks_result import few_repetitions
from replications.importance.variances import VariancesTold, printed
from replications.importance.variances_claims import of_risks, of_weights
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.figures import FigureAxis, FigureSeries, StudyFigure
from thetahat.analyses.studies.monte_carlo import monte_carlo_mean
from thetahat.analyses.studies.tables import MonteCarloNumber, StudyTable
from thetahat.values.types import FloatArray

RISKS: Final = {
    "target": "target risk, sigma_T^2",
    "weighted": "weighted risk, sigma_W^2",
    "controlled": "controlled risk, sigma_beta^2",
}


def findings(
    records: Records,
    *,
    scales: Sequence[float],
    shares_at: Sequence[float],
    constants: FloatArray,
    n: int,
) -> StudyFindings:
    """Return what closed forms and repetitions say."""
    told = VariancesTold(records, scales, n)
    return StudyFindings(
        tables=(_table(told),),
        figures=(_figure_2(told), _figure_3(shares_at, constants), _figure_4(told)),
        claims=(*of_weights(told), *of_risks(told)),
        cautions=few_repetitions(len(records["weighted"])),
    )


def _table(told: VariancesTold) -> StudyTable:
    rows: list[dict[str, MonteCarloNumber | float | str | None]] = []
    for at, g in enumerate(told.scales):
        source, target = ExampleSetting(g).share_above(10)
        row: dict[str, MonteCarloNumber | float | str | None] = {
            "scale": g,
            "weight_variance": _finite(told.weight_variance(at)),
            "weight_variance_simulated": told.simulated_weight_variance(at),
            "above_10_source": source,
            "above_10_source_simulated": monte_carlo_mean(told.records["above_10"][:, at]),
            "above_10_target": target,
        }
        for name in RISKS:
            row[name] = _finite(told.variance(name, at))
            row[f"{name}_simulated"] = told.simulated(name, at)
        rows.append(row)
    columns = {
        "scale": "g",
        "weight_variance": "Variance of the weights",
        "weight_variance_simulated": "simulated",
        "above_10_source": "P(w > 10), source",
        "above_10_source_simulated": "simulated",
        "above_10_target": "P(w > 10), target",
    }
    for name, title in RISKS.items():
        columns |= {name: f"Variance of the {title}", f"{name}_simulated": "simulated"}
    return StudyTable(
        name="variances",
        title="Variances in the example setting, in closed form and simulated",
        columns=columns,
        rows=rows,
        note="An infinite variance is null. For g up to .87 simulated variances and their errors "
        "are mostly too small: the fourth moment of the weights is infinite.",
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _figure_2(told: VariancesTold) -> StudyFigure:
    x = [told.scales[at] for at in told.finite]
    simulated = [told.simulated_weight_variance(at) for at in told.finite]
    return StudyFigure(
        name="figure_2",
        title="Variance of the importance weights",
        x=FigureAxis("g, standard deviation of the source"),
        y=FigureAxis("variance of the weights", "log"),
        series=(
            FigureSeries("closed form", x, [told.weight_variance(at) for at in told.finite]),
            FigureSeries("simulated", x, *_y_and_error(simulated), style="points"),
            FigureSeries("as printed", x, [printed(g) for g in x], style="dashed"),
        ),
        note="Figure 2 of the text. As printed the formula lacks a root.",
    )


def _figure_3(shares_at: Sequence[float], constants: FloatArray) -> StudyFigure:
    series: list[FigureSeries] = []
    for g in shares_at:
        example = ExampleSetting(g)
        shares = np.array([example.share_above(float(c)) for c in constants])
        series += [
            FigureSeries(f"g = {g:g}, target", constants, shares[:, 1]),
            FigureSeries(f"g = {g:g}, source", constants, shares[:, 0], style="dashed"),
        ]
    return StudyFigure(
        name="figure_3",
        title="Chance that a weight exceeds a constant",
        x=FigureAxis("constant c"),
        y=FigureAxis("P(w > c)"),
        series=tuple(series),
        note="Figure 3 of the text, which does not say under which population: its 0.2 is the "
        "target's.",
    )


def _figure_4(told: VariancesTold) -> StudyFigure:
    x = [told.scales[at] for at in told.finite]
    series: list[FigureSeries] = []
    for name, title in RISKS.items():
        simulated = [told.simulated(name, at) for at in told.finite]
        series += [
            FigureSeries(title, x, [told.variance(name, at) for at in told.finite]),
            FigureSeries(f"{title}, simulated", x, *_y_and_error(simulated), style="points"),
        ]
    return StudyFigure(
        name="figure_4",
        title="Sampling variance of three risks",
        x=FigureAxis("g, standard deviation of the source"),
        y=FigureAxis("n times the sampling variance", "log"),
        series=tuple(series),
        note="Figure 4 of the text.",
    )


def _y_and_error(
    numbers: Sequence[MonteCarloNumber],
) -> tuple[list[float | None], list[float | None]]:
    return [n.value for n in numbers], [n.standard_error for n in numbers]

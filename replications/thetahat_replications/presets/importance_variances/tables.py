"""Table and figures of the preset ``importance_variances``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.monte_carlo import estimate_mean
from thetahat.analyses.studies.result import (
    FigureAxis,
    FigureSeries,
    SeriesStyle,
    StudyFigure,
    StudyTable,
    TableCell,
    make_series,
    make_series_of_numbers,
    make_table,
)
from thetahat.values.types import FloatArray
from thetahat_replications.importance.final_risk_tables import check_repetitions_of_tenth
from thetahat_replications.presets.importance_variances.claims import judge_variances
from thetahat_replications.presets.importance_variances.populations import (
    build_figure_1,
    list_figures_5,
)
from thetahat_replications.presets.importance_variances.variances import (
    SHARE_CONSTANT,
    ExampleVariances,
    compute_shares_above,
    evaluate_printed_weight_variance,
)

RISKS: Final = {
    "target": "target risk, σ_T²",
    "weighted": "weighted risk, σ_W²",
    "controlled": "controlled risk, σ_β²",
}


_POPULATIONS: Final[tuple[tuple[str, str, SeriesStyle], ...]] = (
    ("centred", "N(0, g²)", "line"),
    ("source", "source", "dashed"),
    ("target", "target", "points"),
)


def compute_findings(
    records: Records,
    *,
    scales: Sequence[float],
    shares_at: Sequence[float],
    constants: FloatArray,
    n: int,
) -> StudyFindings:
    """Return table, figures and claims from the records of all repetitions."""
    variances = ExampleVariances(records, scales, n)
    return StudyFindings(
        tables=(_build_variances_table(variances),),
        figures=(
            build_figure_1(),
            _build_figure_2(variances),
            _build_figure_3(shares_at, constants),
            _build_figure_4(variances),
            *list_figures_5(),
        ),
        claims=judge_variances(variances),
        cautions=check_repetitions_of_tenth(variances.n_repetitions),
    )


def _build_variances_table(variances: ExampleVariances) -> StudyTable:
    rows: list[dict[str, TableCell]] = []
    for at, g in enumerate(variances.scales):
        shares = compute_shares_above(g, SHARE_CONSTANT)
        row: dict[str, TableCell] = {
            "scale": g,
            "weight_variance": _replace_infinite_by_none(variances.weight_variance(at)),
            "weight_variance_simulated": variances.simulated_weight_variance(at),
            "above_10_source": shares["source"],
            "above_10_source_simulated": estimate_mean(variances.records["above_10"][:, at]),
            "above_10_target": shares["target"],
            "above_10_centred": shares["centred"],
        }
        for risk in RISKS:
            row[risk] = _replace_infinite_by_none(variances.variance(risk, at))
            row[f"{risk}_simulated"] = variances.simulated_variance(risk, at)
        rows.append(row)
    columns = {
        "scale": "g",
        "weight_variance": "Variance of the weights",
        "weight_variance_simulated": "simulated",
        "above_10_source": "P(w > 10), source",
        "above_10_source_simulated": "simulated",
        "above_10_target": "P(w > 10), target",
        "above_10_centred": "P(w > 10), N(0, g²)",
    }
    for risk, title in RISKS.items():
        columns |= {risk: f"Variance of the {title}", f"{risk}_simulated": "simulated"}
    return make_table(
        name="variances",
        title="Variances in the example setting, in closed form and simulated",
        columns=columns,
        rows=rows,
        note="Infinite variances are empty. The claims are decided by quadrature. For g up to "
        "0.87 the simulated variances and their errors are mostly too small, because the fourth "
        "moment of the weights is infinite; above it they are still rough, and no claim uses them.",
    )


def _replace_infinite_by_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _build_figure_2(variances: ExampleVariances) -> StudyFigure:
    finite = variances.finite
    x = [variances.scales[at] for at in finite]
    simulated = [variances.simulated_weight_variance(at) for at in finite]
    closed = [variances.weight_variance(at) for at in finite]
    printed = [evaluate_printed_weight_variance(g) for g in x]
    return StudyFigure(
        name="figure_2",
        title="Variance of the importance weights",
        x=FigureAxis(title="g, standard deviation of the source"),
        y=FigureAxis(title="variance of the weights", scale="log"),
        series=(
            make_series("closed form", x, closed, quantity="variance"),
            make_series_of_numbers("simulated", x, simulated, "points", quantity="variance"),
            make_series("as printed", x, printed, style="dashed"),
        ),
        note="Figure 2 of the paper. The printed formula lacks a root.",
    )


def _build_figure_3(shares_at: Sequence[float], constants: FloatArray) -> StudyFigure:
    series: list[FigureSeries] = []
    for g in shares_at:
        name, shares = f"g = {g:g}", [compute_shares_above(g, float(c)) for c in constants]
        series += [
            make_series(
                f"{name}, {title}",
                constants,
                [share[of] for share in shares],
                style=style,
                quantity=name,
            )
            for of, title, style in _POPULATIONS
        ]
    return StudyFigure(
        name="figure_3",
        title="Probability that a weight exceeds a constant",
        x=FigureAxis(title="constant c"),
        y=FigureAxis(title="P(w > c)"),
        series=tuple(series),
        note="Figure 3 of the paper, which does not name the population. The authors' script "
        "computes the probability for x from N(0, g²): 0.164 with g = 0.7, the paper's 0.2.",
    )


def _build_figure_4(variances: ExampleVariances) -> StudyFigure:
    finite = variances.finite
    x = [variances.scales[at] for at in finite]
    series: list[FigureSeries] = []
    for risk, title in RISKS.items():
        closed = [variances.variance(risk, at) for at in finite]
        simulated = [variances.simulated_variance(risk, at) for at in finite]
        series += [
            make_series(title, x, closed, quantity=title),
            make_series_of_numbers(f"{title}, simulated", x, simulated, "points", quantity=title),
        ]
    return StudyFigure(
        name="figure_4",
        title="Sampling variance of three risks",
        x=FigureAxis(title="g, standard deviation of the source"),
        y=FigureAxis(title="n times the sampling variance", scale="log"),
        series=tuple(series),
        note="Figure 4 of the paper.",
    )

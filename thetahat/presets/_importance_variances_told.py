"""Tables, figures and claims of the preset ``importance_variances``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from thetahat.studies.base import Findings, Records
from thetahat.studies.claims import Claim
from thetahat.studies.figures import Axis, Figure, Series
from thetahat.studies.monte_carlo import mean_of, variance_of
from thetahat.studies.tables import Number, Table
from thetahat.types import FloatArray
from thetahat.weights._closed_forms import ExampleSetting

SOURCE: Final = "kouw2019"
TAME: Final = math.sqrt(0.75)
"""The g above which the fourth moment of the weights is finite: simulated variances have errors."""
RISKS: Final = {
    "target": "target risk, sigma_T^2",
    "weighted": "weighted risk, sigma_W^2",
    "controlled": "controlled risk, sigma_beta^2",
}
NEAR: Final = (0.95, 1.05)


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    records: Records
    scales: Sequence[float]
    n: int

    @property
    def finite(self) -> list[int]:
        """Places of the g with finite variances."""
        return [at for at, g in enumerate(self.scales) if self.weight_variance(at) < math.inf]

    @property
    def tame(self) -> list[int]:
        """Places of the g whose simulated variances have errors."""
        return [at for at, g in enumerate(self.scales) if g > TAME]

    def weight_variance(self, at: int) -> float:
        return ExampleSetting(self.scales[at]).weight_variance()

    def simulated_weight_variance(self, at: int) -> Number:
        """The mean is known to be one, so the variance is a mean."""
        return mean_of(self.records["mean_square"][:, at] - 1)

    def variance(self, name: str, at: int) -> float:
        """Return the closed form of one point's variance."""
        example = ExampleSetting(self.scales[at])
        return float(getattr(example, f"{name}_variance")())

    def simulated(self, name: str, at: int) -> Number:
        """Variance over data sets times the size of one."""
        found = variance_of(self.records[name][:, at])
        return times(found, self.n)


def times(number: Number, factor: float) -> Number:
    """Return a number times a factor."""
    if number.value is None or number.standard_error is None:
        return Number(None if number.value is None else number.value * factor)
    return Number(number.value * factor, number.standard_error * abs(factor))


def findings(
    records: Records,
    *,
    scales: Sequence[float],
    shares_at: Sequence[float],
    constants: FloatArray,
    n: int,
) -> Findings:
    """Return what closed forms and repetitions say."""
    told = _Told(records, scales, n)
    return Findings(
        tables=(_table(told),),
        figures=(_figure_2(told), _figure_3(shares_at, constants), _figure_4(told)),
        claims=(*_of_weights(told), *_of_risks(told)),
    )


def _table(told: _Told) -> Table:
    rows: list[dict[str, Number | float | str | None]] = []
    for at, g in enumerate(told.scales):
        source, target = ExampleSetting(g).share_above(10)
        row: dict[str, Number | float | str | None] = {
            "scale": g,
            "weight_variance": _finite(told.weight_variance(at)),
            "weight_variance_simulated": told.simulated_weight_variance(at),
            "above_10_source": source,
            "above_10_source_simulated": mean_of(told.records["above_10"][:, at]),
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
    return Table(
        name="variances",
        title="Variances in the example setting, in closed form and simulated",
        columns=columns,
        rows=rows,
        note="An infinite variance is null. For g up to .87 simulated variances and their errors "
        "are mostly too small: the fourth moment of the weights is infinite.",
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _figure_2(told: _Told) -> Figure:
    x = [told.scales[at] for at in told.finite]
    simulated = [told.simulated_weight_variance(at) for at in told.finite]
    return Figure(
        name="figure_2",
        title="Variance of the importance weights",
        x=Axis("g, standard deviation of the source"),
        y=Axis("variance of the weights", "log"),
        series=(
            Series("closed form", x, [told.weight_variance(at) for at in told.finite]),
            Series("simulated", x, *_y_and_error(simulated), style="points"),
            Series("as printed", x, [printed(g) for g in x], style="dashed"),
        ),
        note="Figure 2 of the text. As printed the formula lacks a root.",
    )


def printed(g: float) -> float:
    """Return the weights' variance as the text prints it."""
    excess = 2 * g * g - 1
    return g * g / excess * math.exp(1 / excess) - 1


def _figure_3(shares_at: Sequence[float], constants: FloatArray) -> Figure:
    series: list[Series] = []
    for g in shares_at:
        example = ExampleSetting(g)
        shares = np.array([example.share_above(float(c)) for c in constants])
        series += [
            Series(f"g = {g:g}, target", constants, shares[:, 1]),
            Series(f"g = {g:g}, source", constants, shares[:, 0], style="dashed"),
        ]
    return Figure(
        name="figure_3",
        title="Chance that a weight exceeds a constant",
        x=Axis("constant c"),
        y=Axis("P(w > c)"),
        series=tuple(series),
        note="Figure 3 of the text, which does not say under which population: its 0.2 is the "
        "target's.",
    )


def _figure_4(told: _Told) -> Figure:
    x = [told.scales[at] for at in told.finite]
    series: list[Series] = []
    for name, title in RISKS.items():
        simulated = [told.simulated(name, at) for at in told.finite]
        series += [
            Series(title, x, [told.variance(name, at) for at in told.finite]),
            Series(f"{title}, simulated", x, *_y_and_error(simulated), style="points"),
        ]
    return Figure(
        name="figure_4",
        title="Sampling variance of three risks",
        x=Axis("g, standard deviation of the source"),
        y=Axis("n times the sampling variance", "log"),
        series=tuple(series),
        note="Figure 4 of the text.",
    )


def _y_and_error(numbers: Sequence[Number]) -> tuple[list[float | None], list[float | None]]:
    return [n.value for n in numbers], [n.standard_error for n in numbers]

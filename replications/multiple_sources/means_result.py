"""Tables, figures and claims of the preset ``multiple_source_means``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.figures import FigureAxis, FigureSeries, StudyFigure
from thetahat.analyses.studies.monte_carlo import monte_carlo_mean
from thetahat.analyses.studies.tables import MonteCarloNumber, StudyTable
from thetahat.cautions import Caution
from thetahat.values.types import FloatArray

SOURCE: Final = "geras2013"
TITLES: Final = {
    "cvs": "CVS, by source",
    "cvr": "CVR, at random",
    "ose": "error on a new source",
}
ENOUGH: Final = 50
"""Documents of each source from which on the text's claims about CVR are judged: with fewer,
training sets that are smaller by a block outweigh what CVR knows of its sources."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One point of a panel."""

    n_sources: int
    size: int
    panel: Literal["sources", "size"]


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    records: Records
    settings: Sequence[Setting]

    def places(self, panel: str) -> list[int]:
        """Return where a panel's settings stand."""
        return [s for s, setting in enumerate(self.settings) if setting.panel == panel]

    def mean(self, name: str, at: int) -> MonteCarloNumber:
        """Mean over the draws of domains."""
        return monte_carlo_mean(self.records[f"{name}_mean"][:, at])

    def deviation(self, name: str, at: int) -> MonteCarloNumber:
        """Mean over the draws of domains of the deviation over data sets."""
        return monte_carlo_mean(self._deviations(name)[:, at])

    def _deviations(self, name: str) -> FloatArray:
        known = self.records.get(f"{name}_sd")
        means = self.records[f"{name}_mean"]
        return np.full(means.shape, math.nan) if known is None else known

    def bias(self, name: str, at: int) -> MonteCarloNumber:
        """Mean of an estimate less the error on a new source, in the same draws."""
        return monte_carlo_mean((self.records[f"{name}_mean"] - self.records["ose_mean"])[:, at])

    def nearer(self, at: int) -> MonteCarloNumber:
        """How much less CVS is off than CVR; positive where it is nearer."""
        sides = {}
        for name in ("cvs", "cvr"):
            off = (self.records[f"{name}_mean"] - self.records["ose_mean"])[:, at]
            sides[name] = math.copysign(1, off.mean()) * off
        return monte_carlo_mean(sides["cvr"] - sides["cvs"])

    def deviations_apart(self, at: int, factor: float = 1.0) -> MonteCarloNumber:
        """Deviation of CVS less ``factor`` times that of CVR."""
        return monte_carlo_mean((self._deviations("cvs") - factor * self._deviations("cvr"))[:, at])

    def fallen(self, name: str, first: int, last: int) -> MonteCarloNumber:
        """Deviation at the last setting less a half of that at the first."""
        return monte_carlo_mean(
            self._deviations(name)[:, last] - self._deviations(name)[:, first] / 2
        )


def findings(
    records: Records, settings: Sequence[Setting], cautions: tuple[Caution, ...]
) -> StudyFindings:
    """Return what the repetitions say."""
    told = _Told(records, settings)
    return StudyFindings(
        tables=(_table(told),),
        figures=tuple(_figures(told)),
        claims=tuple(_claims(told)),
        cautions=cautions,
    )


def _table(told: _Told) -> StudyTable:
    rows = []
    for at, setting in enumerate(told.settings):
        row: dict[str, MonteCarloNumber | float | str | None] = {
            "panel": "K varies" if setting.panel == "sources" else "M varies",
            "n_sources": setting.n_sources,
            "size": setting.size,
        }
        row |= {name: told.mean(name, at) for name in TITLES}
        row |= {f"{name}_bias": told.bias(name, at) for name in ("cvs", "cvr")}
        row |= {f"{name}_sd": told.deviation(name, at) for name in ("cvs", "cvr")}
        rows.append(row)
    return StudyTable(
        name="means_and_deviations",
        title="Cross-validation by source and at random, and the error on a new source",
        columns={
            "panel": "Panel",
            "n_sources": "Sources K",
            "size": "Documents of each M",
            "cvs": "Mean of CVS",
            "cvr": "Mean of CVR",
            "ose": "Error on a new source",
            "cvs_bias": "CVS less that error",
            "cvr_bias": "CVR less that error",
            "cvs_sd": "Deviation of CVS",
            "cvr_sd": "Deviation of CVR",
        },
        rows=rows,
        note="Errors are over draws of domains; a deviation is over data sets of the same domains.",
    )


def _figures(told: _Told) -> list[StudyFigure]:
    found = []
    panels = (
        ("sources", "sources K", [s.n_sources for s in told.settings if s.panel == "sources"]),
        (
            "size",
            "documents of each source M",
            [s.size for s in told.settings if s.panel == "size"],
        ),
    )
    for number, what, names in ((2, "mean", tuple(TITLES)), (3, "deviation", ("cvs", "cvr"))):
        for panel, axis, x in panels:
            places = told.places(panel)
            series = []
            for name in names:
                numbers = [getattr(told, what)(name, at) for at in places]
                y = [one.value for one in numbers]
                error = [one.standard_error for one in numbers]
                style: Literal["dashed", "line"] = "dashed" if name == "ose" else "line"
                series.append(FigureSeries(TITLES[name], x, y, error, style))
            title = "Means" if what == "mean" else "Standard deviations"
            found.append(
                StudyFigure(
                    name=f"figure_{number}_{panel}",
                    title=f"{title} against the number of {axis}",
                    x=FigureAxis(axis, "log" if panel == "size" else "linear"),
                    y=FigureAxis("error rate" if what == "mean" else "standard deviation"),
                    series=tuple(series),
                    note=f"Figure {number} of the text.",
                )
            )
    return found


def _claims(told: _Told) -> list[StudyClaim]:
    by_k, by_m = told.places("sources"), told.places("size")
    large = [at for at in by_m if told.settings[at].size >= ENOUGH]
    found = [
        StudyClaim(
            text="CVS yields a better estimate of the error on a new source than CVR.",
            reference=SOURCE,
            place="section 6.1, Figure 2",
            measured=f"how much farther off CVR is than CVS, {_named(told, at)}",
            figure=told.nearer(at),
            at_least=0,
        )
        for at in (by_k[-1], by_m[-1])
    ]
    found += [
        StudyClaim(
            text="CVR yields an optimistic estimate, though its training sets are smaller.",
            reference=SOURCE,
            place="section 6.1, Figure 2",
            measured=f"mean of CVR less the error on a new source, {_named(told, at)}",
            figure=told.bias("cvr", at),
            at_most=0,
        )
        for at in large
    ]
    found += [
        StudyClaim(
            text="CVS yields a pessimistic estimate of the error on a new source.",
            reference=SOURCE,
            place="section 6.1, Figure 2",
            measured=f"mean of CVS less the error on a new source, {_named(told, at)}",
            figure=told.bias("cvs", at),
            at_least=0,
        )
        for at in by_m
    ]
    found += [
        StudyClaim(
            text="With many documents CVS comes to the error on a new source, CVR does not.",
            reference=SOURCE,
            place="section 6.1, Figure 2",
            measured=f"{name.upper()} less the error on a new source, {_named(told, by_m[-1])}",
            figure=told.bias(name, by_m[-1]),
            at_least=-0.01 if name == "cvs" else None,
            at_most=0.01 if name == "cvs" else -0.01,
        )
        for name in ("cvs", "cvr")
    ]
    return [*found, *_of_deviations(told, by_m)]


def _of_deviations(told: _Told, by_m: list[int]) -> list[StudyClaim]:
    first, last = by_m[0], by_m[-1]
    found = [
        StudyClaim(
            text="CVS has the higher variance.",
            reference=SOURCE,
            place="section 6.1, Figure 3",
            measured=f"deviation of CVS less that of CVR, {_named(told, at)}",
            figure=told.deviations_apart(at),
            at_least=0,
        )
        for at in by_m
    ]
    found += [
        StudyClaim(
            text="The variances of CVS and CVR are of the same order of magnitude.",
            reference=SOURCE,
            place="section 6.1, Figure 3",
            measured=f"deviation of CVS less sqrt(10) times that of CVR, {_named(told, at)}",
            figure=told.deviations_apart(at, math.sqrt(10)),
            at_most=0,
        )
        for at in (first, last)
    ]
    found += [
        StudyClaim(
            text="The variances of both tend to 0 for large data sets.",
            reference=SOURCE,
            place="section 6.1, Figure 3",
            measured=(
                f"deviation of {name.upper()}, {_named(told, last)}, less a half of that with "
                f"M = {told.settings[first].size}"
            ),
            figure=told.fallen(name, first, last),
            at_most=0,
        )
        for name in ("cvs", "cvr")
    ]
    return found


def _named(told: _Told, at: int) -> str:
    setting = told.settings[at]
    return f"K = {setting.n_sources}, M = {setting.size}"

"""Table and figures of the preset ``multiple_source_means``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.result import (
    FigureAxis,
    StudyFigure,
    StudyTable,
    TableCell,
    make_series_of_numbers,
    make_table,
)
from thetahat.cautions import Caution
from thetahat_replications.presets.multiple_source_means.claims import judge_means
from thetahat_replications.presets.multiple_source_means.statistics import (
    MeansStatistics,
    PanelSetting,
)

ESTIMATES: Final = ("cvs", "cvr", "ose")
TITLES: Final = {
    "cvs": "CVS, by source",
    "cvr": "CVR, at random",
    "ose": "error on a new source",
}


def compute_findings(
    records: Records, settings: Sequence[PanelSetting], cautions: tuple[Caution, ...]
) -> StudyFindings:
    """Return table, figures and claims from the records of all repetitions."""
    statistics = MeansStatistics(records, settings)
    return StudyFindings(
        tables=(_build_means_table(statistics),),
        figures=tuple(_build_figures(statistics)),
        claims=judge_means(statistics),
        cautions=cautions,
    )


def _build_means_table(statistics: MeansStatistics) -> StudyTable:
    rows = []
    for at, setting in enumerate(statistics.settings):
        row: dict[str, TableCell] = {
            "panel": "K varies" if setting.panel == "sources" else "M varies",
            "n_sources": setting.n_sources,
            "size": setting.size,
        }
        row |= {name: statistics.mean(name, at) for name in ESTIMATES}
        row |= {f"{name}_bias": statistics.bias(name, at) for name in ("cvs", "cvr")}
        row |= {f"{name}_sd": statistics.deviation(name, at) for name in ("cvs", "cvr")}
        rows.append(row)
    return make_table(
        name="means_and_deviations",
        title="Cross-validation by source and at random, and the error on a new source",
        columns={
            "panel": "Panel",
            "n_sources": "Sources K",
            "size": "Documents of each source M",
            "cvs": "Mean of CVS",
            "cvr": "Mean of CVR",
            "ose": "Error on a new source",
            "cvs_bias": "CVS minus that error",
            "cvr_bias": "CVR minus that error",
            "cvs_sd": "Standard deviation of CVS",
            "cvr_sd": "Standard deviation of CVR",
        },
        rows=rows,
        note="Standard errors are over draws of domains; a standard deviation is over data sets "
        "from the same domains.",
    )


def _build_figures(statistics: MeansStatistics) -> list[StudyFigure]:
    settings, figures = statistics.settings, []
    panels: tuple[tuple[str, str, list[int]], ...] = (
        ("sources", "sources K", [s.n_sources for s in settings if s.panel == "sources"]),
        ("size", "documents of each source M", [s.size for s in settings if s.panel == "size"]),
    )
    for number, names, compute, title, unit in (
        (2, ESTIMATES, statistics.mean, "Means", "error rate"),
        (3, ("cvs", "cvr"), statistics.deviation, "Standard deviations", "standard deviation"),
    ):
        for panel, axis, x in panels:
            series = [
                make_series_of_numbers(
                    TITLES[name],
                    x,
                    [compute(name, at) for at in statistics.positions(panel)],
                    "dashed" if name == "ose" else "line",
                )
                for name in names
            ]
            figures.append(
                StudyFigure(
                    name=f"figure_{number}_{panel}",
                    title=f"{title} against the number of {axis}",
                    x=FigureAxis(title=axis, scale="log" if panel == "size" else "linear"),
                    y=FigureAxis(title=unit),
                    series=tuple(series),
                    note=f"Figure {number} of the source.",
                )
            )
    return figures

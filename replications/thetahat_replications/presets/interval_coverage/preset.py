"""Parameters and repetitions of the preset ``interval_coverage``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.record_names import make_record_name, split_record_name
from thetahat.errors import InvalidParameter
from thetahat.parameter_checks import check_level, require
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray
from thetahat_replications.parameter_checks import check_largest, is_ascending
from thetahat_replications.presets.interval_coverage.cells import CoverageCell, build_cells
from thetahat_replications.presets.interval_coverage.metric_settings import build_metric_settings
from thetahat_replications.presets.interval_coverage.metric_study import (
    MetricCell,
    build_metric_cells,
)
from thetahat_replications.presets.interval_coverage.metric_tables import compute_metric_findings
from thetahat_replications.presets.interval_coverage.settings import (
    ROLES,
    TITLES,
    CoverageSetting,
    build_dataset_setting,
    build_settings,
    remove_copies,
)
from thetahat_replications.presets.interval_coverage.shifted_samples import (
    SHIFTS,
    build_shift_cells,
)
from thetahat_replications.presets.interval_coverage.tables import compute_findings


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalCoverage:
    """Coverage and width of every interval of the service.

    One repetition draws from each population, runs each scheme with each learner, and builds every
    interval that fits. Coverage is computed for the interval's own target and for the expected
    error of learning from all n rows. The rule by which the service recommends an interval rests on
    this study, which also has the methods of the largest published comparison.

    Methods that fit the learner again do so on draws of the smallest size, with 100 resamples, or
    fewer if each needs many fits. Rows in clusters have schemes of their own: each cluster whole on
    one side of a split, or rows at random, to show how intervals fail that take rows as
    independent. Samples from another population have weighted risks, with true and with estimated
    weights.

    Parameters
    ----------
    sizes : tuple of int
        Rows of a draw, ascending; if blocks are sources, about as many in all.
    level : float
        Confidence level of the intervals.
    populations : tuple of str
        The generators' settings to use; empty for all. Data sets are always used.
    refits : bool
        Whether to include methods that fit the learner again, at the smallest size.
    metrics : bool
        Whether to include metrics that are not mean losses, in settings of their own.

    The design (many learners and populations, expected risk and own target) is that of schulz2024;
    clusters follow cameron2015, and weighted risks kouw2019.
    """

    sizes: tuple[int, ...] = (50, 200)
    level: float = 0.95
    populations: tuple[str, ...] = ()
    refits: bool = True
    metrics: bool = True

    info: ClassVar[MethodInfo] = MethodInfo(
        name="interval_coverage",
        title="Coverage of every interval",
        summary=(
            "Coverage and width of every interval of the service, over learners, sample sizes, "
            "losses, schemes and targets: the basis of the recommended intervals."
        ),
        references=(
            "schulz2024",
            "cameron2015",
            "kouw2019",
            "nadeau2003",
            "bayle2020",
            "bates2024",
            "geras2013",
            "gneiting2007",
        ),
        assumptions="The truth can be computed: generators, or data with rows left over.",
        errs="Coverage may differ on other populations: calibrate on your own data.",
    )
    repetitions: ClassVar[int] = 500
    roles: ClassVar[Mapping[str, str]] = ROLES

    def __post_init__(self) -> None:
        sizes_fit = is_ascending(self.sizes) and self.sizes[0] >= 20
        require(sizes_fit, "sizes", self.sizes, "must ascend from 20 or more")
        check_largest("sizes", *self.sizes)
        check_level(self.level)
        known = [*build_settings(), *SHIFTS, *(build_metric_settings() if self.metrics else ())]
        unknown = [name for name in self.populations if name not in known]
        if unknown:
            raise InvalidParameter(
                f"populations must be of {', '.join(known)}; got {unknown[0]!r}.",
                loc=("populations",),
                value=unknown[0],
            )

    def plan(self, data: Mapping[str, Data], seed: int) -> CoverageStudy:
        """Return the study of the data sets and the generators."""
        cells = []
        for n in self.sizes:
            chosen = self._choose_settings(n, data)
            refits = self.refits and n == self.sizes[0]
            cells += build_cells(chosen, (n,), self.level, seed, refits=refits)
        cells += build_shift_cells(self.populations, self.sizes, self.level, seed)
        metric_cells = []
        if self.metrics:
            metric_cells = build_metric_cells(self.populations, self.sizes, self.level, seed)
        return CoverageStudy(cells, self.level, metric_cells)

    def _choose_settings(self, n: int, data: Mapping[str, Data]) -> dict[str, CoverageSetting]:
        """Return the generators' settings that are named, and those of the data sets."""
        chosen = {
            name: setting
            for name, setting in build_settings(n).items()
            if not self.populations or name in self.populations
        }
        for role in ROLES:
            if role in data:
                rows = remove_copies(data[role])
                self._check_enough_rows(rows)
                chosen[TITLES[role]] = build_dataset_setting(rows)
        return chosen

    def _check_enough_rows(self, data: Data) -> None:
        largest = self.sizes[-1]
        if data.n < 2 * largest:
            raise InvalidParameter(
                f"The data set has {data.n} rows without copies, and draws of {largest} rows need "
                f"at least {2 * largest}. Use smaller sizes.",
                loc=("sizes", len(self.sizes) - 1),
                value=largest,
            )


@dataclass(frozen=True, slots=True, eq=False)
class CoverageStudy:
    """The repetitions of every cell; the names of their records begin with the cell's name."""

    cells: list[CoverageCell]
    level: float
    metric_cells: Sequence[MetricCell] = ()

    @property
    def grain(self) -> int:
        """One: repetitions are computed one by one."""
        return 1

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Run the repetitions ``start`` to ``stop - 1`` of every cell."""
        all_cells: list[CoverageCell | MetricCell] = [*self.cells, *self.metric_cells]
        return {
            make_record_name(cell.name, name): values
            for cell in all_cells
            for name, values in cell.study.run(start, stop).items()
        }

    def finish(self, records: Records) -> StudyFindings:
        """Return tables, figures and claims."""
        by_cell: dict[str, dict[str, FloatArray]] = {}
        for whole_name, values in records.items():
            cell_name, name = split_record_name(whole_name)
            by_cell.setdefault(cell_name, {})[name] = values
        return compute_all_findings(
            [(cell, by_cell[cell.name]) for cell in self.cells],
            [(cell, by_cell[cell.name]) for cell in self.metric_cells],
            self.level,
        )


def compute_all_findings(
    cell_records: Sequence[tuple[CoverageCell, Records]],
    metric_cell_records: Sequence[tuple[MetricCell, Records]],
    level: float,
) -> StudyFindings:
    """Return tables, figures and claims about losses and, if there are any cells, about metrics."""
    findings = compute_findings(cell_records, level)
    if not metric_cell_records:
        return findings
    of_metrics = compute_metric_findings(metric_cell_records, level)
    return replace(
        findings,
        tables=(*findings.tables, *of_metrics.tables),
        figures=(*findings.figures, *of_metrics.figures),
        claims=(*findings.claims, *of_metrics.claims),
    )

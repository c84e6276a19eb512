"""Which interval covers: every interval of the product, over learners, sizes, losses, schemes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from replications.coverage.cells import Cell, cells
from replications.coverage.metric_settings import metric_settings
from replications.coverage.metrics import MetricCell, metric_cells
from replications.coverage.metrics_result import metric_findings
from replications.coverage.result import findings
from replications.coverage.settings import (
    ROLES,
    TITLES,
    Setting,
    setting_of,
    settings,
    without_copies,
)
from replications.coverage.shifted_samples import SHIFTS, shift_cells
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.record_names import record_name, split_record_name
from thetahat.errors import InvalidParameter
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalCoverage:
    """Coverage and width of every interval that the service builds.

    One repetition draws from each population, runs each scheme with each learner, and builds every
    interval that fits. Coverage is told against the interval's own target and against the expected
    error of learning from all n rows. It is the study behind the rule by which an interval is
    recommended, and sets the methods of the largest published comparison beside its figures.

    Methods that fit the learner again do so on draws of the smallest size, with 100 resamples or
    fewer where each means many fits. Rows in clusters have schemes of their own, with each cluster
    whole on one side of a split or with rows at random, and are told apart in all tables: what
    takes rows as independent is there to show how it fails. Samples from another population than
    the one that is spoken of have weighted risks, with the true weights and with estimated ones.

    Parameters
    ----------
    sizes : tuple of int
        Rows of a draw, ascending; by source about as many in all.
    level : float
        Of the intervals.
    populations : tuple of str
        Which of the generators' settings; empty for all. Data sets come on top.
    refits : bool
        Whether methods that fit the learner again are among them, at the smallest size.
    metrics : bool
        Whether metrics that are no averages are measured too, in settings of their own.

    Source: schulz2024 (the design: many learners and populations, expected risk and own target);
    cameron2015 for clusters, kouw2019 for weighted risks.
    """

    sizes: tuple[int, ...] = (50, 200)
    level: float = 0.95
    populations: tuple[str, ...] = ()
    refits: bool = True
    metrics: bool = True

    info: ClassVar[MethodInfo] = MethodInfo(
        name="interval_coverage",
        title="Which interval covers",
        summary=(
            "Coverage and width of every interval of the service, over learners, sample sizes, "
            "losses, schemes and targets: what the recommendation rests on."
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
        assumptions="The truth can be had: of generators, or of data with rows left over.",
        errs="What covers on these populations need not on yours: calibrate on your own data.",
    )
    repetitions: ClassVar[int] = 500
    roles: ClassVar[Mapping[str, str]] = ROLES

    def __post_init__(self) -> None:
        sizes = list(self.sizes)
        if not sizes or sizes[0] < 20 or sizes != sorted(set(sizes)):
            raise InvalidParameter(
                f"sizes must ascend from 20 or more, got {sizes}", loc=("sizes",), value=sizes
            )
        if not 0 < self.level < 1:
            raise InvalidParameter(
                f"level must be in (0, 1), got {self.level}", loc=("level",), value=self.level
            )
        known = [*settings(), *SHIFTS, *(metric_settings() if self.metrics else ())]
        unknown = [name for name in self.populations if name not in known]
        if unknown:
            raise InvalidParameter(
                f"populations are of {', '.join(known)}, got {unknown[0]!r}",
                loc=("populations",),
                value=unknown[0],
            )

    def plan(self, data: Mapping[str, Data], seed: int) -> CoverageStudy:
        """Return the study of these data and the generators."""
        known = settings()
        chosen: dict[str, Setting] = {
            name: known[name] for name in known if not self.populations or name in self.populations
        }
        for role in ROLES:
            if role in data:
                chosen[TITLES[role]] = setting_of(self._enough(without_copies(data[role])))
        made = cells(chosen, self.sizes, self.level, seed, refits=self.refits)
        made += shift_cells(self.populations, self.sizes, self.level, seed)
        measured = []
        if self.metrics:
            measured = metric_cells(self.populations, self.sizes, self.level, seed)
        return CoverageStudy(made, self.level, measured)

    def _enough(self, data: Data) -> Data:
        if data.n < 2 * self.sizes[-1]:
            raise InvalidParameter(
                f"{data.n} rows are no population for draws of {self.sizes[-1]}: twice as many "
                "are needed",
                loc=("sizes", len(self.sizes) - 1),
                value=self.sizes[-1],
            )
        return data


@dataclass(frozen=True, slots=True, eq=False)
class CoverageStudy:
    """The repetitions of every cell; their records begin with the cell's name."""

    cells: list[Cell]
    level: float
    metrics: Sequence[MetricCell] = ()

    @property
    def grain(self) -> int:
        """Every repetition stands alone."""
        return 1

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Do some repetitions of every cell."""
        every: list[Cell | MetricCell] = [*self.cells, *self.metrics]
        return {
            record_name(cell.name, name): values
            for cell in every
            for name, values in cell.study.run(start, stop).items()
        }

    def finish(self, records: Records) -> StudyFindings:
        """Tabulate coverage and width."""
        by_cell: dict[str, dict[str, FloatArray]] = {}
        for whole, values in records.items():
            cell, name = split_record_name(whole)
            by_cell.setdefault(cell, {})[name] = values
        told = findings([(cell, by_cell[cell.name]) for cell in self.cells], self.level)
        if not self.metrics:
            return told
        measured = metric_findings([(one, by_cell[one.name]) for one in self.metrics], self.level)
        return replace(
            told,
            tables=(*told.tables, *measured.tables),
            figures=(*told.figures, *measured.figures),
            claims=(*told.claims, *measured.claims),
        )


METHOD = IntervalCoverage

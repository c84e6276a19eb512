"""The parts of the kept study of coverage, with the draws of each, computed in chunks of draws.

A chunk is written to a file once it is computed, and read if it is there, so that an interrupted
study goes on. ``benchmarks.coverage_study`` makes the kept tables from the records of all parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from thetahat.analyses.studies.record_names import split_record_name
from thetahat.analyses.studies.repetitions import join_records
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray
from thetahat_replications.presets.interval_coverage.cells import (
    CoverageCell,
    build_cells,
    build_pair_cells,
)
from thetahat_replications.presets.interval_coverage.metric_study import (
    MetricCell,
    build_metric_cells,
)
from thetahat_replications.presets.interval_coverage.recommended import (
    LEVEL,
    SECOND_LEARNERS,
    SIZES,
)
from thetahat_replications.presets.interval_coverage.settings import (
    TITLES,
    CoverageSetting,
    build_dataset_setting,
    build_settings,
    remove_copies,
)
from thetahat_replications.presets.interval_coverage.shifted_samples import build_shift_cells
from thetahat_replications.record_files import read_records, write_records

INDEPENDENT: Final = "50 and 200 independent rows"
THOUSAND: Final = "1000 independent rows"
GROUPED: Final = "sources and clusters"
REFITS: Final = "methods that fit again"
SHIFTED: Final = "shifted samples"
DATA: Final = "data sets"
METRICS: Final = "metrics"
LARGE: Final = "10 000 rows"
DRAWS: Final[Mapping[str, int]] = {
    INDEPENDENT: 3400,
    THOUSAND: 1850,
    GROUPED: 1500,
    REFITS: 4500,
    SHIFTED: 2500,
    DATA: 1750,
    METRICS: 3500,
    LARGE: 100,
}
"""Draws of each part, as many as decide most of its claims in five hours of one core. 100 draws of
metrics, of methods that fit again or of data sets take a minute, of 50 and 200 independent rows 1.6
minutes, of 1000 rows 2.6 and of 10 000 rows 8. A claim about all sizes has the least error for its
time with about twice as many draws of small samples as of 1000 rows."""
LARGE_SIZE: Final = 10_000
LARGE_POPULATIONS: Final = ("two classes", "line", "curve with heavy tails")
"""The populations with 10 000 rows, each with its first learner: one draw takes seconds."""
SMALL_SIZES: Final = (50, 200)
"""Rows of a draw where learners are fitted very often, and for metrics and data sets."""
STEP: Final = 25
"""Draws of a chunk, as many as share their sources where sources are kept."""

AnyCell: TypeAlias = CoverageCell | MetricCell
Records: TypeAlias = dict[str, FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPart:
    """Cells with the same number of draws."""

    name: str
    """Its name in ``DRAWS``."""
    draws: int
    """Draws of each cell."""
    cells: tuple[AnyCell, ...]
    """The cells; two cells of a part have different names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawChunk:
    """Consecutive draws of one cell, and the file in which their records are kept."""

    cell: AnyCell
    start: int
    stop: int
    file: Path


def list_parts(
    seed: int, data: Mapping[str, Data], draws: Mapping[str, int] = DRAWS
) -> list[StudyPart]:
    """Return all parts; data sets are by role, and the part without data sets has no cells."""
    cells: dict[str, list[AnyCell]] = {
        INDEPENDENT: [],
        THOUSAND: [],
        GROUPED: [],
        REFITS: list(_build_refit_cells(seed)),
        SHIFTED: [*build_shift_cells((), SMALL_SIZES, LEVEL, seed)],
        DATA: list(_build_dataset_cells(seed, data)),
        METRICS: [*build_metric_cells((), SMALL_SIZES, LEVEL, seed)],
        LARGE: list(_build_large_cells(seed)),
    }
    for n in SIZES:
        settings = build_settings(n)
        for cell in build_pair_cells(settings, (n,), LEVEL, seed, SECOND_LEARNERS):
            cells[_choose_part(settings[cell.population], n)].append(cell)
    return [
        StudyPart(name=name, draws=draws[name], cells=tuple(of_part))
        for name, of_part in cells.items()
    ]


def _choose_part(setting: CoverageSetting, n: int) -> str:
    if setting.by_source or setting.in_clusters:
        return GROUPED
    return INDEPENDENT if n in SMALL_SIZES else THOUSAND


def _build_refit_cells(seed: int) -> Iterator[CoverageCell]:
    """Yield the cells of the smallest size, with the methods alone that fit the learner again."""
    n = SMALL_SIZES[0]
    for cell in build_cells(build_settings(n), (n,), LEVEL, seed, refits=True):
        refits = [estimator for estimator in cell.study.estimators if estimator.refits]
        if refits:
            yield replace(cell, study=replace(cell.study, estimators=refits))


def _build_dataset_cells(seed: int, data: Mapping[str, Data]) -> Iterator[CoverageCell]:
    for role, rows in data.items():
        setting = {TITLES[role]: build_dataset_setting(remove_copies(rows))}
        for n in SMALL_SIZES:
            yield from build_cells(setting, (n,), LEVEL, seed, refits=n == SMALL_SIZES[0])


def _build_large_cells(seed: int) -> Iterator[CoverageCell]:
    settings = build_settings(LARGE_SIZE)
    for name in LARGE_POPULATIONS:
        setting = replace(settings[name], learners=settings[name].learners[:1])
        yield from build_cells({name: setting}, (LARGE_SIZE,), LEVEL, seed, refits=False)


def list_chunks(parts: Sequence[StudyPart], folder: Path) -> list[DrawChunk]:
    """Return the chunks of all parts, in their order."""
    return [
        DrawChunk(
            cell=cell,
            start=start,
            stop=min(start + STEP, part.draws),
            file=folder / part.name / f"{cell.name}, draws {start}.npz",
        )
        for part in parts
        for cell in part.cells
        for start in range(0, part.draws, STEP)
    ]


def compute_chunk(chunk: DrawChunk) -> None:
    """Compute the records of a chunk and write them, unless its file holds them."""
    if chunk.file.exists():
        kept = next(iter(read_records(chunk.file).values()))
        if len(kept) == chunk.stop - chunk.start:
            return
    write_records(chunk.file, chunk.cell.study.run(chunk.start, chunk.stop))


_CHUNKS: list[DrawChunk] = []
"""The chunks that the processes of ``compute_parts`` share."""


def compute_parts(parts: Sequence[StudyPart], folder: Path, processes: int) -> Iterator[int]:
    """Compute what the folder lacks; yield how many chunks are left after each."""
    chunks = list_chunks(parts, folder)
    with ProcessPoolExecutor(processes, initializer=_share, initargs=(chunks,)) as pool:
        for done, _ in enumerate(pool.map(_compute_shared, range(len(chunks))), start=1):
            yield len(chunks) - done


def _share(chunks: list[DrawChunk]) -> None:
    _CHUNKS[:] = chunks


def _compute_shared(index: int) -> None:
    compute_chunk(_CHUNKS[index])


def read_cell(cell: AnyCell, draws: int, folder: Path) -> Records:
    """Return the records of all draws of a cell; NaN for a record that a chunk does not have."""
    part = StudyPart(name=folder.name, draws=draws, cells=(cell,))
    return join_records(read_records(chunk.file) for chunk in list_chunks([part], folder.parent))


def read_part(part: StudyPart, folder: Path) -> Iterator[tuple[AnyCell, Records]]:
    """Yield each cell of a part with its records."""
    for cell in part.cells:
        yield cell, read_cell(cell, part.draws, folder / part.name)


def select_learner(records: Mapping[str, FloatArray], learner: str) -> Records:
    """Return the records of one learner of several, as a study of it alone would have them."""
    names = {name: split_record_name(name) for name in records}
    return {
        name: records[name]
        for name, parts in names.items()
        if len(parts) <= 2 or parts[1] == learner  # "sources", and "failed" of an estimator
    }


def separate_learners(
    cell: CoverageCell, records: Mapping[str, FloatArray], seed: int
) -> Iterator[tuple[CoverageCell, Records]]:
    """Yield the preset's own cell of each learner of a pair, with its records of the pair."""
    setting = {cell.population: build_settings(cell.n)[cell.population]}
    for single in build_cells(setting, (cell.n,), LEVEL, seed, refits=False):
        yield single, select_learner(records, single.learner)

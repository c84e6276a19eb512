"""Running all repetitions of all cells, in several processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from thetahat.errors import EvaluationError
from thetahat.values.types import FloatArray
from thetahat_replications.record_files import read_records, write_records
from thetahat_replications.test_errors.designs import Cell, list_cells
from thetahat_replications.test_errors.repetitions import repeat_cell

N_COSTLY: Final = 150
"""Repetitions in which the tests that resample are computed, too."""
STEP: Final = 10
"""Repetitions of all cells that a process computes at once."""

Records = Mapping[str, FloatArray]
"""(repetitions,) numbers by name, NaN where a repetition has none."""


def simulate(
    seed: int, repetitions: int, processes: int, folder: Path | None = None
) -> dict[str, Records]:
    """Return the records of every cell, by its name.

    Each part of the repetitions is kept in ``folder`` once it is computed. Parts that are there are
    read, so that an interrupted study goes on.
    """
    starts = range(0, repetitions, STEP)
    stops = [min(start + STEP, repetitions) for start in starts]
    run = partial(_run_part, folder=folder)
    with ProcessPoolExecutor(processes) as pool:
        parts = list(pool.map(run, [seed] * len(stops), starts, stops))
    return {cell.name: concatenate([part[cell.name] for part in parts]) for cell in list_cells()}


def _run_part(seed: int, start: int, stop: int, folder: Path | None) -> dict[str, Records]:
    """Return the records of some repetitions: those that are kept, or new ones, which it keeps."""
    file = None if folder is None else folder / f"seed_{seed}_from_{start}_to_{stop}.npz"
    if file is not None and file.exists():
        return split_by_cell(read_records(file))
    records = {
        cell.name: concatenate([_repeat(cell, seed, index) for index in range(start, stop)])
        for cell in list_cells()
    }
    if file is not None:
        write_records(
            file,
            {f"{cell}|{name}": of[name] for cell, of in records.items() for name in of},
        )
    return records


def _repeat(cell: Cell, seed: int, index: int) -> Records:
    """Return the (1,) numbers of one repetition; none if a learner refuses its training part.

    The record ``done`` says whether there are any.
    """
    try:
        record = repeat_cell(cell, seed, index, N_COSTLY)
    except EvaluationError:
        record = {}
    return wrap({"done": float(bool(record)), **record})


def wrap(record: Mapping[str, float]) -> Records:
    """Return the numbers of one repetition as (1,) arrays."""
    return {name: np.array([value], dtype=np.float64) for name, value in record.items()}


def concatenate(parts: Sequence[Records]) -> Records:
    """Return the records of all parts, with NaN where a part has no number of a name."""
    names = dict.fromkeys(name for part in parts for name in part)
    sizes = [len(next(iter(part.values()))) for part in parts]
    return {
        name: np.concatenate(
            [part.get(name, np.full(size, np.nan)) for part, size in zip(parts, sizes, strict=True)]
        )
        for name in names
    }


def split_by_cell(records: Records) -> dict[str, Records]:
    """Return the records of each cell from those that are kept as ``CELL|NAME``."""
    by_cell: dict[str, dict[str, FloatArray]] = {}
    for key, values in records.items():
        cell, name = key.split("|")
        by_cell.setdefault(cell, {})[name] = values
    return dict(by_cell)


def find_cells(records: Mapping[str, Records]) -> Iterator[tuple[Cell, Records]]:
    """Yield each cell that has records, with them."""
    for cell in list_cells():
        if cell.name in records:
            yield cell, records[cell.name]

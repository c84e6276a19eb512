"""Running all repetitions of all cells, in several processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np

from replications.test_errors.designs import Cell, list_cells
from replications.test_errors.repetitions import repeat_cell
from thetahat.errors import EvaluationError
from thetahat.values.types import FloatArray

N_COSTLY: Final = 150
"""Repetitions in which the tests that resample are computed, too."""
STEP: Final = 25
"""Repetitions of all cells that a process computes at once."""

Records = Mapping[str, FloatArray]
"""(repetitions,) numbers by name, NaN where a repetition has none."""


def simulate(seed: int, repetitions: int, processes: int) -> dict[str, Records]:
    """Return the records of every cell, by its name."""
    starts = range(0, repetitions, STEP)
    stops = [min(start + STEP, repetitions) for start in starts]
    parts: dict[str, list[dict[str, float]]] = {cell.name: [] for cell in list_cells()}
    with ProcessPoolExecutor(processes) as pool:
        for chunk in pool.map(_run_chunk, [seed] * len(stops), starts, stops):
            for name, records in chunk.items():
                parts[name] += records
    return {name: _join(records) for name, records in parts.items()}


def _run_chunk(seed: int, start: int, stop: int) -> dict[str, list[dict[str, float]]]:
    return {
        cell.name: [_repeat(cell, seed, index) for index in range(start, stop)]
        for cell in list_cells()
    }


def _repeat(cell: Cell, seed: int, index: int) -> dict[str, float]:
    """Return the numbers of one repetition; none if a learner refuses its training part."""
    try:
        return repeat_cell(cell, seed, index, N_COSTLY)
    except EvaluationError:
        return {}


def _join(records: list[dict[str, float]]) -> Records:
    names = dict.fromkeys(name for record in records for name in record)
    return {
        name: np.array([record.get(name, np.nan) for record in records], dtype=np.float64)
        for name in names
    }


def save(records: Mapping[str, Records], path: Path) -> None:
    """Write the records to a compressed file of numpy."""
    arrays: dict[str, Any] = {
        f"{cell}|{name}": values for cell, of in records.items() for name, values in of.items()
    }
    np.savez_compressed(path, **arrays)


def load(path: Path) -> dict[str, Records]:
    """Return the records that ``save`` wrote."""
    loaded: dict[str, dict[str, FloatArray]] = {}
    with np.load(path) as file:
        for key in file.files:
            cell, name = key.split("|")
            loaded.setdefault(cell, {})[name] = file[key]
    return dict(loaded)


def find_cells(records: Mapping[str, Records]) -> Iterator[tuple[Cell, Records]]:
    """Yield each cell with its records."""
    for cell in list_cells():
        yield cell, records[cell.name]

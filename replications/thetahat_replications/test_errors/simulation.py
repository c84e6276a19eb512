"""Running all repetitions of all cells, in several processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from thetahat.errors import EvaluationError
from thetahat.values.types import FloatArray
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

    Parameters
    ----------
    folder : Path or None
        Where each part of the repetitions is kept once it is computed. Parts that are there are
        read, so that an interrupted study goes on.
    """
    starts = range(0, repetitions, STEP)
    stops = [min(start + STEP, repetitions) for start in starts]
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    run = partial(_run_part, folder=folder)
    with ProcessPoolExecutor(processes) as pool:
        parts = list(pool.map(run, [seed] * len(stops), starts, stops))
    return {cell.name: _concatenate([part[cell.name] for part in parts]) for cell in list_cells()}


def _run_part(seed: int, start: int, stop: int, folder: Path | None) -> dict[str, Records]:
    """Return the records of some repetitions: those that are kept, or new ones, which it keeps."""
    file = None if folder is None else folder / f"seed_{seed}_from_{start}_to_{stop}.npz"
    if file is not None and file.exists():
        return load(file)
    records = {
        cell.name: _join([_repeat(cell, seed, index) for index in range(start, stop)])
        for cell in list_cells()
    }
    if file is not None:
        unfinished = file.with_suffix(".unfinished.npz")
        save(records, unfinished)
        unfinished.replace(file)
    return records


def _repeat(cell: Cell, seed: int, index: int) -> dict[str, float]:
    """Return the numbers of one repetition; none if a learner refuses its training part."""
    try:
        return repeat_cell(cell, seed, index, N_COSTLY)
    except EvaluationError:
        return {}


def _join(records: list[dict[str, float]]) -> Records:
    """Return the numbers by name; ``done`` says whether a repetition has any."""
    names = dict.fromkeys(name for record in records for name in record)
    return {
        "done": np.array([bool(record) for record in records], dtype=np.float64),
        **{
            name: np.array([record.get(name, np.nan) for record in records], dtype=np.float64)
            for name in names
        },
    }


def _concatenate(parts: list[Records]) -> Records:
    """Return the records of all parts, with NaN where a part has no number of a name."""
    names = dict.fromkeys(name for part in parts for name in part)
    sizes = [len(next(iter(part.values()))) for part in parts]
    return {
        name: np.concatenate(
            [part.get(name, np.full(size, np.nan)) for part, size in zip(parts, sizes, strict=True)]
        )
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
    """Yield each cell that has records, with them."""
    for cell in list_cells():
        if cell.name in records:
            yield cell, records[cell.name]

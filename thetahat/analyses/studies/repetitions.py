"""Repetitions of a study: their seeds, their records, and stretches of them put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.seeds import stream
from thetahat.values.types import FloatArray

PURPOSE = "study"

OneRecord = Mapping[str, float | FloatArray]
"""What one repetition gave, by name: numbers, or arrays of one shape in every repetition."""


def repetition_generator(seed: int, index: int) -> np.random.Generator:
    """Return the generator of one repetition, or of the block that begins with it."""
    return stream(seed, PURPOSE, index)


def repetition_seed(seed: int, index: int) -> int:
    """Return a seed for what takes one, such as a scheme, inside one repetition."""
    return int(repetition_generator(seed, index).integers(2**63 - 1))


def run_one_by_one(
    repeat: Callable[[int], OneRecord], start: int, stop: int
) -> dict[str, FloatArray]:
    """Do repetitions one after another and stack their records."""
    return stack_records([repeat(index) for index in range(start, stop)])


def run_in_blocks(
    draw: Callable[[int], Mapping[str, FloatArray]], grain: int, start: int, stop: int
) -> dict[str, FloatArray]:
    """Do repetitions in blocks of ``grain`` and cut out those asked for.

    Parameters
    ----------
    draw : callable
        Takes the first index of a block, a multiple of ``grain``, and gives ``grain`` rows of
        every array, from ``repetition_generator(seed, first)``.
    """
    firsts = range(start - start % grain, stop, grain)
    parts = []
    for first in firsts:
        block = draw(first)
        cut = slice(max(start - first, 0), min(stop - first, grain))
        parts.append({name: np.asarray(values)[cut] for name, values in block.items()})
    return join_records(parts)


def stack_records(records: Sequence[OneRecord]) -> dict[str, FloatArray]:
    """(repetitions, ...) arrays of single records; NaN where one lacks a name."""
    return join_records(
        [
            {name: np.asarray(v, dtype=np.float64)[None] for name, v in one.items()}
            for one in records
        ]
    )


def join_records(parts: Iterable[Mapping[str, FloatArray]]) -> dict[str, FloatArray]:
    """Put stretches one after another; NaN where one lacks a name. Names come in their order."""
    stretches = [dict(part) for part in parts]
    shapes: dict[str, tuple[int, ...]] = {}
    for part in stretches:
        for name, values in part.items():
            if shapes.setdefault(name, values.shape[1:]) != values.shape[1:]:
                raise InvalidParameter(
                    f"record {name!r} has shape {values.shape[1:]} and {shapes[name]}"
                )
    rows = [len(next(iter(part.values()))) if part else 0 for part in stretches]
    return {
        name: np.concatenate(
            [
                np.asarray(part[name], dtype=np.float64)
                if name in part
                else np.full((n, *shape), np.nan)
                for part, n in zip(stretches, rows, strict=True)
            ]
        )
        for name, shape in sorted(shapes.items())
    }

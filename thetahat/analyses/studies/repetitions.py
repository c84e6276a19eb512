"""The random streams of a study's repetitions, and the arrays of their records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, TypeAlias

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.seeds import make_random_stream
from thetahat.values.types import FloatArray

PURPOSE = "study"

OneRecord: TypeAlias = Mapping[str, float | FloatArray]
"""The record of one repetition by name: numbers, or arrays of one shape in all repetitions."""


def make_repetition_generator(seed: int, index: int) -> np.random.Generator:
    """Return the random generator of a repetition, or of the block that begins with it."""
    return make_random_stream(seed, PURPOSE, index)


def derive_repetition_seed(seed: int, index: int) -> int:
    """Return the seed of a repetition, for what takes an integer seed, such as a scheme."""
    return int(make_repetition_generator(seed, index).integers(2**63 - 1))


class RepeatedStudy(ABC):
    """A study whose repetitions are computed one by one."""

    __slots__ = ()
    grain: ClassVar[int] = 1

    @abstractmethod
    def repeat(self, index: int) -> OneRecord:
        """Return the record of one repetition."""

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Run the repetitions ``start`` to ``stop - 1`` and return their stacked records."""
        return stack_records([self.repeat(index) for index in range(start, stop)])


def run_in_blocks(
    draw: Callable[[int], Mapping[str, FloatArray]], grain: int, start: int, stop: int
) -> dict[str, FloatArray]:
    """Run repetitions in blocks of ``grain`` and return the records from ``start`` to ``stop``.

    ``draw`` takes the first index of a block, a multiple of ``grain``, and returns arrays with
    ``grain`` rows, drawn from ``repetition_generator(seed, first)``.
    """
    firsts = range(start - start % grain, stop, grain)
    parts = []
    for first in firsts:
        block = draw(first)
        cut = slice(max(start - first, 0), min(stop - first, grain))
        parts.append({name: np.asarray(values)[cut] for name, values in block.items()})
    return join_records(parts)


def stack_records(records: Sequence[OneRecord]) -> dict[str, FloatArray]:
    """Return (repetitions, ...) arrays of single records; NaN where one lacks a name."""
    return join_records(
        [
            {name: np.asarray(v, dtype=np.float64)[None] for name, v in record.items()}
            for record in records
        ]
    )


def join_records(parts: Iterable[Mapping[str, FloatArray]]) -> dict[str, FloatArray]:
    """Return the concatenated records of chunks, sorted by name; NaN where one lacks a name."""
    chunks = [dict(part) for part in parts]
    shapes: dict[str, tuple[int, ...]] = {}
    for part in chunks:
        for name, values in part.items():
            if shapes.setdefault(name, values.shape[1:]) != values.shape[1:]:
                raise InvalidParameter(
                    f"The record {name!r} has the shape {values.shape[1:]} in one repetition and "
                    f"{shapes[name]} in another; a study must return the same shapes every time."
                )
    lengths = [len(next(iter(part.values()))) if part else 0 for part in chunks]
    return {
        name: np.concatenate(
            [
                np.asarray(part[name], dtype=np.float64)
                if name in part
                else np.full((n, *shape), np.nan)
                for part, n in zip(chunks, lengths, strict=True)
            ]
        )
        for name, shape in sorted(shapes.items())
    }

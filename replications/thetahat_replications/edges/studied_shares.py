"""How often one interval covered in one simulated population, with what is compared to data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedShare:
    """A cell of a kept table."""

    interval: str
    """What the interval is of, or its name."""
    data: str
    """What the data are like."""
    numbers: Mapping[str, float]
    """The numbers of the design that matter, by noun in the plural."""
    population: str
    """What was drawn."""
    share: float
    """Share of the samples in which it covered."""
    repetitions: int
    """Number of samples with such an interval."""


def share_designs(shares: Iterable[StudiedShare]) -> Iterator[tuple[StudiedShare, ...]]:
    """Yield the shares of each design: those of one interval of data alike, with equal numbers."""
    designs: dict[object, list[StudiedShare]] = {}
    for share in shares:
        design = share.interval, share.data, tuple(share.numbers.items())
        designs.setdefault(design, []).append(share)
    yield from map(tuple, designs.values())

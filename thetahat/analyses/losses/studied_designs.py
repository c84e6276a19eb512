"""The designs of the studies that are shipped with the library, and those nearest to a layout."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pkgutil import get_data
from typing import Any, Final

from thetahat.analyses.losses.cautions import count_crossing_clusters
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedDesign:
    """A scheme of a study, with the properties that are compared with those of a layout.

    Parameters
    ----------
    name, words : str
        What the study calls it, and what a result calls it.
    blocks : str
        Kind of its blocks.
    folds : int or None
        Number of its blocks; None if any number is like it.
    repeated : bool
        Whether it has several partitions.
    single_rows : bool
        Whether each block is one row.
    clusters : str or None
        ``cut`` if its blocks cut clusters, ``whole`` if they do not; None without clusters.
    share : float
        Share of the rows that it tests.
    fixed : bool
        Whether the models were trained on other data than these sources.
    """

    name: str
    words: str
    blocks: str
    folds: int | None = None
    repeated: bool = False
    single_rows: bool = False
    clusters: str | None = None
    share: float = 1.0
    fixed: bool = False


_ROWS_BEGIN: Final = '"rows": ['
_ROWS_END: Final = "]"


@dataclass(frozen=True, slots=True)
class StudyFile:
    """The JSON file of a study, of which only the rows of some designs are parsed.

    Parsing all of its hundreds of kilobytes took as long as a small evaluation.
    """

    head: Mapping[str, Any]
    """What comes before the rows."""
    lines: tuple[str, ...]
    """The rows as JSON, each on a line of its own."""

    def read_rows(self, design: str) -> list[Any]:
        """Return the rows that name the design, which the caller still compares by column."""
        name = json.dumps(design)
        named = ",".join(line.rstrip(",") for line in self.lines if name in line)
        rows: list[Any] = json.loads(f"[{named}]")
        return rows


@cache
def read_study(package: str, file: str) -> StudyFile:
    """Return the file of a study in that package."""
    content = get_data(package, file)
    assert content is not None  # noqa: S101 - the loader of modules on disk reads data
    lines = content.decode().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.endswith(_ROWS_BEGIN)) + 1
    end = next(i for i in range(begin, len(lines)) if lines[i].startswith(_ROWS_END))
    head = json.loads("".join(lines[:begin]) + _ROWS_END + "}")
    return StudyFile(head, tuple(lines[begin:end]))


def find_nearest_designs(
    designs: Iterable[StudiedDesign], layout: Layout
) -> tuple[StudiedDesign, ...]:
    """Return the designs that are nearest to a layout: several if equally near, or none at all.

    They have the properties of the layout, and the nearest number of blocks, as a ratio. Over a
    holdout models are the same wherever they were trained.
    """
    clusters = None
    if layout.cluster is not None:
        clusters = "cut" if count_crossing_clusters(layout) > 0 else "whole"
    properties = (
        layout.kind.value,
        layout.kind is not BlockKind.SUBSAMPLES and layout.n_repeats > 1,
        layout.kind is BlockKind.RANDOM and bool(layout.n_test.max() == 1),
        clusters,
        layout.kind is BlockKind.SOURCE and layout.has_fixed_models,
    )
    distances = {
        design: 0.0 if design.folds is None else abs(math.log(layout.n_blocks / design.folds))
        for design in designs
        if (design.blocks, design.repeated, design.single_rows, design.clusters, design.fixed)
        == properties
    }
    least = min(distances.values(), default=0.0)
    return tuple(design for design, distance in distances.items() if distance == least)


def find_nearest_size(sizes: Iterable[int], n: int, share: float = 1.0) -> int:
    """Return the number of rows of which that share is nearest to n rows, as a ratio."""
    return min(set(sizes), key=lambda size: abs(math.log(size * share / n)))

"""The studies that are shipped with the library, and the studied interval nearest to another."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pkgutil import get_data
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.number_text import format_count, format_number

FARTHEST: Final = 3.0
"""Largest ratio to a studied number (of rows, blocks, clusters, labels, ...), and of the sizes of
clusters and of sources, with which a design is like a studied one. The sizes of most studies are
apart by factors of 4 and 5, so numbers between two of them are always within it."""
MOST_UNEQUAL: Final = (1 + FARTHEST) ** 2 / (4 * FARTHEST)
"""Largest imbalance of clusters or sources, relative to that of a study, with which they are like
studied ones: the largest of sizes that are all within the factor ``FARTHEST``."""
NOT_STUDIED: Final = "No studied design is like this one."
INTERVAL_NOT_STUDIED: Final = "The coverage of this interval was not studied."

_SINGULAR: Final = {
    "clusters": "cluster",
    "groups": "group",
    "instances": "instance",
    "items": "item",
    "items'": "item's",
    "labels": "label",
    "ones": "one",
    "rows": "row",
    "sources": "source",
    "strata": "stratum",
    "times": "time",
    "wins": "win",
}
_ROWS_BEGIN: Final = '"rows": ['
_ROWS_END: Final = "]"


class StudyFile(NamedTuple):
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


def count_units(n: int, noun: str) -> str:
    """Return a number with its noun, which is in the plural: ``1 row of the rarer value``."""
    if n == 1:
        plural = next((word for word in noun.split(" ") if word in _SINGULAR), None)
        noun = noun if plural is None else noun.replace(plural, _SINGULAR[plural], 1)
    return f"{format_count(n)} {noun}"


def explain_number(noun: str, own: int, studied: float) -> str | None:
    """Return why a number is not like the studied one; None if it is."""
    if own > 0 and 1 / FARTHEST <= own / studied <= FARTHEST:
        return None
    return (
        f"No studied design is like this one: it has {count_units(own, noun)}, and the nearest "
        f"study has {format_count(round(studied))}."
    )


def explain_imbalance(noun: str, n: int, imbalance: float, studied: float = 1.0) -> str | None:
    """Return why clusters or sources are not like studied ones; None if they are.

    Parameters
    ----------
    noun : str
        What they are called, in the plural.
    n : int
        Their number.
    imbalance, studied : float
        Their imbalance, and that of the study.
    """
    if imbalance <= studied * MOST_UNEQUAL:
        return None
    return (
        f"No studied design is like this one: its {format_count(n)} {noun} are of such unequal "
        f"size that they weigh like {format_number(round(n / imbalance, 1))} equal ones."
    )


class StudiedInterval(NamedTuple):
    """An interval in a studied design, averaged over the populations of the design."""

    interval: str
    """What the interval is of, or its name."""
    data: str
    """What the data are like that it was built on."""
    numbers: Mapping[str, float]
    """The numbers of the design that are compared, each by its noun in the plural."""
    expected: ExpectedCoverage
    """How often it covered."""

    def explain_distance(
        self, numbers: Mapping[str, int], words: Mapping[str, str] = MappingProxyType({})
    ) -> str | None:
        """Return why data with these numbers are not like the design; None if they are."""
        farthest = max(numbers, key=lambda noun: _find_ratio(numbers[noun], self.numbers[noun]))
        noun = words.get(farthest, farthest)
        return explain_number(noun, numbers[farthest], self.numbers[farthest])


@cache
def read_studied_intervals(package: str, file: str, interval: str) -> tuple[StudiedInterval, ...]:
    """Return what a study says of one interval; nothing if it was not studied."""
    study = read_study(package, file)
    level, table = study.head["level"], study.head["table"]
    return tuple(
        StudiedInterval(
            interval=row["interval"],
            data=row["data"],
            numbers=row["numbers"],
            expected=ExpectedCoverage(level=level, table=table, **row["coverage"]),
        )
        for row in study.read_rows(interval)
        if row["interval"] == interval
    )


def find_expected_coverage(
    intervals: Sequence[StudiedInterval],
    data: str,
    numbers: Mapping[str, int],
    words: Mapping[str, str] = MappingProxyType({}),
) -> tuple[ExpectedCoverage | None, str | None]:
    """Return the coverage of the nearest design of such data, or why there is none.

    Parameters
    ----------
    intervals : sequence of StudiedInterval
        One interval in all designs in which it was studied.
    data : str
        What the data are like. Those of a design are the same.
    numbers : mapping of str to int
        The numbers that are compared. A design has the same ones, such as clusters or none, and
        each of them is within the factor ``FARTHEST``.
    words : mapping of str to str
        The result's own words for what the studies count, such as schools for sources.
    """
    if not intervals:
        return None, INTERVAL_NOT_STUDIED
    alike = [
        each for each in intervals if each.data == data and each.numbers.keys() == numbers.keys()
    ]
    if not alike:
        return None, NOT_STUDIED
    nearest = min(
        alike,
        key=lambda each: max(_find_ratio(own, each.numbers[noun]) for noun, own in numbers.items()),
    )
    missing = nearest.explain_distance(numbers, words)
    return (None, missing) if missing else (nearest.expected, None)


def _find_ratio(own: int, studied: float) -> float:
    """Return how far apart two numbers are, as a factor of at least 1."""
    return max(own / studied, studied / own) if own else math.inf

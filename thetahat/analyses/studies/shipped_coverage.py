"""Averages of the measured coverages that the library ships, as its pages show them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

Row: TypeAlias = Mapping[str, Any]

COMMAND: Final = "python -m benchmarks.coverage_study"
"""The command that measures them again."""


def average_coverage_of_losses(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the average, the least and the largest coverage by subject, scheme and target."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["of"], row["scheme"], row["target"]), []).append(row)
    for (of, scheme, target), group in sorted(groups.items()):
        values = [row["coverage"][0] for row in group]
        errors = [row["coverage"][1] for row in group]
        before = [row["before"][0] for row in group if row["before"] is not None]
        yield {
            "of": of,
            "scheme": scheme,
            "target": target,
            "cells": len(group),
            "coverage": sum(values) / len(values),
            "error": math.sqrt(sum(e**2 for e in errors)) / len(errors),
            "least": min(values),
            "largest": max(values),
            **dict(_average_length_and_power(group)),
            "before": sum(before) / len(before) if before else None,
            "least_before": min(before) if before else None,
        }


def average_coverage_of_metrics(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the coverage of the recommended interval by metric, subject, target and population."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        place = tuple(str(row[key]) for key in ("metric", "of", "target", "population"))
        groups.setdefault(place, []).append(row)
    for (metric, of, target, population), group in sorted(groups.items()):
        values = [row["recommended"][0] for row in group]
        yield {
            "metric": metric,
            "of": of,
            "target": target,
            "population": population,
            "cells": len(group),
            "coverage": sum(values) / len(values),
            "error": math.sqrt(sum(row["recommended"][1] ** 2 for row in group)) / len(group),
            "least": min(values),
            "largest": max(values),
            **dict(_average_length_and_power(group)),
        }


def _average_length_and_power(rows: Sequence[Row]) -> Iterator[tuple[str, float | None]]:
    """Yield the averages of the rows that have them, by name; None where no row has."""
    for name in ("length", "power"):
        values = [row[name][0] for row in rows if row[name] is not None]
        yield name, sum(values) / len(values) if values else None

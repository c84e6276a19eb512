"""Limits of parameters that would otherwise make a request endless."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from thetahat.errors import InvalidParameter
from thetahat.families import collect_families

COUNTS = {
    "n_draws",
    "n_halvings",
    "n_subsamples",
    "n_repeats",
    "n_resamples",
    "n_inner",
    "n_centres",
}
COUNTED = [
    (f"{family}/{name}", field)
    for family, methods in collect_families().items()
    for name, method in methods.items()
    if is_dataclass(method)
    for field in {f.name for f in fields(method)} & COUNTS
]


def test_invalid_counts_without_a_limit() -> None:
    """A count of 10^9 was accepted, and held a worker for hours."""
    accepted = [
        f"{method}: {field}" for method, field in COUNTED if _is_accepted(method, {field: 10**9})
    ]

    assert accepted == []
    assert len(COUNTED) > 25


def _is_accepted(method: str, parameters: dict[str, Any]) -> bool:
    family, _, name = method.partition("/")
    try:
        collect_families()[family][name](**parameters)
    except InvalidParameter:
        return False
    return True

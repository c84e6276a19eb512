"""The intervals of a result, and what a study found of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from thetahat.analyses.studies.record_names import pair_name
from thetahat.values.json_values import to_json


def intervals(result: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every interval of the models and of the pairs, with whose it is."""
    for name, model in result["models"].items():
        for interval in model["intervals"]:
            yield name, interval
    for pair in result.get("comparisons", []):
        if isinstance(pair.get("interval"), dict):
            yield pair_name(pair["a"], pair["b"]), pair["interval"]


def label(interval: Mapping[str, Any]) -> str:
    """Return what an interval is called in a study."""
    method, variance = interval["method"], interval.get("variance")
    return str(method if variance is None else f"{method}:{variance}")


def told_of(
    rows: Mapping[tuple[Any, ...], Mapping[str, Any]], subject: str, interval: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return how often an interval covered; None where the study does not tell of its target."""
    row = rows.get((subject, label(interval), interval["target"], interval["mean"]))
    if row is None or row.get("coverage") is None:
        return None
    numbers = {key: row[key] for key in ("coverage", "truth_below", "truth_above", "width")}
    covers = {
        key.removeprefix("covers_"): value
        for key, value in row.items()
        if key.startswith("covers_") and value is not None
    }
    return cast("dict[str, Any]", to_json({**numbers, "covers": covers}))

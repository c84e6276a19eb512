"""The main numbers of a result. A notebook has the text of this function as a cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def list_main_numbers(result: Mapping[str, Any]) -> dict[str, object]:
    """Return means, intervals, differences, p-values and decisions of a result by their place."""
    numbers: dict[str, object] = {}
    for name, model in result["models"].items():
        for kind in ("macro", "pooled"):
            numbers[f"mean of {name}, {kind}"] = model["mean"][kind]
        for target, interval in model["recommended"].items():
            for end in ("estimate", "lower", "upper"):
                numbers[f"interval of {name}, {target}, {end}"] = interval[end]
    for pair in result["comparisons"]:
        names = f"{pair['a']} - {pair['b']}"
        numbers[f"difference {names}"] = pair["difference"]
        for end in ("lower", "upper"):
            numbers[f"difference {names}, {end}"] = (pair["interval"] or {}).get(end)
        for name in ("p_value", "decision"):
            numbers[f"verdict on {names}, {name}"] = pair["verdict"][name]
    return numbers

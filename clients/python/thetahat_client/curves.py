"""A learning curve as text: the error at each size, and whether more data would help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from thetahat_client.metrics import metric_cell
from thetahat_client.tables import TARGETS, WIDTH, ends, number, recommended, table, wrapped


def curves_text(result: Mapping[str, Any], width: int = WIDTH) -> str:
    """Return each learner's curve as a table, and what it says."""
    return "\n\n".join(
        "\n".join([curve_table(name, curve), *wrapped(_said(curve), width)])
        for name, curve in result["curves"].items()
    )


def curve_table(name: str, curve: Mapping[str, Any]) -> str:
    """Return one row per size: rows learnt from, mean loss, recommended intervals, metrics."""
    points = curve["points"]
    targets = [t for t in TARGETS if any(t in recommended(point) for point in points)]
    metrics = list(dict.fromkeys(key for point in points for key in point.get("metrics", {})))
    header = [f"{name}: size", "rows", "macro mean", *(TARGETS[t] for t in targets), *metrics]
    rows = [
        [
            str(point["size"]),
            f"{point['n_train']['mean']:.6g}",
            number(point["mean"]["macro"]),
            *(ends(recommended(point).get(target)) for target in targets),
            *(metric_cell(point, key) for key in metrics),
        ]
        for point in points
    ]
    return table(header, rows)


def _said(curve: Mapping[str, Any]) -> Iterator[str]:
    saturation = curve["saturation"]
    yield f"{saturation['decision'].replace('_', ' ').upper()}  {saturation['reason']}."
    law = curve.get("power_law")
    if law is not None:
        here, twice = law["at_all_rows"], law["at_twice_as_many"]
        yield (
            f"by the power law {law['formula']}, the error to be expected from all {here['n']} "
            f"rows is {number(here['estimate'])} ({ends(here)}), and from {twice['n']} "
            f"{number(twice['estimate'])} ({ends(twice)})"
        )
    for caution in curve.get("cautions", []):
        if caution.get("code") == "no_power_law":
            yield str(caution["message"])

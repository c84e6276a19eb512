"""A result of any kind as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from thetahat_client.curves import curves_text
from thetahat_client.metrics import metrics_table
from thetahat_client.samples import bootstrap_text, weights_text
from thetahat_client.selection import selection_text
from thetahat_client.studies import study_text
from thetahat_client.tables import (
    WIDTH,
    cautions,
    ends,
    models_table,
    number,
    section,
    table,
    verdicts,
    wrapped,
)


def result_text(result: Mapping[str, Any], width: int = WIDTH) -> str:
    """Return a whole result: its table, the verdicts where models are compared, the cautions.

    Parameters
    ----------
    result : Mapping
        What ``Client.result`` returned.
    width : int
        Characters of the longest line of prose; a table is as wide as it must be.
    """
    if "models" in result:
        parts = [
            models_table(result, width),
            metrics_table(result, width),
            selection_text(result, width) if "chosen" in result else "",
            curves_text(result, width) if "curves" in result else "",
            section("Verdicts", verdicts(result), width),
            section("Cautions", cautions(result), width),
        ]
    else:
        cautious = section("Cautions", list(_all_cautions(result)), width)
        parts = [_without_models(result, width), cautious]
    return "\n\n".join(part for part in parts if part)


def _without_models(result: Mapping[str, Any], width: int) -> str:
    if "risks" in result:
        return risks_table(result)
    if "replicates_mean" in result:
        return bootstrap_text(result, width)
    if "tables" in result:
        return study_text(result, width)
    return weights_text(result, width) if "weights" in result else numbers_table(result)


def risks_table(result: Mapping[str, Any]) -> str:
    """Return one row per importance-weighted risk: what it selects, and how that does."""
    rows = [_row(name, risk) for name, risk in result["risks"].items()]
    if result.get("oracle"):
        rows.append(_row("(oracle)", {**result["oracle"], "regret": 0.0}))
    header = ["risk", "selected", "estimate", "interval", "target risk", "above the oracle"]
    weights = result.get("weights", {})
    note = (
        f"{weights.get('n')} source rows, of which the weights leave an effective "
        f"{number(weights.get('effective_sample_size'))}; mean weight {number(weights.get('mean'))}"
    )
    return "\n".join([table(header, rows), *wrapped([note], WIDTH, bullet="")])


def numbers_table(result: Mapping[str, Any]) -> str:
    """Return the numbers of a result that has neither models nor risks; lists are left out."""
    return table(["", "value"], [[name, number(value)] for name, value in _numbers(result)])


def _row(name: str, risk: Mapping[str, Any]) -> list[str]:
    selected = risk.get("selected")
    words = number(selected) if isinstance(selected, float) else str(selected)
    learner = risk.get("selected_learner")
    return [
        name,
        words if learner is None else f"{learner} {words}",
        number(risk["estimate"]) if "estimate" in risk else "",
        ends(risk["interval"]) if "interval" in risk else "",
        number(risk["target_risk"]) if "target_risk" in risk else "",
        number(risk["regret"]) if "regret" in risk else "",
    ]


def _numbers(values: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, float]]:
    for key, value in values.items():
        if key == "provenance":
            continue
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{path}{key}", value
        elif isinstance(value, Mapping):
            yield from _numbers(value, f"{path}{key}.")


def _all_cautions(values: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield every caution of a result with the place where it stands."""
    for caution in values.get("cautions", []):
        message = str(caution.get("message", caution.get("code")))
        yield f"{path}: {message}" if path else message
    for key, value in values.items():
        if isinstance(value, Mapping) and key != "provenance":
            yield from _all_cautions(value, f"{path}.{key}" if path else str(key))

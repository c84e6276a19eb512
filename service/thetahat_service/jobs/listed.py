"""What lists of evaluations show and filter of a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from thetahat_presentation.parts.headlines import ComparedPair, find_verdict
from thetahat_service.json_types import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedResult:
    """What is kept of a result with its evaluation."""

    summary: JsonObject | None = None
    """The summary; None if the kind has none."""
    verdict: str | None = None
    """The decision on the best model and the others; None if it is compared with none."""
    gate: str | None = None
    """The outcome of the gate; None without one."""


NOTHING_LISTED: Final = ListedResult()
"""Of a result without models."""


def list_result(body: Mapping[str, Any]) -> ListedResult:
    """Return what is kept of a result, from its JSON object."""
    summary = body.get("summary")
    if summary is None:
        return NOTHING_LISTED
    pairs = [
        ComparedPair(pair["a"], pair["b"], str(pair["verdict"]["decision"]))
        for pair in body["comparisons"]
    ]
    gate = body.get("gate")
    return ListedResult(
        summary=summary,
        verdict=find_verdict(summary["best_model"], pairs),
        gate=None if gate is None else str(gate["outcome"]),
    )

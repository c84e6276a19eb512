"""What lists of evaluations and deliveries to webhooks have of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from thetahat_presentation.parts.headlines import ComparedPair, find_verdict
from thetahat_presentation.renderers.text import Page
from thetahat_service.json_types import JsonObject
from thetahat_service.pages.shown_results import show_result

ALL_OPTION: Final = "the page of the evaluation"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedResult:
    """What is kept of a result with its evaluation, and what webhooks are told."""

    summary: JsonObject | None = None
    """The summary; None if the kind has none."""
    verdict: str | None = None
    """The decision on the best model and the others; None if it is compared with none."""
    gate: str | None = None
    """The outcome of the gate; None without one."""
    headline: str = ""
    """The verdict in one short sentence."""
    findings: str = ""
    """The findings as text."""
    protocol: JsonObject | None = None
    """How it follows its protocol; None without one."""


NOTHING_LISTED: Final = ListedResult()
"""Of an evaluation without a result."""


def list_result(body: Mapping[str, Any]) -> ListedResult:
    """Return what is kept of a result, from its JSON object."""
    document = show_result(body, {})
    summary, gate = body.get("summary"), body.get("gate")
    return ListedResult(
        summary=summary,
        verdict=None if summary is None else _find_verdict(summary, body["comparisons"]),
        gate=None if gate is None else str(gate["outcome"]),
        headline=document.headline,
        findings=Page(all_option=ALL_OPTION).write(document),
        protocol=body.get("protocol"),
    )


def _find_verdict(summary: Mapping[str, Any], pairs: Sequence[Mapping[str, Any]]) -> str | None:
    compared = [ComparedPair(each["a"], each["b"], each["verdict"]["decision"]) for each in pairs]
    return find_verdict(str(summary["best_model"]), compared)

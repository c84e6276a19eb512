"""The outcome of a protocol in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from thetahat_service.json_types import JsonObject
from thetahat_service.schemas.protocol_outcome import DataWay, Deviation, PlanTime, ProtocolOutcome

NOUNS: Final = {
    DataWay.UPLOADED: "evaluation",
    DataWay.SENT: "evaluation",
    DataWay.BATCHES: "series",
}
CAME: Final = {
    DataWay.UPLOADED: "the data were uploaded",
    DataWay.SENT: "the data were first sent",
    DataWay.BATCHES: "the first batch",
}
FIELD_WORDS: Final = {
    "kinds": "kind",
    "new": "new model",
    "old": "old model",
    "better": "better values",
    "require": "requirement",
    "cheaper_by": "share of the cost that must be saved",
    "group_by": "groups",
    "data_sha256": "digest of the data",
}
"""Fields whose names are no words."""


def write_outcome(
    outcome: ProtocolOutcome,
    deviations: Sequence[Deviation],
    not_checked: Sequence[str],
    *,
    is_final: bool,
) -> dict[str, Any]:
    """Return the outcome with these deviations and its sentence, as JSON."""
    checked = outcome.model_copy(
        update={
            "deviations": list(deviations),
            "not_checked": list(not_checked),
            "as_planned": not deviations,
            "is_final": is_final,
        }
    )
    written = checked.model_copy(update={"sentence": _write_sentence(checked)})
    return written.model_dump(mode="json")


def tell(stored: JsonObject | None) -> dict[str, object] | None:
    """Return what webhooks are told of an outcome; None without one."""
    if stored is None:
        return None
    return {name: stored[name] for name in ("id", "as_planned", "deviations", "sentence")}


def write_date(moment: datetime) -> str:
    """Return the day of a time in UTC."""
    return f"{moment:%Y-%m-%d}"


def write_times(n: int) -> str:
    """Return a count of times in words."""
    return "once" if n == 1 else f"{n} times"


def write_field(name: str) -> str:
    """Return a field of a protocol in words."""
    return FIELD_WORDS.get(name, name.replace("_", " "))


def _write_sentence(outcome: ProtocolOutcome) -> str:
    sentences = [_write_time(outcome)]
    if outcome.deviations:
        listed = "; ".join(each.text for each in outcome.deviations)
        sentences.append(f"Not as planned: {listed}.")
    else:
        sentences.append("As planned." if outcome.is_final else "As planned so far.")
    if outcome.evaluated_besides:
        times = write_times(outcome.evaluated_besides)
        sentences.append(f"Since then the data were evaluated {times} without this protocol.")
    if outcome.number > 1:
        noun = NOUNS[outcome.data_came]
        sentences.append(f"This is {noun} {outcome.number} under this protocol.")
    if outcome.not_checked:
        names = ", ".join(map(write_field, outcome.not_checked))
        until = "" if outcome.is_final else " yet"
        sentences.append(f"Fixed and not checked{until}: {names}.")
    return " ".join(sentences)


def _write_time(outcome: ProtocolOutcome) -> str:
    what = "Margin" if outcome.fixes_margin else "Plan"
    start, came = f"{what} fixed on {write_date(outcome.fixed_at)}", CAME[outcome.data_came]
    if outcome.fixed is PlanTime.BEFORE_DATA:
        return f"{start}, before {came}."
    seen = outcome.data_first_seen_at
    if outcome.fixed is PlanTime.NOT_KNOWN or seen is None:
        return f"{start}; whether that was before {came} is not known."
    return f"{start}, after {came} on {write_date(seen)}."

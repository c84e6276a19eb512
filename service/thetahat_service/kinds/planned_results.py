"""The outcome of a protocol in a result, and a gate that requires it."""

from __future__ import annotations

from typing import Any

from thetahat_service.json_types import JsonObject


def add_outcome(request: Any, result: dict[str, Any], outcome: JsonObject) -> dict[str, Any]:
    """Return a result with the outcome of its protocol; a gate that requires a plan may fail by it.

    ``request`` is of a kind whose requests may name a protocol.
    """
    gate = result.get("gate")
    with_outcome = {**result, "protocol": outcome}
    is_required = request.gate is not None and request.gate.as_planned
    if gate is None or not is_required or outcome["as_planned"]:
        return with_outcome
    listed: Any = outcome["deviations"]
    texts = "; ".join(each["text"] for each in listed)
    sentence = (
        f"It is required that the evaluation is as planned, and it is not ({texts}). Without this "
        f"requirement the outcome is {gate['outcome']}. {gate['sentence']}"
    )
    return {**with_outcome, "gate": {**gate, "outcome": "fail", "sentence": sentence}}

"""The one place where a finished evaluation becomes JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from thetahat.values.json_values import to_json
from thetahat_service.kinds.base import Finished
from thetahat_service.kinds.provenance import Provenance


def encode_result(finished: Finished, provenance: Provenance) -> dict[str, Any]:
    """Return a result as clients read it, with its provenance as the last field."""
    body: dict[str, Any] = to_json(finished.result)
    return {**body, "provenance": to_json(replace(provenance, methods=finished.methods))}

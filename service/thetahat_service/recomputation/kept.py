"""An evaluation as it is kept: its request, its result and its losses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from thetahat_service.json_types import JsonObject
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.schemas.base import EvaluationRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptEvaluation:
    """An evaluation with a result."""

    request: JsonObject
    """The request with its seed."""
    result: str
    """The result as JSON, as the service sends it."""
    losses: Path | None = None
    """The Parquet file of the losses."""
    name: str | None = None
    """Its name for people."""
    identifier: str | None = None
    """Its id in the service that has it."""

    def check_request(self) -> EvaluationRequest:
        """Return the request, checked by the code at hand."""
        kind = JOB_KINDS[str(self.request["kind"])]
        request: EvaluationRequest = kind.request.model_validate(self.request)
        return request

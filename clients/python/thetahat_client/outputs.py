"""Reading the result, the losses and the figures of an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, overload
from urllib.parse import quote

from thetahat_client.errors import EvaluationFailed, Refused, WrongKind
from thetahat_client.models import Problem
from thetahat_client.transport import Answer, Transport

if TYPE_CHECKING:
    from thetahat_client.results import (
        BootstrapResultDict,
        CrossValidationResultDict,
        ImportanceWeightingResultDict,
        LearningCurveResultDict,
        LossesResultDict,
        PredictionsResultDict,
        SelectionResultDict,
        WeightsResultDict,
    )

ACCEPT: Final = {
    "json": "application/json",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
}
IMAGES: Final = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


class Outputs:
    """The methods of a client that read what an evaluation has computed."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @overload
    def result(self, evaluation_id: str, kind: None = None) -> dict[str, Any]: ...
    @overload
    def result(self, evaluation_id: str, kind: Literal["losses"]) -> LossesResultDict: ...
    @overload
    def result(self, evaluation_id: str, kind: Literal["predictions"]) -> PredictionsResultDict: ...
    @overload
    def result(
        self, evaluation_id: str, kind: Literal["cross_validation"]
    ) -> CrossValidationResultDict: ...
    @overload
    def result(self, evaluation_id: str, kind: Literal["bootstrap"]) -> BootstrapResultDict: ...
    @overload
    def result(self, evaluation_id: str, kind: Literal["weights"]) -> WeightsResultDict: ...
    @overload
    def result(
        self, evaluation_id: str, kind: Literal["importance_weighting"]
    ) -> ImportanceWeightingResultDict: ...
    @overload
    def result(
        self, evaluation_id: str, kind: Literal["learning_curve"]
    ) -> LearningCurveResultDict: ...
    @overload
    def result(self, evaluation_id: str, kind: Literal["selection"]) -> SelectionResultDict: ...

    def result(self, evaluation_id: str, kind: str | None = None) -> Any:
        """Return the result, or raise ``ResultNotReady`` or ``EvaluationFailed``.

        Parameters
        ----------
        kind : str or None
            Kind of the evaluation: type checkers then know the fields of the result. ``WrongKind``
            is raised if the result is of another kind.
        """
        result = dict(self._output(evaluation_id, "result", "application/json").json())
        if kind is not None and result.get("kind", kind) != kind:
            raise WrongKind(evaluation_id, kind, str(result["kind"]))
        return result

    @overload
    def losses(self, evaluation_id: str, format: Literal["json"] = "json") -> dict[str, Any]: ...
    @overload
    def losses(self, evaluation_id: str, format: Literal["csv"]) -> str: ...
    @overload
    def losses(self, evaluation_id: str, format: Literal["parquet"]) -> bytes: ...

    def losses(self, evaluation_id: str, format: str = "json") -> dict[str, Any] | str | bytes:  # noqa: A002 - the name of the parameter
        """Return the loss of every instance for every model: JSON, CSV text or Parquet bytes."""
        if format not in ACCEPT:
            message = f"The format {format!r} is not one of {', '.join(ACCEPT)}."
            raise ValueError(message)
        answer = self._output(evaluation_id, "losses", ACCEPT[format])
        if format == "json":
            return dict(answer.json())
        return answer.response.text if format == "csv" else answer.response.content

    def figures(self, evaluation_id: str) -> list[dict[str, Any]]:
        """Return name, title, caption and addresses of each figure of the result."""
        answer = self._output(evaluation_id, "figures", "application/json").json()
        return list(answer["items"])

    def figure(
        self,
        evaluation_id: str,
        name: str,
        format: Literal["svg", "png", "pdf"] = "svg",  # noqa: A002 - as in losses
    ) -> bytes:
        """Return one figure as an image; ``NotFound`` lists the names of the figures."""
        if format not in IMAGES:
            message = f"The format {format!r} is not one of {', '.join(IMAGES)}."
            raise ValueError(message)
        path = f"figures/{quote(name, safe='')}.{format}"
        return self._output(evaluation_id, path, IMAGES[format]).response.content

    def _output(self, evaluation_id: str, path: str, media_type: str) -> Answer:
        headers = {"Accept": media_type}
        try:
            return self._transport.send(
                "GET", f"/v1/evaluations/{evaluation_id}/{path}", headers=headers
            )
        except Refused as refused:
            if refused.problem.code != "no_result":
                raise
            members = refused.problem.members
            error = members.get("evaluation_error")
            raise EvaluationFailed(
                evaluation_id,
                str(members.get("evaluation_status", "failed")),
                Problem.read(error) if error else None,
            ) from None

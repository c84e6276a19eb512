"""Reading the result, the losses and the figures of an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, overload
from urllib.parse import quote

from thetahat_client.errors import EvaluationFailed, Refused, WrongKind
from thetahat_client.models import Problem
from thetahat_client.runners import Method, operation
from thetahat_client.steps import Steps
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


class ResultMethod(Protocol):
    """``Client.result``: type checkers know the result of each kind that has types."""

    @overload
    def __call__(self, evaluation_id: str, kind: None = None) -> dict[str, Any]: ...
    @overload
    def __call__(self, evaluation_id: str, kind: Literal["losses"]) -> LossesResultDict: ...
    @overload
    def __call__(
        self, evaluation_id: str, kind: Literal["predictions"]
    ) -> PredictionsResultDict: ...
    @overload
    def __call__(
        self, evaluation_id: str, kind: Literal["cross_validation"]
    ) -> CrossValidationResultDict: ...
    @overload
    def __call__(self, evaluation_id: str, kind: Literal["bootstrap"]) -> BootstrapResultDict: ...
    @overload
    def __call__(self, evaluation_id: str, kind: Literal["weights"]) -> WeightsResultDict: ...
    @overload
    def __call__(
        self, evaluation_id: str, kind: Literal["importance_weighting"]
    ) -> ImportanceWeightingResultDict: ...
    @overload
    def __call__(
        self, evaluation_id: str, kind: Literal["learning_curve"]
    ) -> LearningCurveResultDict: ...
    @overload
    def __call__(self, evaluation_id: str, kind: Literal["selection"]) -> SelectionResultDict: ...
    def __call__(self, evaluation_id: str, kind: str | None = None) -> Any:
        """Return the result, or raise ``ResultNotReady`` or ``EvaluationFailed``."""


class AsyncResultMethod(Protocol):
    """``AsyncClient.result``."""

    @overload
    async def __call__(self, evaluation_id: str, kind: None = None) -> dict[str, Any]: ...
    @overload
    async def __call__(self, evaluation_id: str, kind: Literal["losses"]) -> LossesResultDict: ...
    @overload
    async def __call__(
        self, evaluation_id: str, kind: Literal["predictions"]
    ) -> PredictionsResultDict: ...
    @overload
    async def __call__(
        self, evaluation_id: str, kind: Literal["cross_validation"]
    ) -> CrossValidationResultDict: ...
    @overload
    async def __call__(
        self, evaluation_id: str, kind: Literal["bootstrap"]
    ) -> BootstrapResultDict: ...
    @overload
    async def __call__(self, evaluation_id: str, kind: Literal["weights"]) -> WeightsResultDict: ...
    @overload
    async def __call__(
        self, evaluation_id: str, kind: Literal["importance_weighting"]
    ) -> ImportanceWeightingResultDict: ...
    @overload
    async def __call__(
        self, evaluation_id: str, kind: Literal["learning_curve"]
    ) -> LearningCurveResultDict: ...
    @overload
    async def __call__(
        self, evaluation_id: str, kind: Literal["selection"]
    ) -> SelectionResultDict: ...
    async def __call__(self, evaluation_id: str, kind: str | None = None) -> Any:
        """Return the result, or raise ``ResultNotReady`` or ``EvaluationFailed``."""


class LossesMethod(Protocol):
    """``Client.losses``: the format decides the type of the answer."""

    @overload
    def __call__(self, evaluation_id: str, format: Literal["json"] = "json") -> dict[str, Any]: ...
    @overload
    def __call__(self, evaluation_id: str, format: Literal["csv"]) -> str: ...
    @overload
    def __call__(self, evaluation_id: str, format: Literal["parquet"]) -> bytes: ...
    def __call__(self, evaluation_id: str, format: str = "json") -> Any:  # noqa: A002 - as in the URL
        """Return the loss of every instance for every model: JSON, CSV text or Parquet bytes."""


class AsyncLossesMethod(Protocol):
    """``AsyncClient.losses``."""

    @overload
    async def __call__(
        self, evaluation_id: str, format: Literal["json"] = "json"
    ) -> dict[str, Any]: ...
    @overload
    async def __call__(self, evaluation_id: str, format: Literal["csv"]) -> str: ...
    @overload
    async def __call__(self, evaluation_id: str, format: Literal["parquet"]) -> bytes: ...
    async def __call__(self, evaluation_id: str, format: str = "json") -> Any:  # noqa: A002 - as in the URL
        """Return the loss of every instance for every model: JSON, CSV text or Parquet bytes."""


class Outputs:
    """The methods of a client that read what an evaluation has computed."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport

    def _read_result(self, evaluation_id: str, kind: str | None = None) -> Steps[Any]:
        """Return the result, or raise ``ResultNotReady`` or ``EvaluationFailed``.

        Parameters
        ----------
        kind : str or None
            Kind of the evaluation: type checkers then know the fields of the result. ``WrongKind``
            is raised if the result is of another kind.
        """
        answer = yield from self._output(evaluation_id, "result", "application/json")
        result = dict(answer.json())
        if kind is not None and result.get("kind", kind) != kind:
            raise WrongKind(evaluation_id, kind, str(result["kind"]))
        return result

    result = Method[ResultMethod, AsyncResultMethod](_read_result, "run")

    def _read_losses(self, evaluation_id: str, format: str = "json") -> Steps[Any]:  # noqa: A002 - the name of the parameter
        """Return the loss of every instance for every model: JSON, CSV text or Parquet bytes."""
        if format not in ACCEPT:
            message = f"The format {format!r} is not one of {', '.join(ACCEPT)}."
            raise ValueError(message)
        answer = yield from self._output(evaluation_id, "losses", ACCEPT[format])
        if format == "json":
            return dict(answer.json())
        return answer.response.text if format == "csv" else answer.response.content

    losses = Method[LossesMethod, AsyncLossesMethod](_read_losses, "run")

    @operation
    def figures(self, evaluation_id: str) -> Steps[list[dict[str, Any]]]:
        """Return name, title, caption and addresses of each figure of the result."""
        answer = yield from self._output(evaluation_id, "figures", "application/json")
        return list(answer.json()["items"])

    @operation
    def figure(
        self,
        evaluation_id: str,
        name: str,
        format: Literal["svg", "png", "pdf"] = "svg",  # noqa: A002 - as in losses
    ) -> Steps[bytes]:
        """Return one figure as an image; ``NotFound`` lists the names of the figures."""
        if format not in IMAGES:
            message = f"The format {format!r} is not one of {', '.join(IMAGES)}."
            raise ValueError(message)
        path = f"figures/{quote(name, safe='')}.{format}"
        answer = yield from self._output(evaluation_id, path, IMAGES[format])
        return answer.response.content

    def _output(self, evaluation_id: str, path: str, media_type: str) -> Steps[Answer]:
        headers = {"Accept": media_type}
        try:
            return (
                yield from self.transport.send(
                    "GET", f"/v1/evaluations/{evaluation_id}/{path}", headers=headers
                )
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

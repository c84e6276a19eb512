"""Reading the result, the losses and the figures of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Literal,
    Protocol,
    TypeAlias,
    TypedDict,
    cast,
    overload,
)
from urllib.parse import quote

from thetahat_client.errors import EvaluationFailed, Refused, WrongKind
from thetahat_client.exchange import Answer, Query
from thetahat_client.figure import MEDIA_TYPES, FigureFormat, FigureImage
from thetahat_client.models import Problem
from thetahat_client.result import ResultObject
from thetahat_client.runners import ClientMethod, operation
from thetahat_client.transport import Transport

if TYPE_CHECKING:
    from thetahat_client.result_types import JsonObject
    from thetahat_client.results import (
        AsyncResultMethod,
        FigureReadDict,
        InstanceDifferencesReadDict,
        LossTableReadDict,
        ResultMethod,
    )

ACCEPT: Final = {
    "json": "application/json",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
}


Include: TypeAlias = "str | Sequence[str]"
"""Names of parts of a result, or ``all``."""


class ResultOptions(TypedDict, total=False):
    """What ``Client.result`` is told beside the evaluation and its kind (``read_result``)."""

    partial: bool
    include: Include


class LossesMethod(Protocol):
    """``Client.losses``: the format decides the type of the answer."""

    @overload
    def __call__(
        self, evaluation_id: str, format: Literal["json"] = "json"
    ) -> LossTableReadDict: ...
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
    ) -> LossTableReadDict: ...
    @overload
    async def __call__(self, evaluation_id: str, format: Literal["csv"]) -> str: ...
    @overload
    async def __call__(self, evaluation_id: str, format: Literal["parquet"]) -> bytes: ...
    async def __call__(self, evaluation_id: str, format: str = "json") -> Any:  # noqa: A002 - as in the URL
        """Return the loss of every instance for every model: JSON, CSV text or Parquet bytes."""


REPORTS: Final = {"pdf": "application/pdf", "html": "text/html"}
LONGEST_REPORT_S: Final = 120.0  # the service draws every figure and sets the pages


class Outputs:
    """The methods of a client that read what an evaluation has computed."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport

    def read_result(
        self,
        evaluation_id: str,
        kind: str | None = None,
        *,
        partial: bool = False,
        include: Include = (),
    ) -> Any:
        """Return the result, or raise ``ResultNotReady`` or ``EvaluationFailed``.

        Parameters
        ----------
        kind : str or None
            Kind of the evaluation: type checkers then know the fields of the result. ``WrongKind``
            is raised if the result is of another kind.
        partial : bool
            While the evaluation runs, return the result of the learners that are complete; its
            field ``partial`` names them. ``ResultNotReady`` is raised while none is.
        include : str or sequence of str
            Parts that the result shall have beside those that its request includes, such as
            ``["tests"]``, or ``"all"``; they are computed from the losses that are kept.
        """
        parts = include if isinstance(include, str) else ",".join(include)
        query = {"partial": "true" if partial else None, "include": parts or None}
        answer = self.read_output(evaluation_id, "result", "application/json", query)
        result = self.bind_result(evaluation_id, answer.json())
        if kind is not None and result.get("kind", kind) != kind:
            raise WrongKind(evaluation_id, kind, str(result["kind"]))
        return result

    result: ClientMethod[ResultMethod, AsyncResultMethod] = ClientMethod(read_result, "run")

    def _read_losses(self, evaluation_id: str, format: str = "json") -> Any:  # noqa: A002 - the name of the parameter
        """Return the loss of every instance for every model: JSON, CSV text or Parquet bytes."""
        if format not in ACCEPT:
            message = f"The format {format!r} is not one of {', '.join(ACCEPT)}."
            raise ValueError(message)
        answer = self.read_output(evaluation_id, "losses", ACCEPT[format])
        if format == "json":
            return dict(answer.json())
        return answer.text if format == "csv" else answer.content

    losses = ClientMethod[LossesMethod, AsyncLossesMethod](_read_losses, "run")

    @operation
    def differences(  # noqa: PLR0913 - one argument for each parameter of the query
        self,
        evaluation_id: str,
        a: str | None = None,
        b: str | None = None,
        *,
        search: str | None = None,
        offset: int | None = None,
        limit: int | None = None,
    ) -> InstanceDifferencesReadDict:
        """Return the instances on which two models differ, the largest difference first.

        Parameters
        ----------
        a, b : str or None
            The models; None for two of the evaluation.
        search : str or None
            What the label of an instance, its block or its cluster contains.
        offset, limit : int or None
            Instances to leave out at the beginning, such as ``next`` of the page before, and
            length of the page.
        """
        query = {"a": a, "b": b, "search": search, "offset": offset, "limit": limit}
        answer = self.read_output(evaluation_id, "differences", "application/json", query)
        return cast("InstanceDifferencesReadDict", answer.json())

    @operation
    def figures(self, evaluation_id: str) -> list[FigureReadDict]:
        """Return name, title, caption and addresses of each figure of the result."""
        answer = self.read_output(evaluation_id, "figures", "application/json")
        return list(answer.json()["items"])

    def read_figure(  # noqa: PLR0913 - one argument for each parameter of the query
        self,
        evaluation_id: str,
        name: str,
        format: FigureFormat = "svg",  # noqa: A002 - as in losses
        *,
        theme: Literal["light", "dark"] | None = None,
        width: int | None = None,
        caption: bool = False,
    ) -> FigureImage:
        """Return one figure as an image; ``NotFound`` lists the names of the figures.

        Parameters
        ----------
        theme : str or None
            Colours for a light or a dark page; ``light`` by default.
        width : int or None
            Width in pixels.
        caption : bool
            Whether the caption is part of the picture.
        """
        if format not in MEDIA_TYPES:
            message = f"The format {format!r} is not one of {', '.join(MEDIA_TYPES)}."
            raise ValueError(message)
        path = f"figures/{quote(name, safe='')}.{format}"
        query = {"theme": theme, "width": width, "caption": "true" if caption else None}
        answer = self.read_output(evaluation_id, path, MEDIA_TYPES[format], query)
        return FigureImage(answer.content, name, format)

    figure = operation(read_figure)

    @operation
    def report(
        self,
        evaluation_id: str,
        format: Literal["pdf", "html"] = "pdf",  # noqa: A002 - as in losses
    ) -> bytes:
        """Return the report of an evaluation for reading, printing and signing, as one file."""
        if format not in REPORTS:
            message = f"The format {format!r} is not one of {', '.join(REPORTS)}."
            raise ValueError(message)
        answer = self.read_output(
            evaluation_id, f"report.{format}", REPORTS[format], waiting=LONGEST_REPORT_S
        )
        return answer.content

    @operation
    def bundle(self, evaluation_id: str, *, report: bool = False) -> bytes:
        """Return request, result and losses in one ZIP file, for ``thetahat verify``.

        Parameters
        ----------
        report : bool
            Whether the report as HTML is one of its files.
        """
        answer = self.read_output(
            evaluation_id,
            "bundle.zip",
            "application/zip",
            {"report": "true" if report else None},
            waiting=LONGEST_REPORT_S,
        )
        return answer.content

    @operation
    def notebook(self, evaluation_id: str) -> bytes:
        """Return a notebook with the losses, which computes the result again."""
        return self.read_output(evaluation_id, "notebook.ipynb", "application/x-ipynb+json").content

    def bind_result(self, evaluation_id: str, values: JsonObject) -> ResultObject[Any]:
        """Return a result that reads its figures through this client."""
        client: Any = self  # its figure blocks or is awaited
        return ResultObject(values, evaluation_id, client.figure)

    def read_output(
        self,
        evaluation_id: str,
        path: str,
        media_type: str,
        query: Query | None = None,
        waiting: float = 0.0,
    ) -> Answer:
        """Return an output, or raise ``ResultNotReady`` or ``EvaluationFailed``."""
        headers = {"Accept": media_type}
        try:
            return self.transport.send(
                "GET",
                f"/v1/evaluations/{evaluation_id}/{path}",
                query=query,
                headers=headers,
                waiting=waiting,
            )
        except Refused as refused:
            if refused.problem.code != "no_result":
                raise
            members: Mapping[str, Any] = refused.problem.members
            error = members.get("evaluation_error")
            raise EvaluationFailed(
                evaluation_id,
                str(members.get("evaluation_status", "failed")),
                Problem.read(error) if error else None,
            ) from None

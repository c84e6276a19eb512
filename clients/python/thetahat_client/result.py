"""The result of an evaluation: its JSON object, which a notebook shows as tables and verdicts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from thetahat_client.figure import FigureFormat, FigureImage
from thetahat_client.result_types import JsonObject
from thetahat_client.text import result_html

F = TypeVar("F", FigureImage, Awaitable[FigureImage])


class ResultObject(dict[str, Any], Generic[F]):
    """A result; ``result["models"]["ridge"]`` and so on are those of the JSON.

    Parameters
    ----------
    values : Mapping
        The JSON object.
    evaluation_id : str
        Its evaluation.
    get_figure : callable
        ``figure`` of the client that has read the result.
    """

    def __init__(
        self, values: JsonObject, evaluation_id: str, get_figure: Callable[..., F]
    ) -> None:
        super().__init__(values)
        self.evaluation_id = evaluation_id
        self._get_figure: Callable[..., F] = get_figure

    def figure(self, name: str, format: FigureFormat = "svg") -> F:  # noqa: A002 - as in Client.figure
        """Return a figure of the result from the service; await it if the client is async."""
        return self._get_figure(self.evaluation_id, name, format)

    def __reduce__(self) -> tuple[type[dict[str, object]], tuple[dict[str, object]]]:
        """Copy and pickle the JSON alone, for a connection cannot be copied."""
        return dict, (dict(self),)

    def _repr_html_(self) -> str:
        return result_html(self)

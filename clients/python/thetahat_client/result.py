"""The result of an evaluation: its JSON object, which is shown as the library's results are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from thetahat_client.figure import FigureFormat, FigureImage
from thetahat_client.result_types import JsonObject
from thetahat_presentation.shown_result import ShownResult

F = TypeVar("F", FigureImage, Awaitable[FigureImage])


class ResultObject(ShownResult, dict[str, Any], Generic[F]):
    """A result; ``result["models"]["ridge"]`` and so on are those of the JSON.

    ``repr`` has the models and the verdict, ``print`` the findings.

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

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object alone."""
        return dict(self)

    def __reduce__(self) -> tuple[type[dict[str, object]], tuple[dict[str, object]]]:
        """Copy and pickle the JSON alone, for a connection cannot be copied."""
        return dict, (dict(self),)

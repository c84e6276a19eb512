"""The answers of the service as dataclasses; fields that are new to this release are ignored."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any, Final

from thetahat_client.documents import READ, Document
from thetahat_presentation.hidden_characters import show_hidden

if TYPE_CHECKING:
    from thetahat_client.result_types import JsonObject
    from thetahat_client.results import DatasetColumnDict, JsonValue

FINISHED: Final = frozenset({"succeeded", "failed", "cancelled"})
PLAIN_NAME: Final = re.compile(r"[\w-]+")  # a name in a path of fields that needs no quotes


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a request."""

    loc: tuple[str | int, ...]
    """Path to the field in the request."""
    message: str
    """What is wrong."""
    value: JsonValue = None
    """The value of the field, shortened."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Fault:
        """Return the object that JSON describes."""
        return cls(tuple(data.get("loc", ())), str(data.get("message", "")), data.get("value"))


@dataclass(frozen=True, slots=True)
class Problem:
    """The reason of a refusal or a failure (RFC 9457).

    Parameters
    ----------
    type, code : str
        Stable identifiers; ``type`` is ``/problems/`` followed by the code.
    title, detail : str
        For people.
    status : int or None
        HTTP status; None for the error of a failed evaluation.
    errors : tuple of Fault
        The faults of the request.
    request_id : str
        Identifies the request in the log of the service; may be empty.
    members : Mapping
        The whole JSON object.
    """

    type: str
    code: str
    title: str
    detail: str
    status: int | None
    errors: tuple[Fault, ...]
    request_id: str
    members: JsonObject

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Problem:
        """Return the problem of a JSON object, in which every field may be missing."""
        kind = str(data.get("type", "about:blank"))
        faults = data.get("errors")
        return cls(
            type=kind,
            code=str(data.get("code", kind.rpartition("/")[2])),
            title=str(data.get("title", "")),
            detail=str(data.get("detail", "")),
            status=data.get("status"),
            errors=tuple(Fault.read(f) for f in faults) if isinstance(faults, list) else (),
            request_id=str(data.get("request_id", "")),
            members=dict(data),
        )

    def in_words(self) -> str:
        """Return the detail and one line per fault, without repetition."""
        lines = [self.detail or self.title or self.type]
        for fault in self.errors:
            place = ".".join(map(str, fault.loc))
            line = fault.message if place in fault.message else f"{place}: {fault.message}"
            if fault.message == lines[0]:
                lines[0] = line
            elif not lines[0].startswith(line):
                lines.append(f"  {line}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a data set; ``type`` is number, integer, boolean or string."""

    name: str
    type: str

    @classmethod
    def read_all(cls, data: list[DatasetColumnDict]) -> tuple[Column, ...]:
        """Return the columns that JSON describes."""
        return tuple(cls(column["name"], column["type"]) for column in data)


@dataclass(frozen=True, slots=True)
class UseCounts(Document):
    """How often models were evaluated on the content of a data set."""

    evaluations: int
    models: int
    first_at: datetime | None
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class Dataset(Document):
    """An uploaded file; the same bytes of the same type have the same ``id``."""

    id: str
    name: str | None
    sha256: str
    media_type: str = field(default="", kw_only=True)
    bytes: int
    rows: int
    columns: tuple[Column, ...] = field(metadata={READ: Column.read_all})
    created_at: datetime | None
    uses: UseCounts | None = field(default=None, metadata={READ: UseCounts.read})
    """None from a service that does not count them."""


@dataclass(frozen=True, slots=True)
class Progress(Document):
    """The progress of an evaluation; ``total`` is None while it is unknown."""

    done: int = 0
    total: int | None = None
    unit: str = ""

    @property
    def share(self) -> float | None:
        """``done`` divided by ``total``, at most 1; None while the total is unknown."""
        return min(self.done / self.total, 1.0) if self.total else None


@dataclass(frozen=True, slots=True)
class Evaluation(Document):
    """A job of the service."""

    id: str
    kind: str
    name: str | None
    status: str
    """``queued``, ``running``, ``succeeded``, ``failed`` or ``cancelled``."""
    labels: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    seed: int | None
    created_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    progress: Progress = field(
        default_factory=Progress, metadata={READ: Progress.read}, kw_only=True
    )
    error: Problem | None = field(metadata={READ: Problem.read})
    """Why it failed."""
    links: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    result: dict[str, Any] | None = None
    """Only after ``submit(..., wait=N)``; otherwise use ``Client.result``."""
    headline: str | None = None
    """The first sentence of the findings; None without a result."""
    verdict: str | None = None
    """The decision on the best model and those that it is compared with; None without one."""
    gate: str | None = None
    """``pass``, ``fail`` or ``undecided``; None without a gate."""
    sign_off: str | None = None
    """The decision of the newest sign-off; None if nobody has signed."""
    seconds_left: float | None = field(default=None, compare=False)
    """The service's estimate of the time to the end; None where it has none."""

    def _repr_html_(self) -> str:
        title = f"{self.kind}, {self.name}" if self.name else self.kind
        reason = f"<br>{escape(show_hidden(self.error.in_words()))}" if self.error else ""
        shown = escape(show_hidden(title))
        words = f"Evaluation <code>{escape(self.id)}</code> ({shown}): {self.status}"
        return f"<p>{words}{reason}</p>"

    @property
    def is_finished(self) -> bool:
        """Whether it has ended, in success or not."""
        return self.status in FINISHED

    @property
    def seconds(self) -> float | None:
        """Seconds from start to end; None before the end."""
        if self.started_at is None or self.finished_at is None:
            return None
        return (self.finished_at - self.started_at).total_seconds()


@dataclass(frozen=True, slots=True)
class SignOff(Document):
    """The decision of a person about a result; of several the newest counts.

    Parameters
    ----------
    at : datetime or None
        When it was signed.
    name : str
        The person who signed.
    owner, actor : str
        Owner of the API key that signed, and the first characters of that key.
    decision : str
        ``approved``, ``rejected`` or ``needs_changes``.
    comment : str
        Reasons and conditions.
    result_sha256 : str
        SHA-256 of the result that was signed.
    matches_result : bool
        Whether the recorded result is still that one.
    """

    id: str
    at: datetime | None
    name: str
    owner: str = field(default="", kw_only=True)
    actor: str = field(default="", kw_only=True)
    decision: str
    comment: str = field(default="", kw_only=True)
    result_sha256: str
    matches_result: bool


def field_path(*names: str) -> str:
    """Return a path for ``Client.read_fields``, with quotes where a name needs them.

    >>> field_path("result", "models", "my model", "recommended")
    'result.models."my model".recommended'
    """
    return ".".join(
        name if PLAIN_NAME.fullmatch(name) else json.dumps(name, ensure_ascii=False)
        for name in names
    )

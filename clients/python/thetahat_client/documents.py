"""Reading the JSON objects of the service as dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from thetahat_client.result_types import JsonObject

READ: Final = "read"
"""The entry of a field's metadata that makes its value of the JSON, where the type does not."""


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON object of the service; a field that is new to this release is in ``members`` alone."""

    members: JsonObject = field(default_factory=dict, repr=False, compare=False, kw_only=True)
    """The whole JSON object that the service sent."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """Return the object that JSON describes.

        A field that is missing, as an older service may leave it out, has its default or is None.
        """
        values: dict[str, Any] = {"members": dict(data)}
        for each in fields(cls):
            kind, value = str(each.type), data.get(each.name)
            has_default = each.default is not MISSING or each.default_factory is not MISSING
            if each.name in values or (value is None and has_default):
                continue
            if value is not None:
                read = each.metadata.get(READ) or _choose_reader(kind)
                values[each.name] = value if read is None else read(value)
            elif kind.endswith("| None"):
                values[each.name] = None
            else:
                values[each.name] = data[each.name]
        return cls(**values)


def _choose_reader(kind: str) -> Any:
    """Return what makes a value of a type from that of JSON; None for one that is the same."""
    if kind.startswith("datetime"):
        return datetime.fromisoformat
    return tuple if kind.startswith("tuple") else None

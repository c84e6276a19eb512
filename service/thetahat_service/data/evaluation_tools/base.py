"""What the readers of evaluation tools share: rows, items known by content, and failed runs."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import IO, Final, Protocol

from thetahat.values.json_values import JsonValue
from thetahat_service.data.base import FileLimits, Inspected
from thetahat_service.data.json_rows import write_rows
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

ERROR: Final = "error"
"""The member of a row with the message of a run that failed; its score is missing."""
COST_PREFIX: Final = "cost."
"""What columns with the cost of a run are named before what is counted."""
SHOWN: Final = 60
"""Characters of a text that stand in the name of an item."""
NAMED_MODELS: Final = 8


class Tool(Protocol):
    """An evaluation tool whose files are read."""

    name: str
    """What messages call it."""

    def recognise(self, value: JsonValue) -> bool:
        """Return whether a whole JSON file, or the first line of JSON Lines, is of this tool."""
        ...

    def list_rows(self, values: Iterable[JsonValue]) -> Iterator[JsonObject]:
        """Yield a row for each run: of a JSON file, or of the lines of JSON Lines.

        A row has ``item``, ``epoch`` and ``score``, and where the file has them ``model``,
        ``task``, ``filter``, ``doc_hash``, ``error`` and ``cost``, what the run cost.
        """
        ...


@dataclass(slots=True)
class FailedRuns:
    """The runs that ended in an error."""

    rows: int = 0
    models: Counter[str] = field(default_factory=Counter)
    first: str = ""

    def watch(self, rows: Iterable[JsonObject]) -> Iterator[JsonObject]:
        """Yield the rows, and count those with an error."""
        self.rows, self.first = 0, ""
        self.models.clear()
        for row in rows:
            self.rows += 1
            if row.get(ERROR) is not None:
                self.models[str(row.get("model", ""))] += 1
                if not self.first:
                    self.first = f"item {row['item']!r}: {shorten(str(row[ERROR]), 120)}"
            yield row

    def describe(self, inspected: Inspected) -> Inspected:
        """Add a sentence about failed runs to the details, if there are any."""
        if not self.models:
            return inspected
        named = [f"{name}: {n}" for name, n in self.models.most_common(NAMED_MODELS) if name]
        models = f" ({', '.join(named)})" if named else ""
        sentence = (
            f"{self.models.total()} of {self.rows} runs ended in an error or are invalid, and "
            f"lack scores{models}; "
            f"the first is {self.first}"
        )
        return replace(inspected, details={**inspected.details, "failed_runs": sentence})


def write_tool_rows(
    tool: Tool, read: Callable[[], Iterable[JsonValue]], limits: FileLimits, table: IO[bytes]
) -> Inspected:
    """Write the rows of a tool's file as a table, and describe its failed runs."""
    failed = FailedRuns()
    inspected = write_rows(lambda: failed.watch(tool.list_rows(read())), limits, table)
    named = replace(inspected, details={**inspected.details, "tool": tool.name})
    return describe_costs(failed.describe(named))


def describe_costs(inspected: Inspected) -> Inspected:
    """Add a sentence about what runs cost to the details, if the file says it."""
    names = [str(column["name"]) for column in inspected.columns]
    costs = [name.removeprefix(COST_PREFIX) for name in names if name.startswith(COST_PREFIX)]
    if not costs:
        return inspected
    sentence = (
        f"The file says what each run cost: {', '.join(costs)}. It is compared where logs.cost "
        "names one of them."
    )
    return replace(inspected, details={**inspected.details, "costs": sentence})


def read_costs(**values: JsonValue) -> JsonObject:
    """Return the member ``cost`` of a row, of the numbers that a run has; nothing without any."""
    costs: dict[str, JsonValue] = {
        name: float(value)
        for name, value in values.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return {"cost": costs} if costs else {}


def number_runs(rows: Iterable[JsonObject]) -> Iterator[JsonObject]:
    """Yield rows with the number of the run, ``epoch``, of its item, model, task and filter."""
    runs: Counter[tuple[JsonValue, ...]] = Counter()
    for row in rows:
        key = tuple(row.get(name) for name in ("model", "task", "item", "filter"))
        runs[key] += 1
        yield {"item": row["item"], "epoch": runs[key], **row}


def hash_content(*values: JsonValue) -> str:
    """Return a hash of the content of an item, whatever the order of keys."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def name_item(text: str, digest: str) -> str:
    """Return a name for an item known by its content: the begin of a text, and of its hash."""
    return f"{shorten(text, SHOWN)} #{digest[:8]}"


def shorten(text: str, length: int) -> str:
    """Return a text in one line, cut to a length."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def require_object(value: JsonValue, place: str) -> JsonObject:
    """Return a value that must be an object."""
    if not isinstance(value, dict):
        raise InvalidFile(f"{place} is not an object of JSON.")
    return value


def require_list(value: JsonValue, place: str) -> list[JsonValue]:
    """Return a value that must be a list."""
    if not isinstance(value, list):
        raise InvalidFile(f"{place} must be a list.")
    return value


def read_number(value: JsonValue, place: str) -> float | None:
    """Return a score: a number or a truth value; None for null and NaN."""
    if value is None:
        return None
    if not isinstance(value, bool | int | float):
        raise InvalidFile(f"{place} is {shorten(repr(value), SHOWN)}, which is no number.")
    return None if value != value else float(value)  # noqa: PLR0124 - NaN

"""The output items of a run in OpenAI's Evals API, as pages of its list or one in each line.

An item is a row of the data source. Its scores are those of the graders, without the ids that
their names end with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from thetahat.values.json_values import JsonValue
from thetahat_service.data.evaluation_tools.base import (
    ERROR,
    hash_content,
    number_runs,
    read_costs,
    read_number,
    require_list,
    require_object,
    shorten,
)
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

KIND: Final = "eval.run.output_item"
GRADER_ID: Final = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


class OpenAIRuns:
    """The output items of runs in OpenAI's Evals API."""

    name = "OpenAI Evals API"

    def recognise(self, value: JsonValue) -> bool:
        """Return whether the JSON is an output item, or a page of them."""
        if not isinstance(value, dict):
            return False
        data = value.get("data")
        first = data[0] if isinstance(data, list) and data else value
        return isinstance(first, dict) and first.get("object") == KIND

    def list_rows(self, values: Iterable[JsonValue]) -> Iterator[JsonObject]:
        """Yield a row for each output item."""
        return number_runs(map(_read_item, _list_items(values)))


def _list_items(values: Iterable[JsonValue]) -> Iterator[JsonObject]:
    for value in values:
        page = require_object(value, "A page of output items")
        if page.get("object") == KIND:
            yield page
            continue
        if page.get("has_more"):
            raise InvalidFile(
                "The list of output items has has_more: true, so that further items are missing. "
                "Ask for the next pages, too, and send all items: one in each line, as JSON Lines."
            )
        for item in require_list(page.get("data"), "data"):
            yield require_object(item, "An output item")


def _read_item(item: JsonObject) -> JsonObject:
    name = str(item.get("datasource_item_id"))
    sample = require_object(item.get("sample") or {}, f"The sample of item {name!r}")
    scores: dict[str, JsonValue] = {}
    for entry in require_list(item.get("results") or [], f"results of item {name!r}"):
        result = require_object(entry, f"A result of item {name!r}")
        grader = GRADER_ID.sub("", str(result.get("name") or "score"))
        if grader in scores:
            raise InvalidFile(f"Item {name!r} has two results of {grader!r}. Name each grader.")
        value = result.get("score")
        value = result.get("passed") if value is None else value
        scores[grader] = read_number(value, f"The score {grader!r} of item {name!r}")
    row: dict[str, JsonValue] = {
        "item": name,
        "doc_hash": hash_content(item.get("datasource_item")),
        "score": scores,
    }
    if isinstance(sample.get("model"), str):
        row["model"] = sample["model"]
    error = sample.get("error")
    problem = error.get("message") or error.get("code") if isinstance(error, dict) else error
    if problem:
        row[ERROR] = shorten(str(problem), 1000)
        row["score"] = dict.fromkeys(scores)
    usage = sample.get("usage")
    if isinstance(usage, dict):
        row |= read_costs(
            input_tokens=usage.get("prompt_tokens"), output_tokens=usage.get("completion_tokens")
        )
    return row


TOOL: Final = OpenAIRuns()

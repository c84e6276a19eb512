"""Tables and result files of evaluation tools in JSON, which are known by their content."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import IO, ClassVar

from thetahat.values.json_values import JsonValue
from thetahat_service.data.base import FORM, FileLimits, Inspected
from thetahat_service.data.evaluation_tools.base import write_tool_rows
from thetahat_service.data.evaluation_tools.recognition import TOOLS, find_tool
from thetahat_service.data.formats import json_lines
from thetahat_service.data.formats.inspect_log import (
    LONGEST_LINE,
    is_inspect_log,
    write_inspect_log,
)
from thetahat_service.data.json_rows import parse_json, write_rows
from thetahat_service.data.json_tables import read_json_table
from thetahat_service.data.packing import unpack_text
from thetahat_service.data.tables import TEXT_TABLE, MappedFormat
from thetahat_service.errors import InvalidFile


class JsonResults(MappedFormat):
    """A table, or a result file as one: item, epoch, task, model, and a column for each score."""

    media_type: ClassVar[str] = "application/json"
    title: ClassVar[str] = "table or result file of an evaluation tool in JSON"
    table_suffix = f".json{TEXT_TABLE}"

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Read the file once, and what is kept of each run twice: for the columns, to write."""
        with unpack_text(path, limits, LONGEST_LINE, self.media_type) as text:
            content = text.read_bytes()
        if is_json_lines(content):
            return _note_form(json_lines.METHOD.inspect(path, limits, table), "lines")
        value = parse_json(content, "The file")
        if is_inspect_log(value):
            return write_inspect_log(value, limits, table)
        tool = find_tool(value)
        if is_harness_summary(value):
            raise InvalidFile(
                "This is the summary of a run of lm-evaluation-harness, which has no scores of "
                "items. Run it with --log_samples, and take the samples_TASK_DATE.jsonl files."
            )
        if tool is not None:
            return write_tool_rows(tool, lambda: [value], limits, table)
        found = read_json_table(value)
        if found is None:
            known = ", ".join(sorted((tool.name for tool in TOOLS), key=str.lower))
            raise InvalidFile(
                f"The JSON is no result file of inspect_ai, {known}, and no table: neither a list "
                "of objects nor a list for each column, nor an object of scores by item for each "
                "model. Send tables as JSON Lines, with the ending .jsonl."
            )
        form, rows = found
        tool = find_tool(rows[0]) if rows else None
        if tool is not None:
            return write_tool_rows(tool, lambda: rows, limits, table)
        return _note_form(write_rows(lambda: rows, limits, table), form)


def is_harness_summary(value: JsonValue) -> bool:
    """Return whether JSON is the ``results_DATE.json`` of lm-evaluation-harness.

    Early ones have no versions, but a standard error beside the metrics of each task.
    """
    results = value.get("results") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(results, dict):
        return False
    tasks = [task for task in results.values() if isinstance(task, dict)]
    return "versions" in value or any("_stderr" in name for task in tasks for name in task)


def is_json_lines(content: bytes) -> bool:
    """Return whether each line is an object of its own, as databases write JSON."""
    first, _, others = content.lstrip().partition(b"\n")
    if not (first.startswith(b"{") and others.lstrip().startswith(b"{")):
        return False
    try:
        return isinstance(parse_json(first, "Line 1"), dict)
    except InvalidFile:
        return False


def _note_form(inspected: Inspected, form: str) -> Inspected:
    """Add the form of a table to its details, unless it is of an evaluation tool."""
    if "tool" in inspected.details:
        return inspected
    return replace(inspected, details={**inspected.details, FORM: form})


METHOD = JsonResults()

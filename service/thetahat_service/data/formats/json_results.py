"""Result files of evaluation tools in JSON, which are known by their content."""

from __future__ import annotations

from pathlib import Path
from typing import IO, ClassVar, Final

from thetahat_service.data.base import FileLimits, Inspected
from thetahat_service.data.evaluation_tools.base import write_tool_rows
from thetahat_service.data.evaluation_tools.recognition import TOOLS, find_tool
from thetahat_service.data.formats.inspect_log import (
    LONGEST_LINE,
    is_inspect_log,
    write_inspect_log,
)
from thetahat_service.data.json_rows import parse_json
from thetahat_service.data.packing import unpack_text
from thetahat_service.data.tables import TEXT_TABLE, MappedFormat
from thetahat_service.errors import InvalidFile

HARNESS_SUMMARY: Final = frozenset({"results", "versions"})
"""Members of the ``results_DATE.json`` that lm-evaluation-harness writes beside its samples."""


class JsonResults(MappedFormat):
    """A result file as a table: item, epoch, task, model, and a column for each score."""

    media_type: ClassVar[str] = "application/json"
    title: ClassVar[str] = "result file of an evaluation tool in JSON"
    table_suffix = f".json{TEXT_TABLE}"

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Read the file once, and what is kept of each run twice: for the columns, to write."""
        with unpack_text(path, limits, LONGEST_LINE, self.media_type) as text:
            value = parse_json(text.read_bytes(), "The file")
        if is_inspect_log(value):
            return write_inspect_log(value, limits, table)
        tool = find_tool(value)
        if isinstance(value, dict) and value.keys() >= HARNESS_SUMMARY:
            raise InvalidFile(
                "This is the summary of a run of lm-evaluation-harness, which has no scores of "
                "items. Run it with --log_samples, and take the samples_TASK_DATE.jsonl files."
            )
        if tool is None:
            known = ", ".join(sorted((tool.name for tool in TOOLS), key=str.lower))
            raise InvalidFile(
                f"The JSON is no result file of inspect_ai, {known}. Send tables as JSON Lines, "
                "with the ending .jsonl."
            )
        return write_tool_rows(tool, lambda: [value], limits, table)


METHOD = JsonResults()

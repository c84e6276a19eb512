"""Result files of evaluation tools in JSON, which are known by their content."""

from __future__ import annotations

from pathlib import Path
from typing import IO, ClassVar

from thetahat_service.data.base import FileLimits, Inspected
from thetahat_service.data.evaluation_tools.base import write_tool_rows
from thetahat_service.data.evaluation_tools.recognition import TOOLS, find_tool
from thetahat_service.data.formats.inspect_log import is_inspect_log, write_inspect_log
from thetahat_service.data.json_rows import parse_json
from thetahat_service.data.tables import TEXT_TABLE, ConvertedFormat
from thetahat_service.errors import InvalidFile


class JsonResults(ConvertedFormat):
    """A result file as a table: item, epoch, task, model, and a column for each score."""

    media_type: ClassVar[str] = "application/json"
    title: ClassVar[str] = "result file of an evaluation tool in JSON"
    endings: ClassVar[tuple[str, ...]] = (".json",)
    table_suffix = f".json{TEXT_TABLE}"

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Read the file once, and what is kept of each run twice: for the columns, to write."""
        value = parse_json(path.read_bytes(), "The file")
        if is_inspect_log(value):
            return write_inspect_log(value, limits, table)
        tool = find_tool(value)
        if tool is None:
            known = ", ".join(sorted((tool.name for tool in TOOLS), key=str.lower))
            raise InvalidFile(
                f"The JSON is no result file of inspect_ai, {known}. Send tables as JSON Lines, "
                "with the ending .jsonl."
            )
        return write_tool_rows(tool, lambda: [value], limits, table)


METHOD = JsonResults()

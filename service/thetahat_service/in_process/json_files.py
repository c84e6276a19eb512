"""Files in JSON of the caller: requests, or tables and results of evaluation tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thetahat_service.data.evaluation_tools.recognition import find_tool
from thetahat_service.data.formats.inspect_log import is_inspect_log
from thetahat_service.data.formats.json_results import is_json_lines
from thetahat_service.data.json_rows import parse_json
from thetahat_service.data.json_tables import read_json_table
from thetahat_service.errors import InvalidFile

if TYPE_CHECKING:
    from pathlib import Path


def is_json_data(path: Path) -> bool:
    """Return whether a file in JSON is a table or of an evaluation tool, and not a request."""
    try:
        content = path.read_bytes()
        if is_json_lines(content):
            return True
        value = parse_json(content, "The file")
    except (OSError, InvalidFile):
        return False  # whoever reads it as a request says what is wrong
    if is_inspect_log(value) or find_tool(value) is not None:
        return True
    try:
        return read_json_table(value) is not None
    except InvalidFile:  # a table of which something is wrong
        return True

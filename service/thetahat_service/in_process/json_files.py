"""Files in JSON of the caller: requests, or results of evaluation tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thetahat_service.data.evaluation_tools.recognition import find_tool
from thetahat_service.data.formats.inspect_log import is_inspect_log
from thetahat_service.data.json_rows import parse_json
from thetahat_service.errors import InvalidFile

if TYPE_CHECKING:
    from pathlib import Path


def is_json_results(path: Path) -> bool:
    """Return whether a file in JSON is of an evaluation tool, and not a request."""
    try:
        value = parse_json(path.read_bytes(), "The file")
    except (OSError, InvalidFile):
        return False  # whoever reads it as a request says what is wrong
    return is_inspect_log(value) or find_tool(value) is not None

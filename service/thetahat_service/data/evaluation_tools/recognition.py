"""Which tool a JSON text is of."""

from __future__ import annotations

from typing import Final

from thetahat.values.json_values import JsonValue
from thetahat_service.data.evaluation_tools import (
    deepeval,
    every_eval_ever,
    helm,
    openai_evals,
    openai_runs,
    promptfoo,
)
from thetahat_service.data.evaluation_tools.base import Tool

TOOLS: Final[tuple[Tool, ...]] = (
    promptfoo.TOOL,
    helm.TOOL,
    deepeval.TOOL,
    every_eval_ever.TOOL,
    openai_evals.TOOL,
    openai_runs.TOOL,
)


def find_tool(value: JsonValue) -> Tool | None:
    """Return the tool that writes such a JSON file, or such lines; None if it is unknown."""
    return next((tool for tool in TOOLS if tool.recognise(value)), None)

"""``thetahat mcp``: the tools of an assistant, by the Model Context Protocol over stdio.

The protocol is that of its reference SDK, the package ``mcp``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from thetahat_service.cli.connection import offer_url

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from thetahat_service.cli.assistant_tools import Tools

INSTRUCTIONS: Final = (
    "Compare models by losses or scores in files. Inspect a file first. Report a verdict with its "
    "interval, its caution and what it does not say; do not compute statistics of your own from "
    "the numbers."
)


def serve_tools(
    folder: Annotated[
        Path,
        typer.Option(
            "--folder",
            metavar="PATH",
            help="Files below it can be read; by default the current one.",
        ),
    ] = Path(),
    url: Annotated[str | None, offer_url("The service whose results can be read.")] = None,
) -> None:
    """Offer inspect, compare, gate, advise and read_result to an assistant, over stdio (MCP)."""
    from thetahat_service.cli.assistant_tools import Tools
    from thetahat_service.cli.failures import UserError

    if not folder.is_dir():
        raise UserError(f"There is no folder {str(folder)!r}.")
    build_server(Tools(folder, url)).run("stdio")


def build_server(tools: Tools) -> MCPServer[Any]:
    """Return a server with every tool; what a tool refuses is an error with its sentence."""
    from mcp.server.mcpserver import MCPServer

    import thetahat

    server: MCPServer[Any] = MCPServer(
        "thetahat", version=thetahat.__version__, instructions=INSTRUCTIONS, log_level="WARNING"
    )
    functions: tuple[Callable[..., str], ...] = (
        tools.inspect,
        tools.compare,
        tools.gate,
        tools.advise,
        tools.read_result,
    )
    for function in functions:
        server.add_tool(_explain_refusals(function), structured_output=False)
    return server


def _explain_refusals(function: Callable[..., str]) -> Callable[..., str]:
    """Return a tool whose refusals are sentences for the assistant."""
    from mcp.server.mcpserver.exceptions import ToolError

    from thetahat_service.cli import failures

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> str:
        try:
            return function(*arguments, **named)
        except Exception as error:
            reason = failures.explain(error)
            if reason is None:
                raise
            raise ToolError(reason) from None

    return call

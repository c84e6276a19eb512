"""``thetahat result``: what came out of an evaluation."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from service.cli._client import add_command, print_json

if TYPE_CHECKING:
    from thetahat_client import Client

NARROWEST, WIDEST = 60, 100


def register(commands: Any) -> None:
    """Add the command."""
    text = "print an evaluation's means, intervals, verdicts and cautions"
    command = add_command(commands, "result", text, _result)
    command.add_argument("id", metavar="ID", help="of the evaluation")
    command.add_argument("--json", action="store_true", help="the whole result, as JSON")


def _result(client: Client, given: argparse.Namespace) -> int:
    result = client.result(given.id)
    if given.json:
        print_json(result)
    else:
        show(result)
    return 0


def show(result: Mapping[str, Any]) -> None:
    """Print a result as text for people."""
    from thetahat_client import result_text  # noqa: PLC0415 - late, so that --help is quick

    columns = shutil.get_terminal_size((WIDEST, 24)).columns
    print(result_text(result, min(max(columns, NARROWEST), WIDEST)))

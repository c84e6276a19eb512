"""``thetahat watch``: a progress bar until an evaluation ends."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from service.cli._client import add_command

if TYPE_CHECKING:
    from thetahat_client import Client


def register(commands: Any) -> None:
    """Add the command."""
    text = "show an evaluation's progress until it ends, and print how it ended"
    command = add_command(commands, "watch", text, _watch)
    command.add_argument("id", metavar="ID", help="of the evaluation")


def _watch(client: Client, given: argparse.Namespace) -> int:
    from thetahat_client.progress import ProgressBar  # noqa: PLC0415 - late, so that --help is quick

    ended = client.wait(given.id, on_progress=ProgressBar())
    print(ended.status)
    if ended.error is not None:
        print(f"thetahat: {ended.error.in_words()}", file=sys.stderr)
    return 0 if ended.status == "succeeded" else 1

"""``thetahat status``: how far an evaluation is."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from service.cli._client import add_command

if TYPE_CHECKING:
    from thetahat_client import Client


def register(commands: Any) -> None:
    """Add the command."""
    command = add_command(commands, "status", "say how far an evaluation is", _status)
    command.add_argument("id", metavar="ID", help="of the evaluation")


def _status(client: Client, given: argparse.Namespace) -> int:
    from thetahat_client.progress import progress_line  # noqa: PLC0415 - late, so that --help is quick

    found = client.get(given.id)
    print(progress_line(found))
    print(f"{found.kind}{f' {found.name}' if found.name else ''}, {_times(found)}")
    if found.error is not None:
        print(f"{found.error.code}: {found.error.in_words()}")
    return 0


def _times(found: Any) -> str:
    parts = [f"sent {found.created_at:%Y-%m-%d %H:%M:%S} UTC"]
    if found.seconds is not None:
        parts.append(f"took {found.seconds:.1f} s")
    return ", ".join(parts)

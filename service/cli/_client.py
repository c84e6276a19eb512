"""What the commands of a client share: the connection, and failures in words."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thetahat_client import Client

URL = "http://127.0.0.1:8000"
RETRIES = 3  # a person waits, so a service that is not there is said soon


def add_command(
    commands: Any, name: str, text: str, run: Callable[[Client, argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """Add a command that talks to the service."""
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=f"{text.capitalize()}."
    )
    command.add_argument(
        "--url",
        default=os.environ.get("THETAHAT_URL", URL),
        help=f"where the service is (THETAHAT_URL; {URL}); a key goes in THETAHAT_API_KEY",
    )
    command.set_defaults(run=lambda given: _connected(run, given))
    return command


def _connected(run: Callable[[Client, argparse.Namespace], int], given: argparse.Namespace) -> int:
    """Run a command; return 1 and say why where it fails."""
    from httpx import InvalidURL  # noqa: PLC0415 - late, so that --help is quick

    from thetahat_client import Client, ThetahatError  # noqa: PLC0415 - likewise

    try:
        with Client(given.url, os.environ.get("THETAHAT_API_KEY"), retries=RETRIES) as client:
            status = run(client, given)
            sys.stdout.flush()
            return status
    except BrokenPipeError:  # whoever read the output has had enough of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ThetahatError, OSError, InvalidURL, ValueError) as error:
        print(f"thetahat: {error}", file=sys.stderr)
        return 1


def print_json(value: Any) -> None:
    """Print JSON for people and programs alike."""
    print(json.dumps(value, indent=2, ensure_ascii=False))

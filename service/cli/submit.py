"""``thetahat submit``: send an evaluation."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service.cli._client import add_command, print_json
from service.cli.result import show

if TYPE_CHECKING:
    from thetahat_client import Client


def register(commands: Any) -> None:
    """Add the command."""
    command = add_command(commands, "submit", "send an evaluation and print its id", _submit)
    command.add_argument("file", metavar="FILE", help="JSON file of the request; - reads it here")
    command.add_argument(
        "--data", metavar="FILE", help="upload this data set first and fill in the dataset field"
    )
    command.add_argument("--wait", action="store_true", help="wait for its end, print its result")
    command.add_argument("--json", action="store_true", help="with --wait: the result as JSON")


def _submit(client: Client, given: argparse.Namespace) -> int:
    from thetahat_client.progress import ProgressBar  # noqa: PLC0415 - late, so that --help is quick

    request = _read(given.file)
    if given.data is not None:
        dataset = client.upload(given.data)
        request["dataset"] = dataset.id
        print(f"data set {dataset.id}: {dataset.rows} rows", file=sys.stderr)
    sent = client.submit(request)
    if not given.wait:
        print(sent.id)
        return 0
    print(f"evaluation {sent.id}", file=sys.stderr)
    client.wait(sent.id, on_progress=ProgressBar())
    result = client.result(sent.id)
    if given.json:
        print_json(result)
    else:
        show(result)
    return 0


def _read(name: str) -> dict[str, Any]:
    text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    where = "standard input" if name == "-" else name
    try:
        request = json.loads(text)
    except ValueError as error:
        message = f"{where} is not JSON: {error}"
        raise ValueError(message) from None
    if not isinstance(request, dict):
        message = f"{where} must hold one JSON object"
        raise ValueError(message)  # noqa: TRY004 - the file is wrong, not the program
    return request

"""``thetahat methods``: what can be asked for."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from service.cli._client import add_command, print_json

if TYPE_CHECKING:
    from thetahat_client import Client

WIDTH = 96


def register(commands: Any) -> None:
    """Add the command."""
    command = add_command(commands, "methods", "list the methods of a family", _methods)
    command.add_argument(
        "family",
        metavar="FAMILY",
        help="schemes, learners, transformers, losses, variances, intervals or tests",
    )
    command.add_argument("--json", action="store_true", help="all that is known of them, as JSON")


def _methods(client: Client, given: argparse.Namespace) -> int:
    found = client.methods(given.family)
    if given.json:
        print_json(found)
        return 0
    for method in found:
        print("\n".join(_described(method)))
    return 0


def _described(method: Mapping[str, Any]) -> list[str]:
    lines = [f"{method['name']}: {method['title']}"]
    parameters = ", ".join((method.get("parameters") or {}).get("properties", {}))
    for label, text in (
        ("parameters", parameters),
        ("assumes", method.get("assumptions")),
        ("errs", method.get("errs")),
    ):
        if text:
            lines += textwrap.wrap(
                f"{label}: {text}", WIDTH, initial_indent="    ", subsequent_indent="      "
            )
    return lines

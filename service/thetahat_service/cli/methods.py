"""``thetahat methods``: the methods of a family, as the service lists them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from thetahat_service.cli.connection import (
    COMPLETION_TIMEOUT_S,
    DEFAULT_URL,
    Url,
    connect,
    find_service_url,
)
from thetahat_service.cli.output import choose_prose_width, print_json

if TYPE_CHECKING:
    from thetahat_client.results import MethodReadDict


def _complete_family(incomplete: str) -> list[str]:
    from thetahat_client import ThetahatError

    try:
        with connect(find_service_url(), retries=0, timeout=COMPLETION_TIMEOUT_S) as client:
            return [name for name in client.families() if name.startswith(incomplete)]
    except ThetahatError:
        return []


def methods(
    family: Annotated[
        str | None,
        typer.Argument(
            metavar="[FAMILY]",
            help="For example schemes, learners, losses, variances, intervals or tests. "
            "Without it, the families are listed.",
            autocompletion=_complete_family,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything that is known about them, as JSON.")
    ] = False,
    url: Url = DEFAULT_URL,
) -> None:
    """List the methods of a family: parameters, assumptions, and in which direction each errs."""
    with connect(url) as client:
        if family is None:
            families = client.families()
            print_json(families) if as_json else print("\n".join(families))
            return
        methods_of_family = client.methods(family)
    if as_json:
        print_json(methods_of_family)
        return
    for method in methods_of_family:
        print("\n".join(_describe(method)))


def _describe(method: MethodReadDict) -> Iterator[str]:
    """Yield the lines about one method."""
    yield f"{method['name']}: {method['title']}"
    properties = method["parameters"].get("properties")
    parameters = ", ".join(properties) if isinstance(properties, dict) else ""
    for label, text in (
        ("parameters", parameters),
        ("assumes", method.get("assumptions")),
        ("errs", method.get("errs")),
    ):
        if text:
            yield from textwrap.wrap(
                f"{label}: {text}",
                choose_prose_width(),
                initial_indent="    ",
                subsequent_indent="      ",
            )

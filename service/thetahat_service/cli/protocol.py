"""``thetahat protocol``: create and show protocols."""

from __future__ import annotations

from typing import Annotated

import typer

from thetahat_service.cli.connection import DEFAULT_URL, AsJson, Url, connect
from thetahat_service.cli.output import print_document, print_json
from thetahat_service.cli.requests import read_request
from thetahat_service.cli.sectioned_help import SectionedGroup

app = typer.Typer(
    cls=SectionedGroup,
    help="Plans that are fixed before the data.",
    no_args_is_help=True,
)


def add_commands(parent: typer.Typer) -> None:
    """Add the group of commands."""
    parent.add_typer(app, name="protocol", rich_help_panel="Evaluations")


@app.command()
def create(
    request: Annotated[
        str,
        typer.Argument(metavar="FILE", help="JSON file of the request; - is standard input."),
    ],
    key: Annotated[
        str | None, typer.Option("--key", help="Idempotency-Key: the same one makes no second.")
    ] = None,
    as_json: AsJson = False,
    url: Url = DEFAULT_URL,
) -> None:
    """Fix a plan and print its id, which submit --protocol takes."""
    body = read_request(request)
    with connect(url) as client:
        protocol = client.create_protocol(body, idempotency_key=key)
    if as_json:
        print_json(dict(protocol.members))
    else:
        print(protocol.id)


@app.command()
def show(
    protocol_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the protocol.")],
    as_json: AsJson = False,
    url: Url = DEFAULT_URL,
) -> None:
    """Print what is fixed, since when, and what names it."""
    from thetahat_presentation.protocol import show_protocol

    with connect(url) as client:
        protocol = client.protocol(protocol_id)
    if as_json:
        print_json(dict(protocol.members))
    else:
        print_document(show_protocol(protocol.members), all_option="--json")

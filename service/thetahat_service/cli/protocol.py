"""``thetahat protocol``: create, show, list and withdraw protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from thetahat_service.cli.connection import DEFAULT_URL, AsJson, Url, connect, take
from thetahat_service.cli.output import print_document, print_json, print_list, print_text
from thetahat_service.cli.requests import read_request
from thetahat_service.cli.sectioned_help import SectionedGroup

if TYPE_CHECKING:
    from thetahat_client.protocols import Protocol

app = typer.Typer(
    cls=SectionedGroup,
    help="Plans that are fixed before the data.",
    no_args_is_help=True,
)
ProtocolId = Annotated[str, typer.Argument(metavar="ID", help="Id of the protocol.")]


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
def show(protocol_id: ProtocolId, as_json: AsJson = False, url: Url = DEFAULT_URL) -> None:
    """Print what is fixed, since when, and what names it."""
    from thetahat_presentation.protocol import show_protocol

    with connect(url) as client:
        protocol = client.protocol(protocol_id)
    if as_json:
        print_json(dict(protocol.members))
    else:
        print_document(show_protocol(protocol.members), all_option="--json")


@app.command("list")
def list_all(
    limit: Annotated[int, typer.Option(min=1, help="Most protocols to print.")] = 20,
    as_json: AsJson = False,
    url: Url = DEFAULT_URL,
) -> None:
    """List protocols, the newest first."""
    with connect(url) as client:
        found = take(client.list_protocols, limit)
    columns = ("id", "name", "fixed", "evaluations", "series", "withdrawn")
    print_list(found, columns, _build_row, as_json=as_json, nothing="There are no protocols.")


@app.command()
def withdraw(
    protocol_id: ProtocolId,
    reason: Annotated[str, typer.Option(help="Why, which every reader of the protocol sees.")],
    as_json: AsJson = False,
    url: Url = DEFAULT_URL,
) -> None:
    """Record that a protocol is withdrawn, and why; that does not end."""
    with connect(url) as client:
        protocol = client.withdraw_protocol(protocol_id, reason)
    if as_json:
        print_json(dict(protocol.members))
    else:
        print_text(protocol.sentence)


def _build_row(protocol: Protocol) -> tuple[str, ...]:
    withdrawn = protocol.withdrawn_at
    return (
        protocol.id,
        protocol.name or "",
        f"{protocol.fixed_at:%Y-%m-%d}",
        str(protocol.evaluations),
        str(protocol.series),
        "" if withdrawn is None else f"{withdrawn:%Y-%m-%d}: {protocol.withdrawn_reason}",
    )

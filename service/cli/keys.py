"""``thetahat keys``: create, list and revoke API keys in the service's database."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from service.cli.output import print_table

if TYPE_CHECKING:
    from service.storage.api_keys import KeyRow

LONGEST_NAME: Final = 120

app = typer.Typer(help="Create, list and revoke API keys.", no_args_is_help=True)


def _check_name(text: str) -> str:
    if not text or len(text) > LONGEST_NAME or not text.isprintable():
        message = f"A name has 1 to {LONGEST_NAME} printable characters, and {text!r} has not."
        raise typer.BadParameter(message)
    return text


@app.command()
def create(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="What the key is for.", callback=_check_name)
    ],
    owner: Annotated[
        str, typer.Option(help="Whom it belongs to; created if new.", callback=_check_name)
    ] = "local",
) -> None:
    """Create a key and print it; it is shown this once."""
    from service.storage import api_keys, schema
    from service.storage.unit_of_work import unit_of_work

    schema.upgrade()
    with unit_of_work() as connection:
        key = api_keys.create(connection, name, owner)
    print(key)
    message = "Keep it: it is not shown again. From now on every request needs a key."
    print(message, file=sys.stderr)


@app.command("list")
def list_keys() -> None:
    """List the keys by their first characters."""
    from service.storage import api_keys, schema
    from service.storage.unit_of_work import reading

    schema.upgrade()
    with reading() as connection:
        rows = api_keys.list_all(connection)
    if rows:
        columns = ("prefix", "state", "created", "last used (UTC)", "owner", "name")
        print_table(columns, map(_row, rows))
    else:
        message = "There are no keys. On loopback, requests need none until the first is created."
        print(message, file=sys.stderr)


@app.command()
def revoke(
    prefix: Annotated[
        str,
        typer.Argument(metavar="PREFIX", help="Its first characters as listed: th_ and 8 digits."),
    ],
) -> None:
    """Revoke a key; requests with it are refused within seconds."""
    from service.storage import api_keys, schema
    from service.storage.unit_of_work import unit_of_work

    schema.upgrade()
    prefix = prefix[: api_keys.PREFIX_LENGTH]
    with unit_of_work() as connection:
        is_revoked = api_keys.revoke(connection, prefix)
    if not is_revoked:
        print(f"thetahat: no key in force begins with {prefix}.", file=sys.stderr)
        raise typer.Exit(1)
    print(f"The key {prefix} is revoked.", file=sys.stderr)


def _row(key: KeyRow) -> tuple[str, ...]:
    return (
        key.prefix,
        "revoked" if key.revoked_at else "in force",
        f"{key.created_at:%Y-%m-%d}",
        f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never",
        key.owner,
        key.name,
    )

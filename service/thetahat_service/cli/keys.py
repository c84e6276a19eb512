"""``thetahat keys``: create, list, rotate and revoke API keys in the service's database."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final

import typer

from thetahat_service.cli.output import print_table
from thetahat_service.cli.sectioned_help import SectionedGroup
from thetahat_service.process.request_context import Scope

if TYPE_CHECKING:
    from thetahat_service.storage.api_keys import KeyRow

LONGEST_NAME: Final = 120
MOST_DAYS: Final = 3650
NO_KEYS: Final = "There are no keys. On loopback, requests need none until the first is created."


app = typer.Typer(
    cls=SectionedGroup, help="Create, list, rotate and revoke API keys.", no_args_is_help=True
)
Prefix = Annotated[
    str, typer.Argument(metavar="PREFIX", help="Its first characters as listed: th_ and 8 digits.")
]


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
    scope: Annotated[
        Scope,
        typer.Option(
            help="read: only read; submit: also submit, upload, cancel and delete; metrics: "
            "only /metrics; admin: everything, also keys and the audit log."
        ),
    ] = Scope.SUBMIT,
    expires: Annotated[
        str | None,
        typer.Option(metavar="DAYS", help="Days for which it works; without it, always."),
    ] = None,
) -> None:
    """Create a key and print it; it is shown this once."""
    from thetahat_service.storage import api_keys, schema
    from thetahat_service.storage.unit_of_work import unit_of_work

    schema.upgrade_if_empty()
    with unit_of_work() as connection:
        key = api_keys.create(connection, name, owner, scope, _parse_days(expires))
    print(key)
    message = "Keep it: it is not shown again. From now on every request needs a key."
    print(message, file=sys.stderr)


@app.command("list")
def list_keys() -> None:
    """List the keys by their first characters."""
    from thetahat_service.storage import api_keys, schema
    from thetahat_service.storage.unit_of_work import reading

    if schema.read_revision() is None:
        print(NO_KEYS, file=sys.stderr)
        return
    schema.require_current()
    with reading() as connection:
        rows = api_keys.list_all(connection)
    if rows:
        columns = (
            "prefix",
            "state",
            "scope",
            "created",
            "expires",
            "last used (UTC)",
            "owner",
            "name",
        )
        print_table(columns, map(_build_row, rows))
    else:
        print(NO_KEYS, file=sys.stderr)


@app.command()
def revoke(prefix: Prefix) -> None:
    """Revoke a key; requests with it are refused within seconds."""
    from thetahat_service.storage import api_keys, schema
    from thetahat_service.storage.unit_of_work import unit_of_work

    schema.require_current()
    prefix = prefix[: api_keys.PREFIX_LENGTH]
    with unit_of_work() as connection:
        is_revoked = api_keys.revoke(connection, prefix)
    if not is_revoked:
        print(f"thetahat: no key in force begins with {prefix}.", file=sys.stderr)
        raise typer.Exit(1)
    print(f"The key {prefix} is revoked.", file=sys.stderr)


@app.command()
def rotate(
    prefix: Prefix,
    grace_hours: Annotated[
        float, typer.Option(min=0, help="Hours for which the old key still works.")
    ] = 24.0,
) -> None:
    """Replace a key by a new one with the same owner and scope, and print the new one."""
    from thetahat_service.storage import api_keys, schema
    from thetahat_service.storage.unit_of_work import unit_of_work

    schema.require_current()
    prefix = prefix[: api_keys.PREFIX_LENGTH]
    with unit_of_work() as connection:
        key = api_keys.rotate(connection, prefix, timedelta(hours=grace_hours))
    if key is None:
        print(f"thetahat: no key in force begins with {prefix}.", file=sys.stderr)
        raise typer.Exit(1)
    print(key)
    message = f"Keep it: it is not shown again. The key {prefix} works for {grace_hours:g} hours."
    print(message, file=sys.stderr)


def _parse_days(text: str | None) -> datetime | None:
    """Return the moment that is some days ahead; None without a text."""
    if text is None:
        return None
    try:
        days = float(text)
    except ValueError:
        days = 0.0
    if not 0 < days <= MOST_DAYS:
        raise typer.BadParameter(f"--expires takes 1 to {MOST_DAYS} days, not {text!r}.")
    return datetime.now(UTC) + timedelta(days=days)


def _build_row(key: KeyRow) -> tuple[str, ...]:
    return (
        key.prefix,
        key.state,
        key.scope.value,
        f"{key.created_at:%Y-%m-%d}",
        f"{key.expires_at:%Y-%m-%d}" if key.expires_at else "never",
        f"{key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never",
        key.owner,
        key.name,
    )

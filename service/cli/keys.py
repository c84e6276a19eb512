"""``thetahat keys``: make, list and revoke API keys."""

from __future__ import annotations

import argparse
import sys
from typing import Any

LONGEST_NAME = 120


def register(commands: Any) -> None:
    """Add the command and its three parts."""
    keys = commands.add_parser("keys", help="make, list and revoke API keys")
    parts = keys.add_subparsers(title="parts", required=True)
    create = parts.add_parser("create", help="make a key; it is shown once")
    create.add_argument("name", type=_name, help="what the key is for")
    create.add_argument(
        "--owner", type=_name, default="local", help="whom it belongs to; made if new"
    )
    create.set_defaults(run=_create)
    parts.add_parser("list", help="list keys by their beginnings").set_defaults(run=_list)
    revoke = parts.add_parser("revoke", help="put a key out of force within seconds")
    revoke.add_argument("prefix", help="its beginning, as listed: th_ and eight digits")
    revoke.set_defaults(run=_revoke)


def _name(text: str) -> str:
    if not text or len(text) > LONGEST_NAME or not text.isprintable():
        message = f"must be 1 to {LONGEST_NAME} printable characters"
        raise argparse.ArgumentTypeError(message)
    return text


def _create(given: argparse.Namespace) -> int:
    from service.storage import api_keys, schema  # noqa: PLC0415 - late, so that --help is quick
    from service.storage.unit_of_work import unit_of_work  # noqa: PLC0415 - likewise

    schema.upgrade()
    with unit_of_work() as connection:
        key = api_keys.create(connection, given.name, given.owner)
    print(key)
    print("Keep it: it is not shown again. From now on every request needs a key.", file=sys.stderr)
    return 0


def _list(given: argparse.Namespace) -> int:
    del given
    from service.storage import api_keys, schema  # noqa: PLC0415 - likewise
    from service.storage.unit_of_work import reading  # noqa: PLC0415 - likewise

    schema.upgrade()
    with reading() as connection:
        rows = api_keys.list_all(connection)
    for row in rows:
        state = "revoked" if row.revoked_at else "in force"
        used = f"{row.last_used_at:%Y-%m-%d %H:%M}" if row.last_used_at else "never used"
        made = f"{row.created_at:%Y-%m-%d}"
        print(f"{row.prefix}  {state:8}  made {made}  {used:16}  {row.owner}  {row.name}")
    if not rows:
        print("no keys; on loopback none is needed until the first one is made", file=sys.stderr)
    return 0


def _revoke(given: argparse.Namespace) -> int:
    from service.storage import api_keys, schema  # noqa: PLC0415 - likewise
    from service.storage.unit_of_work import unit_of_work  # noqa: PLC0415 - likewise

    schema.upgrade()
    prefix = given.prefix[: api_keys.PREFIX_LENGTH]
    with unit_of_work() as connection:
        done = api_keys.revoke(connection, prefix)
    print(
        f"{prefix} is revoked" if done else f"no key in force begins with {prefix}", file=sys.stderr
    )
    return 0 if done else 1

"""The service does not listen to the world without keys."""

from __future__ import annotations

import ipaddress

import sqlalchemy as sa

from service.storage import schema
from service.storage.tables import API_KEY
from service.storage.unit_of_work import reading
from service.supervisor.errors import CannotStart


def is_loopback(host: str) -> bool:
    """Tell whether an address is reachable from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def has_keys() -> bool:
    """Tell whether there is an API key in force."""
    statement = sa.select(sa.exists().where(API_KEY.c.revoked_at.is_(None)))
    with reading() as connection:
        return bool(connection.scalar(statement))


def refuse_open_door(host: str) -> None:
    """Raise ``CannotStart`` for an address that others reach while there is no key."""
    if is_loopback(host):
        return
    if not schema.is_current():
        raise CannotStart("The database is not of this release; run `thetahat migrate` first.")
    if not has_keys():
        raise CannotStart(
            f"{host} can be reached from other machines and there is no API key. "
            "Make one with `thetahat keys create NAME`, or listen on 127.0.0.1."
        )

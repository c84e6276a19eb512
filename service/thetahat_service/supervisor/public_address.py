"""An address that other machines can reach is served only with API keys or a log-in."""

from __future__ import annotations

import ipaddress
from importlib.util import find_spec

import sqlalchemy as sa

from thetahat_service.settings import get_settings
from thetahat_service.storage import schema
from thetahat_service.storage.tables import API_KEY
from thetahat_service.storage.unit_of_work import reading
from thetahat_service.supervisor.errors import CannotStart


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def has_keys() -> bool:
    """Return whether there is an API key that was not revoked."""
    statement = sa.select(sa.exists().where(API_KEY.c.revoked_at.is_(None)))
    with reading() as connection:
        return bool(connection.scalar(statement))


def require_log_in_package() -> None:
    """Raise ``CannotStart`` for a log-in provider without the package that the API needs for it.

    Workers and sweepers have the same settings, and need no such package.
    """
    if get_settings().oidc_issuer and find_spec("authlib") is None:
        raise CannotStart(
            "THETAHAT_OIDC_ISSUER needs the package authlib. "
            "Install it with: pip install 'thetahat[oidc]'"
        )


def require_keys(host: str) -> None:
    """Raise ``CannotStart`` for an address that other machines reach while there is no key.

    None is needed if persons log in at a provider of identities: then nobody is answered without.
    """
    if is_loopback(host) or get_settings().oidc_issuer:
        return
    schema.require_current()
    if not has_keys():
        raise CannotStart(
            f"The address {host} can be reached from other machines and there is no API key. "
            "Make one with `thetahat keys create NAME`, or listen on 127.0.0.1."
        )

"""What the claims of a provider say about a person: whose data they see, and what they may do."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from thetahat_service.process.request_context import Scope
from thetahat_service.settings import Settings

LONGEST_OWNER: Final = 120
LONGEST_ACTOR: Final = 40
LONGEST_SUBJECT: Final = 255
SUBJECT: Final = "sub"
EMAIL: Final = "email"
RANKS: Final = (Scope.READ, Scope.SUBMIT, Scope.ADMIN)


class UnknownPerson(Exception):
    """Claims from which owner or scope cannot be told: why, as a sentence."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person that has logged in at the provider."""

    subject: str
    """The provider's id of the person."""
    owner: str
    """Name of the owner whose data sets and evaluations the person sees."""
    actor: str
    """Who it is in the audit log and on pages."""
    scope: Scope


def recognise(claims: Mapping[str, Any], settings: Settings) -> Person:
    """Return the person that claims are about; ``UnknownPerson`` if a claim is missing."""
    subject = _read_text(claims, SUBJECT)
    if len(subject) > LONGEST_SUBJECT:
        raise UnknownPerson(f"The claim 'sub' has more than {LONGEST_SUBJECT} characters.")
    name = settings.oidc_owner_claim
    if name == EMAIL and claims.get("email_verified") is not True:
        raise UnknownPerson("The provider does not say that the e-mail address is verified.")
    return Person(
        subject,
        build_owner_name(settings.oidc_issuer, _read_text(claims, name)),
        _shorten(f"sub {subject}", LONGEST_ACTOR),
        find_scope(claims, settings),
    )


def build_owner_name(issuer: str, value: str) -> str:
    """Return the name of the owner of a claim's value; no key has it unless it is named so.

    The issuer belongs to it, because two providers may give the same value to two persons.
    """
    return _shorten(f"oidc:{issuer.partition('://')[2]}:{value}", LONGEST_OWNER)


def find_scope(claims: Mapping[str, Any], settings: Settings) -> Scope:
    """Return the widest scope of a person's roles; ``UnknownPerson`` without one."""
    roles = _read_roles(claims, settings.oidc_role_claim) if settings.oidc_role_claim else ()
    scopes = [
        settings.oidc_role_scopes[role] for role in roles if role in settings.oidc_role_scopes
    ]
    if settings.oidc_default_scope:
        scopes.append(Scope(settings.oidc_default_scope))
    if not scopes:
        raise UnknownPerson("None of this person's roles may use this service.")
    return max(scopes, key=RANKS.index)


def _read_roles(claims: Mapping[str, Any], path: str) -> tuple[str, ...]:
    """Return the values of a claim, which is a text or a list of them."""
    value = _find(claims, path)
    values = value if isinstance(value, list) else [value]
    return tuple(role for role in values if isinstance(role, str))


def _read_text(claims: Mapping[str, Any], path: str) -> str:
    value = _find(claims, path)
    if not isinstance(value, str) or not value or not value.isprintable():
        raise UnknownPerson(f"The ID token has no usable claim {path!r}.")
    return value


def _find(claims: Mapping[str, Any], path: str) -> Any:
    """Return a claim; a path such as ``realm_access.roles`` leads into objects.

    A claim of the whole name comes first: names such as ``https://example.org/roles`` have dots.
    """
    if path in claims:
        return claims[path]
    value: Any = claims
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _shorten(text: str, longest: int) -> str:
    """Return a text that fits into a column; a longer one ends with its digest, so none collide."""
    if len(text) <= longest:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:24]
    return f"{text[: longest - len(digest) - 1]} {digest}"

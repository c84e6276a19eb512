"""Types of request fields that name a resampling scheme."""

from __future__ import annotations

from typing import Annotated

from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Scheme
from thetahat_service.kinds.fields.method_names import Listed, MethodEntry

SchemeName = Annotated[
    str,
    Listed(
        "SchemeName",
        "A resampling scheme: how rows are split into training and test parts.",
        SCHEMES,
    ),
]


class SchemeEntry(MethodEntry[SchemeName]):
    """A resampling scheme with its parameters."""


def find_scheme(method: SchemeName | SchemeEntry | None) -> type[Scheme] | None:
    """Return the class of a scheme of a request; None if it names none that is known."""
    name = method.name if isinstance(method, SchemeEntry) else method
    return SCHEMES[name] if name is not None and name in SCHEMES else None

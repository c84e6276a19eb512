"""Where a result comes from: version, seed, digests, and the methods that were used."""

from __future__ import annotations

from dataclasses import dataclass

from thetahat.analyses.losses.result import MethodUsed
from thetahat_service.kinds.methods_used import LearnerUsed


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What reproduces a result: the same version, request, data and seed give the same numbers."""

    version: str
    """The service's version."""
    seed: int
    """The seed of all random draws."""
    data_sha256: str
    """The digest of the bytes of the data set, or of the values where the request has them."""
    spec_sha256: str
    """The digest of the request, without its name, labels and seed."""
    methods: tuple[LearnerUsed | MethodUsed, ...] = ()
    """Every method that was used, with its parameters."""

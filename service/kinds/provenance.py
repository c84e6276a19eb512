"""Where a result comes from: version, seed, digests, and the methods that were used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from thetahat.values.json_values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodUsed:
    """One method that an evaluation used, with all of its parameters.

    Parameters
    ----------
    family : str
        The method's family, such as ``variances``, ``losses`` or ``learners``.
    name : str
        The method's name.
    params : mapping
        Its parameters, those that the request left out included; for a learner, only those that
        the request gives.
    as_ : str or None
        The method's key in the result, where that is not its name.
    prepare : tuple or None
        The preparation steps of a learner.
    package : str or None
        The package of a learner that is not the service's own.
    version : str or None
        The version of that package.
    """

    family: str
    name: str
    params: Mapping[str, JsonValue]
    as_: str | None = field(default=None, metadata={"wire": "as"})
    prepare: JsonValue = None
    package: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What reproduces a result: the same version, request, data and seed give the same numbers.

    Parameters
    ----------
    version : str
        The service's version.
    seed : int
        The seed of all random draws.
    data_sha256 : str
        The digest of the data sets, or of the request where it holds the data.
    spec_sha256 : str
        The digest of the request, without its name, labels and seed.
    methods : tuple of MethodUsed
        Every method that was used, with its parameters.
    """

    version: str
    seed: int
    data_sha256: str
    spec_sha256: str
    methods: tuple[MethodUsed, ...] = ()

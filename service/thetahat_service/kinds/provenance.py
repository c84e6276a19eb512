"""Where a result comes from: version, seed, digests, and the methods that were used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from thetahat.analyses.losses.result import MethodUsed
from thetahat.cautions import Caution
from thetahat.values.coverage import ExpectedCoverage, ExpectedSize
from thetahat_service.kinds.methods_used import LearnerUsed
from thetahat_service.schemas.protocol_outcome import ProtocolOutcome


class KnownBy(StrEnum):
    """What a test set is recognised by."""

    CONTENT = "content"  # the bytes of a data set, or the data in a request
    TARGETS = "targets"  # the true values of predictions, in their order
    INSTANCES = "instances"  # the names of the instances or items


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetUse:
    """How often a test set was used, this evaluation included."""

    comparisons: int
    """The number of this evaluation among the owner's evaluations of models on the test set that
    succeeded; identical requests share one."""
    known_by: KnownBy
    """What recognises the test set: ``content``, ``targets`` or ``instances``; of several, the
    one that was used most often."""


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
    test_set: TestSetUse | None = None
    """How often the test set was used before, where the service can recognise it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindResult:
    """What the results of all kinds have."""

    expected_coverages: Mapping[str, ExpectedCoverage] | None = field(
        default=None, metadata={"in_place": True}
    )
    """Every studied design of intervals once, by the key that the fields ``expected_coverage`` of
    the result have; left out where no interval was studied."""
    expected_sizes: Mapping[str, ExpectedSize] | None = field(
        default=None, metadata={"in_place": True}
    )
    """Every studied design of verdicts and tests once, by the key that the fields ``expected_size``
    have; left out where none was studied."""
    missing_studies: Mapping[str, str] | None = None
    """Why intervals or verdicts have no studied design, each reason once, by the key that fields
    ``expected_coverage_missing`` and ``expected_size_missing`` have; left out without one."""
    caution_texts: Mapping[str, Caution] | None = None
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: Provenance | None = None
    """Version, seed, digests and methods, which make the result again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedResult(KindResult):
    """The result of a kind whose requests may name a protocol."""

    protocol: ProtocolOutcome | None = None
    """How the evaluation follows the protocol that its request names; left out without one."""

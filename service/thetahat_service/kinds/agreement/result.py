"""The result of kind ``agreement``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from thetahat.analyses.agreement.result import AgreementResult
from thetahat.cautions import Caution
from thetahat_service.kinds.provenance import Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersResult:
    """The agreement of raters, with where it is from."""

    kind: Literal["agreement"] = "agreement"
    """``agreement``."""
    agreement: AgreementResult = field(metadata={"inline": True})
    """Coefficients, pairs and differences; its fields are fields of the result."""
    caution_texts: Mapping[str, Caution] | None = None
    """Every caution once, by the key that the lists ``cautions`` of the result have: its code, with
    a number if several sentences have that code."""
    provenance: Provenance | None = None
    """Version, seed, digests and methods, which make the result again."""

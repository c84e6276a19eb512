"""The result of kind ``agreement``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from thetahat.analyses.agreement.result import AgreementResult
from thetahat_service.kinds.provenance import KindResult


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersResult(KindResult):
    """The agreement of raters, with where it is from."""

    kind: Literal["agreement"] = "agreement"
    """``agreement``."""
    agreement: AgreementResult = field(metadata={"inline": True})
    """Coefficients, pairs and differences; its fields are fields of the result."""

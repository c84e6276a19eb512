"""Types of request fields that name a method or a choice of the analysis of losses."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from thetahat.analyses.losses.choices import PAIRS
from thetahat.analyses.losses.method_selection import EVERY_TEST
from thetahat.analyses.losses.result_parts import ALL, ResultPart
from thetahat.corrections import CORRECTIONS
from thetahat.refit_estimators import EVERY_INTERVAL, EVERY_VARIANCE
from thetahat.values.types import UNITS
from thetahat_service.kinds.fields.method_names import Listed, MethodEntry

VarianceName = Annotated[str, Listed("VarianceName", "A variance estimator.", EVERY_VARIANCE)]


class VarianceEntry(MethodEntry[VarianceName]):
    """A variance estimator with its parameters."""


IntervalName = Annotated[str, Listed("IntervalName", "An interval.", EVERY_INTERVAL)]


class IntervalEntry(MethodEntry[IntervalName]):
    """An interval with its parameters."""


TestName = Annotated[
    str, Listed("TestName", "A test of a pair of models, or of all models at once.", EVERY_TEST)
]


class TestEntry(MethodEntry[TestName]):
    """A test with its parameters."""


CorrectionName = Annotated[
    str, Listed("CorrectionName", "A correction of p-values for several comparisons.", CORRECTIONS)
]


TestUnit = Annotated[str, Listed("TestUnit", "What a test pairs.", UNITS)]


PartName = Annotated[
    str,
    Listed("PartName", "A part that a result has only if it is included.", [*ResultPart, ALL]),
]
IncludedParts = Annotated[list[PartName], Field(max_length=20)] | PartName


WhichPairs = Annotated[str, Listed("WhichPairs", "Which pairs of models are compared.", PAIRS)]

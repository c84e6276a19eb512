"""The fields by which a request chooses what is computed from its losses."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

from pydantic import Field

from service.kinds.fields.methods import Method, among, chosen
from service.schemas.base import EvaluationRequest
from thetahat.analyses.losses import EVERY_TEST, Choices
from thetahat.corrections import DEFAULT_CORRECTION
from thetahat.errors import UnsupportedCombination
from thetahat.intervals import INTERVALS
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.refit_estimators import EVERY_INTERVAL, EVERY_VARIANCE, REFIT_ESTIMATORS, Asked
from thetahat.values.types import Alternative, Target
from thetahat.variances import VARIANCES

Methods = Annotated[list[Method], Field(max_length=100)]


class AnalysisRequest(EvaluationRequest):
    """What every kind that ends in a loss table may say; checked in full by ``Choices``."""

    fits_learners: ClassVar[bool] = False  # so that methods that fit them again can be named

    level: float = Field(0.95, description="Confidence level, between 0 and 1.", strict=True)
    margin: float | None = Field(
        None, description="Largest difference of losses that does not matter.", strict=True
    )
    alternative: Alternative = Field(
        Alternative.TWO_SIDED, description="For tests and intervals; the verdict ignores it."
    )
    variances: Methods | None = Field(None, description="Left out: all that apply.")
    intervals: Methods | None = Field(None, description="Left out: all that apply.")
    tests: Methods | None = Field(
        None, description="Of pairs, and of all models at once. Left out: all that apply."
    )
    correction: str = Field(
        DEFAULT_CORRECTION, max_length=40, description="Of p-values, over the pairs."
    )
    control: str | None = Field(None, description="Compare every model with this one only.")
    power: float = Field(0.8, description="Of the plan for an undecided pair.", strict=True)
    rope: float | None = Field(None, description="Region of practical equivalence.", strict=True)
    clip: bool = Field(False, description="Clip intervals to the loss's range.", strict=True)
    range: tuple[float, float] | None = Field(None, description="The loss's range, for clip.")
    unit: str | None = Field(None, description="instance, cluster or block, for the tests.")
    target: Target | None = Field(None, description="What the verdicts speak of.")
    detail: str | None = Field(
        None,
        max_length=40,
        description="Of each pair: full or brief. Left out: full for at most 1000 pairs.",
    )

    def choices(self) -> Choices:
        """Return the choices, built and checked, but for the methods that fit learners again."""
        self.refits()
        asked = chosen(EVERY_TEST, self.tests, "tests")
        plain: dict[str, Any] = self.model_dump(include=_PLAIN)
        return Choices(
            variances=among(VARIANCES, chosen(EVERY_VARIANCE, self.variances, "variances")),
            intervals=among(INTERVALS, chosen(EVERY_INTERVAL, self.intervals, "intervals")),
            tests=among(PAIRED_TESTS, asked),
            omnibus=among(MULTIPLE_TESTS, asked),
            **plain,
        )

    def refits(self) -> tuple[Asked, ...]:
        """Return the methods named that fit learners again; refused where there is none to fit."""
        found = [
            Asked(field, index, entry.key, entry.method)
            for field, registry in _MAY_NAME_REFITS.items()
            for index, entry in enumerate(chosen(registry, getattr(self, field), field) or ())
            if entry.name in REFIT_ESTIMATORS
        ]
        if found and not self.fits_learners:
            raise UnsupportedCombination(
                f"{found[0].name} needs to fit the learner again, and the kind {self.kind!r} has "
                "none; the kind 'cross_validation' offers it",
                loc=(found[0].field, found[0].index),
                value=found[0].name,
            )
        return tuple(found)


_MAY_NAME_REFITS: Final = {"variances": EVERY_VARIANCE, "intervals": EVERY_INTERVAL}
_PLAIN = {
    "level",
    "margin",
    "alternative",
    "correction",
    "control",
    "power",
    "rope",
    "clip",
    "range",
    "unit",
    "target",
    "detail",
}

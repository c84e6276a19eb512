"""The fields by which a request chooses what is computed from its losses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, TypeVar, cast

from pydantic import Field

from thetahat.analyses.losses import EVERY_TEST, Choices, ChosenMethod, Gate
from thetahat.analyses.losses.result import DetailLevel, GateOutcome, Requirement
from thetahat.corrections import DEFAULT_CORRECTION
from thetahat.errors import UnsupportedCombination
from thetahat.intervals import INTERVALS
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.refit_estimators import (
    EVERY_INTERVAL,
    EVERY_VARIANCE,
    REFIT_ESTIMATORS,
    RequestedRefit,
)
from thetahat.schemes.base import Scheme, word_blocks
from thetahat.values.block_nouns import read_noun
from thetahat.values.types import Alternative, Target
from thetahat.variances import VARIANCES
from thetahat_service.kinds.fields.method_names import (
    ComparisonDetail,
    CorrectionName,
    IntervalEntry,
    IntervalName,
    TestEntry,
    TestName,
    TestUnit,
    VarianceEntry,
    VarianceName,
)
from thetahat_service.kinds.fields.methods import parse_methods
from thetahat_service.kinds.supplied_fits import SuppliedFits
from thetahat_service.schemas.base import EvaluationRequest, Schema

M = TypeVar("M")
ChosenMethods = tuple[ChosenMethod[Any], ...]
MOST_METHODS: Final = 100
VarianceMethods = Annotated[list[VarianceName | VarianceEntry], Field(max_length=MOST_METHODS)]
IntervalMethods = Annotated[list[IntervalName | IntervalEntry], Field(max_length=MOST_METHODS)]
TestMethods = Annotated[list[TestName | TestEntry], Field(max_length=MOST_METHODS)]


class GateFields(Schema):
    """A requirement that one model must meet beside another, for pipelines."""

    model: str = Field(description="The model that is to be released.")
    against: str = Field(
        description="The model that it is compared with, such as the one in use. It becomes the "
        "control of the evaluation."
    )
    require: Requirement = Field(
        Requirement.NOT_WORSE,
        description="What must be shown of the model: better, not_worse or equivalent. The last "
        "two need a margin.",
    )
    undecided: GateOutcome = Field(
        GateOutcome.UNDECIDED,
        description="The outcome if the data show neither the requirement nor its opposite.",
    )


class AnalysisRequest(EvaluationRequest):
    """The methods and options of every kind that evaluates losses; ``Choices`` checks them."""

    fits_learners: ClassVar[bool] = False
    """Whether methods that fit learners again can be named."""

    level: float = Field(
        0.95, strict=True, description="Confidence level of intervals, between 0 and 1."
    )
    margin: float | None = Field(
        None,
        strict=True,
        description="Largest difference of mean losses that does not matter, above 0. It makes "
        "verdicts of equivalence possible.",
    )
    alternative: Alternative = Field(
        Alternative.TWO_SIDED,
        description="Direction of tests and intervals; a difference is a minus b. Verdicts are "
        "two-sided whatever it is.",
    )
    variances: VarianceMethods | None = Field(
        None, description="Variance estimators. Left out: all that apply."
    )
    intervals: IntervalMethods | None = Field(
        None, description="Intervals. Left out: all that apply."
    )
    tests: TestMethods | None = Field(
        None,
        description="Tests of pairs of models and of all models at once. Left out: all that apply.",
    )
    correction: CorrectionName = Field(
        DEFAULT_CORRECTION,
        max_length=40,
        description="How p-values are corrected for the number of comparisons.",
    )
    control: str | None = Field(
        None,
        description="A model that every other model is compared with. Left out: every pair of "
        "models is compared.",
    )
    power: float = Field(
        0.8,
        strict=True,
        description="Probability, between 0 and 1, with which the plan of an undecided comparison "
        "shall find the difference.",
    )
    rope: float | None = Field(
        None,
        strict=True,
        description="Region of practical equivalence of the Bayesian tests, 0 or above. Left out: "
        "the margin.",
    )
    clip: bool = Field(
        False, strict=True, description="Whether intervals are clipped to the range of the loss."
    )
    range: tuple[float, float] | None = Field(
        None,
        description="Smallest and largest possible loss, for clip. Left out: the loss's own range.",
    )
    paired_unit: TestUnit | None = Field(
        None,
        description="What the tests pair, where they can pair several. Left out: each test's own "
        "choice.",
    )
    unit: str | None = Field(
        None,
        description="The word for one block, such as school, hospital or task. Sentences and "
        "figures use it. Left out: source or fold.",
        examples=["school"],
    )
    unit_plural: str | None = Field(
        None, description="The plural of unit. Left out: the English one.", examples=["schools"]
    )
    target: Target | None = Field(
        None,
        description="What verdicts are about: these sources, a new source, or these fitted models. "
        "Left out: what the blocks suggest.",
    )
    detail: ComparisonDetail | None = Field(
        None,
        max_length=40,
        description="How much the result has of each comparison. Left out: full up to 1000 "
        "comparisons, else brief.",
    )
    gate: GateFields | None = Field(
        None,
        description="A requirement on one pair of models; the result says whether it is met.",
    )

    @cached_property
    def choices(self) -> Choices:
        """The checked choices, without the methods that fit learners again."""
        self.check_refit_methods()
        unit, unit_plural = self.unit, self.unit_plural
        scheme = self.scheme_of_blocks
        if scheme is not None:
            read_noun(unit, unit_plural)
            unit, unit_plural = word_blocks(scheme, unit, unit_plural)
        return Choices(
            level=self.level,
            margin=self.margin,
            alternative=self.alternative,
            variances=_select(self._named_methods["variances"], VARIANCES),
            intervals=_select(self._named_methods["intervals"], INTERVALS),
            tests=_select(self._named_methods["tests"], PAIRED_TESTS),
            omnibus=_select(self._named_methods["tests"], MULTIPLE_TESTS),
            correction=self.correction,
            control=self.control,
            power=self.power,
            rope=self.rope,
            clip=self.clip,
            range=self.range,
            paired_unit=self.paired_unit,
            unit=unit,
            unit_plural=unit_plural,
            target=self.target,
            detail=cast("DetailLevel | None", self.detail),  # Choices refuses other values
            gate=None if self.gate is None else Gate(**self.gate.model_dump()),
        ).take_control_from_gate()

    @property
    def scheme_of_blocks(self) -> type[Scheme] | None:
        """The class of the scheme whose test parts are the blocks; None where there is none."""
        return None

    def check_choices(self) -> None:
        """Refuse choices that are wrong whatever the losses are."""
        _ = self.choices

    @cached_property
    def refit_methods(self) -> tuple[RequestedRefit, ...]:
        """The named methods that fit learners again."""
        return tuple(
            RequestedRefit(field, index, entry.key, entry.method)
            for field in ("variances", "intervals")
            for index, entry in enumerate(self._named_methods[field] or ())
            if entry.name in REFIT_ESTIMATORS
        )

    def check_refit_methods(self) -> None:
        """Refuse methods that fit learners again where the request has no learner."""
        if self.refit_methods and not self.fits_learners:
            first = self.refit_methods[0]
            own_fits = (
                ", or send the losses of your own fits in the field fits of the kind 'losses'"
                if first.name in SuppliedFits.model_fields
                else ""
            )
            raise UnsupportedCombination(
                f"{first.name} fits the learner again, and the kind {self.kind!r} has "
                f"no learner. Use the kind 'cross_validation', or leave the method out{own_fits}.",
                loc=(first.field, first.index),
                value=first.name,
            )

    @cached_property
    def _named_methods(self) -> Mapping[str, ChosenMethods | None]:
        """The methods of each field; None for a field that is left out, which means all."""
        registries = {
            "variances": EVERY_VARIANCE,
            "intervals": EVERY_INTERVAL,
            "tests": EVERY_TEST,
        }
        return {
            field: None if methods is None else parse_methods(registry, methods, field)
            for field, registry in registries.items()
            for methods in [getattr(self, field)]
        }


def _select(
    methods: ChosenMethods | None, registry: Mapping[str, type[M]]
) -> tuple[ChosenMethod[M], ...] | None:
    """Return the methods that belong to one registry, in the request's order."""
    if methods is None:
        return None
    return tuple(entry for entry in methods if entry.name in registry)

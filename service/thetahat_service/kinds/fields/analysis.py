"""The fields by which a request chooses what is computed from its losses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Annotated, Any, ClassVar, Final, TypeVar
from uuid import UUID

from pydantic import Field

from thetahat.analyses.losses import EVERY_TEST, Choices, ChosenMethod, Gate
from thetahat.analyses.losses.choices import OPTION_NAMES
from thetahat.analyses.losses.gate import refuse_gate_without_costs
from thetahat.analyses.losses.method_selection import split_by_family
from thetahat.analyses.losses.result import GateOutcome, Requirement
from thetahat.errors import EvaluationError, InvalidParameter, UnsupportedCombination
from thetahat.refit_estimators import (
    EVERY_INTERVAL,
    EVERY_VARIANCE,
    REFIT_ESTIMATORS,
    RequestedRefit,
)
from thetahat.schemes.base import Scheme, word_blocks
from thetahat.values.block_nouns import read_noun
from thetahat.values.types import Alternative, Target
from thetahat_service.errors import InvalidRequest, run_checks
from thetahat_service.kinds.fields.analysis_names import (
    CorrectionName,
    IncludedParts,
    IntervalEntry,
    IntervalName,
    TestEntry,
    TestName,
    TestUnit,
    VarianceEntry,
    VarianceName,
    WhichPairs,
)
from thetahat_service.kinds.fields.methods import parse_methods
from thetahat_service.kinds.supplied_fits import SuppliedFits
from thetahat_service.schemas.base import EvaluationRequest, Schema
from thetahat_service.schemas.field_descriptions import describe_fields

M = TypeVar("M")
ChosenMethods = tuple[ChosenMethod[Any], ...]
MOST_METHODS: Final = 100
VarianceMethods = Annotated[list[VarianceName | VarianceEntry], Field(max_length=MOST_METHODS)]
IntervalMethods = Annotated[list[IntervalName | IntervalEntry], Field(max_length=MOST_METHODS)]
TestMethods = Annotated[list[TestName | TestEntry], Field(max_length=MOST_METHODS)]


_GATE: Final = describe_fields(Gate)


class GateFields(Schema):
    """A requirement that one model must meet beside another, for pipelines."""

    model: str = Field(description=_GATE["model"])
    against: str = Field(description=_GATE["against"])
    require: Requirement = Field(Requirement.NOT_WORSE, description=_GATE["require"])
    undecided: GateOutcome = Field(GateOutcome.UNDECIDED, description=_GATE["undecided"])
    cheaper_by: float | None = Field(None, strict=True, description=_GATE["cheaper_by"])
    as_planned: bool = Field(
        default=False,
        strict=True,
        description="Whether the gate also fails if the evaluation is not as its protocol plans.",
    )


class ProtocolField(Schema):
    """The plan that an evaluation follows."""

    protocol: UUID | None = Field(
        None,
        description="The id of a protocol, which has fixed the plan. The result says what is not "
        "as planned.",
    )


_DEFAULTS: Final = Choices()
_DESCRIPTIONS: Final = describe_fields(Choices)


class AnalysisRequest(EvaluationRequest):
    """The methods and options of every kind that evaluates losses; ``Choices`` checks them."""

    fits_learners: ClassVar[bool] = False
    """Whether methods that fit learners again can be named."""
    takes_costs: ClassVar[bool] = False
    """Whether the request may say what models cost."""

    level: float = Field(_DEFAULTS.level, strict=True, description=_DESCRIPTIONS["level"])
    margin: float | None = Field(None, strict=True, description=_DESCRIPTIONS["margin"])
    alternative: Alternative = Field(
        _DEFAULTS.alternative, description=_DESCRIPTIONS["alternative"]
    )
    variances: VarianceMethods | None = Field(None, description=_DESCRIPTIONS["variances"])
    intervals: IntervalMethods | None = Field(None, description=_DESCRIPTIONS["intervals"])
    tests: TestMethods | None = Field(
        None,
        description="Tests of pairs of models and of all models at once. Left out: all that apply.",
    )
    correction: CorrectionName | None = Field(
        None, max_length=40, description=_DESCRIPTIONS["correction"]
    )
    control: str | None = Field(None, description=_DESCRIPTIONS["control"])
    pairs: WhichPairs | None = Field(None, max_length=40, description=_DESCRIPTIONS["pairs"])
    power: float = Field(_DEFAULTS.power, strict=True, description=_DESCRIPTIONS["power"])
    rope: float | None = Field(None, strict=True, description=_DESCRIPTIONS["rope"])
    clip: bool | None = Field(None, strict=True, description=_DESCRIPTIONS["clip"])
    range: tuple[float, float] | None = Field(None, description=_DESCRIPTIONS["range"])
    paired_unit: TestUnit | None = Field(None, description=_DESCRIPTIONS["paired_unit"])
    unit: str | None = Field(None, description=_DESCRIPTIONS["unit"], examples=["school"])
    unit_plural: str | None = Field(
        None, description=_DESCRIPTIONS["unit_plural"], examples=["schools"]
    )
    target: Target | None = Field(None, description=_DESCRIPTIONS["target"])
    include: IncludedParts | None = Field(None, description=_DESCRIPTIONS["include"])
    gate: GateFields | None = Field(None, description=_DESCRIPTIONS["gate"])

    @cached_property
    def choices(self) -> Choices:
        """The checked choices, without the methods that fit learners again."""
        methods: list[dict[str, Any]] = []
        run_checks(
            lambda: methods.append(split_by_family(**self._named_methods)),
            lambda: self._options,
        )
        self.check_refit_methods()
        return replace(self._options, **methods[0]).take_control_from_gate()

    @cached_property
    def _options(self) -> Choices:
        """The choices without methods."""
        unit, unit_plural = self.unit, self.unit_plural
        scheme = self.scheme_of_blocks
        if scheme is not None:
            read_noun(unit, unit_plural)
            unit, unit_plural = word_blocks(scheme, unit, unit_plural)
        options: dict[str, Any] = {name: getattr(self, name) for name in OPTION_NAMES}
        options |= {"unit": unit, "unit_plural": unit_plural}
        if self.include is None:
            del options["include"]
        if self.gate is not None:
            options["gate"] = Gate(**self.gate.model_dump(exclude={"as_planned"}))
            self._check_as_planned()
            if not self.takes_costs:
                refuse_gate_without_costs(self.gate.cheaper_by, has_costs=False)
        return Choices(**options)

    def _check_as_planned(self) -> None:
        """Refuse a gate that requires a plan if the request names none."""
        is_required = self.gate is not None and self.gate.as_planned
        if is_required and getattr(self, "protocol", None) is None:
            what_to_do = (
                "Give its id in protocol."
                if "protocol" in type(self).model_fields
                else f"The kind {self.kind!r} has none: leave as_planned out."
            )
            raise InvalidParameter(
                "The gate requires that the evaluation is as planned, and the request names no "
                f"protocol. {what_to_do}",
                loc=("gate", "as_planned"),
                value=True,
            )

    @property
    def scheme_of_blocks(self) -> type[Scheme] | None:
        """The class of the scheme whose test parts are the blocks; None where there is none."""
        return None

    @property
    def requirement(self) -> Requirement | None:
        """What the gate requires; None without a gate."""
        return None if self.gate is None else self.gate.require

    def check_choices(self) -> None:
        """Refuse choices that are wrong whatever the losses are."""
        _ = self.choices

    def check_choices_and(self, check_values: Callable[[], object]) -> None:
        """Check the choices and, only if they are wrong, also the values that they are for.

        Right choices leave the values to what comes next, so that they are read once.
        """
        try:
            self.check_choices()
        except (EvaluationError, InvalidRequest):
            run_checks(self.check_choices, check_values)

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
        parsed: dict[str, ChosenMethods | None] = {}

        def parse(field: str) -> None:
            methods = getattr(self, field)
            parsed[field] = (
                None if methods is None else parse_methods(registries[field], methods, field)
            )

        run_checks(*(partial(parse, field) for field in registries))
        return parsed

"""The request of a protocol: what is fixed before the data."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints

from thetahat.analyses.losses import EVERY_TEST
from thetahat.analyses.losses.result import Requirement
from thetahat.analyses.series.statements import Statement
from thetahat.corrections import CORRECTIONS
from thetahat.errors import InvalidParameter
from thetahat.parameter_checks import check_level
from thetahat.refit_estimators import EVERY_INTERVAL
from thetahat.schemes import SCHEMES
from thetahat.sequential import SEQUENTIAL_METHODS
from thetahat.similar_names import suggest_name
from thetahat.values.json_values import JsonValue, to_json
from thetahat.values.types import Alternative, Better, BlockKind, Target
from thetahat_service.errors import run_checks
from thetahat_service.kinds.fields.analysis_names import CorrectionName, IntervalName, TestName
from thetahat_service.kinds.fields.method_names import Method
from thetahat_service.kinds.fields.methods import parse_method
from thetahat_service.kinds.fields.scheme_names import SchemeEntry, SchemeName
from thetahat_service.schemas.base import Schema
from thetahat_service.series.request import ModelName, SequentialEntry, SequentialName

SERIES: Final = "series"
"""Stands among the kinds of evaluations for a series."""

Text = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
LongText = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"^[^\x00]*$")]
PlannedKind = Literal["losses", "predictions", "cross_validation", "series"]
Count = Annotated[int, Field(ge=1, le=2**53, strict=True)]


class PlannedSeries(Schema):
    """How a series looks again and again."""

    method: SequentialName | SequentialEntry | None = Field(
        None,
        description="The sequential method, with the planned looks, their beginning and their "
        "spending function among its parameters (GET /v1/methods/sequential).",
    )
    stop: list[Statement] | None = Field(
        None, min_length=1, max_length=len(Statement), description="Statements that are decisions."
    )
    reference: float | None = Field(
        None, description="The mean that a single model is compared with."
    )


class ProtocolRequest(Schema):
    """A new protocol; what is left out is not fixed, and nothing of it changes later."""

    name: Text | None = Field(None, description="A name for people.")
    description: LongText | None = Field(
        None, description="The question and the reasons, in words; nothing is checked against it."
    )
    kinds: list[PlannedKind] | None = Field(
        None,
        min_length=1,
        max_length=4,
        description="The kinds of evaluations that may follow it; series stands for a series.",
    )
    models: list[ModelName] | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="All models that are evaluated. Left out: new and old, if both are given.",
    )
    new: ModelName | None = Field(
        None, description="The model that is to be released: the gate's model, a series' first one."
    )
    old: ModelName | None = Field(
        None,
        description="The model that it is compared with: the gate's against, the control, a "
        "series' second one.",
    )
    better: Better | None = Field(None, description="lower for losses, higher for scores.")
    margin: float | None = Field(
        None, gt=0, description="The difference that does not matter, in units of the loss."
    )
    level: float | None = Field(None, description="Confidence level of the intervals.")
    alternative: Alternative | None = Field(None, description="Direction of tests and intervals.")
    require: Requirement | None = Field(
        None, description="What the gate requires. All but better need the margin."
    )
    cheaper_by: float | None = Field(
        None,
        ge=0,
        lt=1,
        description="By what share of the old model's cost the gate asks that the new one is "
        "cheaper. Costs themselves belong to the data and are not fixed.",
    )
    target: Target | None = Field(None, description="What the verdicts are about.")
    metric: Text | None = Field(
        None, description="The primary metric: the loss, or the score of logs, that is compared."
    )
    blocks: BlockKind | None = Field(None, description="What a block is.")
    scheme: SchemeName | SchemeEntry | None = Field(
        None, description="The resampling scheme, with its parameters."
    )
    clusters: bool | None = Field(
        None, strict=True, description="Whether rows belong to clusters that are independent."
    )
    group_by: list[Text | Annotated[list[Text], Field(min_length=1)]] | None = Field(
        None,
        min_length=1,
        max_length=50,
        description="All group columns, and lists of them whose intersections are groups, by which "
        "models are described.",
    )
    seeds: Count | None = Field(
        None, description="How often a cross-validation trains a learner on each split."
    )
    interval: IntervalName | None = Field(
        None, description="The interval that the verdicts rest on."
    )
    test: TestName | None = Field(None, description="A test that is among those computed.")
    correction: CorrectionName | None = Field(
        None, description="The correction for several comparisons; for a single one none is needed."
    )
    series: PlannedSeries | None = Field(None, description="How a series is looked at.")
    data_sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = Field(
        None,
        description="SHA-256 of the data, if they are there already: of the file, or "
        "provenance.data_sha256 of an earlier result. Left out: the data are not known yet.",
    )
    rows: Count | None = Field(
        None, description="Planned number of rows or items; of a series the largest number."
    )
    evaluations: Count | None = Field(
        None, description="Most evaluations that may name it; further ones are not as planned."
    )

    def check(self) -> None:
        """Refuse what contradicts itself, and names of methods that do not exist."""
        run_checks(
            self._check_content,
            self._check_models,
            self._check_require,
            lambda: None if self.level is None else check_level(self.level),
            partial(_check_name, "interval", self.interval, EVERY_INTERVAL),
            partial(_check_name, "test", self.test, EVERY_TEST),
            partial(_check_name, "correction", self.correction, CORRECTIONS),
            self.fix,
        )

    def _check_content(self) -> None:
        fixed = self.model_dump(exclude_none=True, exclude={"name", "description"})
        if not any(value != {} for value in fixed.values()):
            raise InvalidParameter(
                "The protocol fixes nothing. Give at least one field beside name and description.",
            )

    def _check_models(self) -> None:
        if self.new is not None and self.new == self.old:
            raise InvalidParameter(
                f"new and old are both {self.new!r}; name two models.", loc=("old",), value=self.old
            )
        for role in ("new", "old"):
            name = getattr(self, role)
            if name is not None and self.models is not None and name not in self.models:
                raise InvalidParameter(
                    f"{role} is {name!r}, which is not one of the models"
                    f"{suggest_name(name, self.models)}: {', '.join(self.models)}.",
                    loc=(role,),
                    value=name,
                )
        if len(set(self.models or ())) < len(self.models or ()):
            raise InvalidParameter("A model is named twice.", loc=("models",), value=self.models)

    def _check_require(self) -> None:
        if self.require not in {None, Requirement.BETTER} and self.margin is None:
            raise InvalidParameter(
                f"The requirement {self.require} needs a margin: the largest difference that does "
                "not matter.",
                loc=("margin",),
            )

    def fix(self) -> dict[str, JsonValue]:
        """Return what is fixed, with every default of the parameters of methods, as it is kept.

        A later release may have other defaults, and what is fixed must stay.
        """
        fixed: dict[str, Any] = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        if self.models is None and self.new is not None and self.old is not None:
            fixed["models"] = [self.new, self.old]
        if self.scheme is not None:
            fixed["scheme"] = complete_method(SCHEMES, self.scheme, "scheme")
        if self.series is not None and self.series.method is not None:
            named = self.series.method
            fixed["series"]["method"] = complete_method(
                SEQUENTIAL_METHODS, named, "series", "method"
            )
        return fixed


def complete_method(registry: Any, method: Method, *loc: str) -> dict[str, JsonValue]:
    """Return a method of a request with all its parameters."""
    parsed: Any = parse_method(registry, method, loc)
    return {"name": parsed.info.name, "params": to_json(asdict(parsed))}


def _check_name(field: str, name: str | None, registry: Any) -> None:
    if name is not None and name not in registry:
        raise InvalidParameter(
            f"There is no {field} {name!r}{suggest_name(name, list(registry))}. There are "
            f"{', '.join(registry)}.",
            loc=(field,),
            value=name,
        )

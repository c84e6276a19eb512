"""Types of request fields that name a method, or another value from a fixed list.

A field for a method holds a bare name, or an entry with a name and parameters. Its JSON schema
lists the names of the family. Validation accepts any text: the family's registry refuses an
unknown name with a better message, which proposes similar names.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from thetahat.analyses.losses import CORRECTIONS, EVERY_TEST
from thetahat.analyses.losses.choices import DETAILS
from thetahat.importance_weights import IMPORTANCE_WEIGHTS
from thetahat.losses import LOSSES
from thetahat.metrics import METRICS
from thetahat.refit_estimators import EVERY_INTERVAL, EVERY_VARIANCE
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Scheme
from thetahat.statistics.vector_statistics import EVERY_STATISTIC
from thetahat.two_sample_tests import TWO_SAMPLE_TESTS
from thetahat.values.json_values import JsonValue
from thetahat.values.types import UNITS
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat_service.schemas.base import Schema

LONGEST_NAME: Final = 80

N = TypeVar("N", bound=str)


class _Component:
    """A type for pydantic: a text whose JSON schema is a component with the possible values."""

    def __init__(self, name: str, description: str, values: Collection[str]) -> None:
        self._name = name
        self._description = description
        self._values = values

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        del source, handler
        reference = f"{__name__}.{self._name}:{id(self)}"
        return core_schema.str_schema(max_length=LONGEST_NAME, ref=reference)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        del schema, handler
        return {
            "title": self._name,
            "description": self._description,
            "type": "string",
            "enum": list(self._values),
        }


class Listed:
    """Annotation of a text whose possible values the JSON schema lists.

    Parameters
    ----------
    name : str
        The name of the list in the OpenAPI document.
    description : str
        What each value is.
    values : collection of str
        The possible values; what reads the request refuses others.
    """

    def __init__(self, name: str, description: str, values: Collection[str]) -> None:
        self._component = _Component(name, description, values)

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        del source
        return handler.generate_schema(self._component)


class MethodEntry(Schema, Generic[N]):
    """A method by name, with its parameters."""

    name: N = Field(max_length=LONGEST_NAME, description="The method's name.")
    params: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="Parameters by name; a parameter that is left out has its default.",
    )
    as_: str | None = Field(
        default=None,
        alias="as",
        min_length=1,
        max_length=LONGEST_NAME,
        description="The method's key in the result, in the place of its name.",
    )


Method = str | MethodEntry[str]
"""A method as a request names it; a bare name is short for an entry without parameters."""


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


LossName = Annotated[
    str,
    Listed("LossName", "A loss: a number for each prediction; lower is better.", LOSSES),
]


class LossEntry(MethodEntry[LossName]):
    """A loss with its parameters."""


MetricName = Annotated[
    str,
    Listed(
        "MetricName", "A metric: a number for all predictions of a test part together.", METRICS
    ),
]


class MetricEntry(MethodEntry[MetricName]):
    """A metric with its parameters."""


SchemeName = Annotated[
    str,
    Listed(
        "SchemeName",
        "A resampling scheme: how rows are split into training and test parts.",
        SCHEMES,
    ),
]


class SchemeEntry(MethodEntry[SchemeName]):
    """A resampling scheme with its parameters."""


def find_scheme(method: SchemeName | SchemeEntry | None) -> type[Scheme] | None:
    """Return the class of a scheme of a request; None if it names none that is known."""
    name = method.name if isinstance(method, SchemeEntry) else method
    return SCHEMES[name] if name is not None and name in SCHEMES else None


WeightsName = Annotated[
    str, Listed("WeightsName", "An estimator of importance weights.", IMPORTANCE_WEIGHTS)
]


class WeightsEntry(MethodEntry[WeightsName]):
    """An estimator of importance weights with its parameters."""


RiskName = Annotated[
    str, Listed("RiskName", "An estimator of the risk under the target population.", WEIGHTED_RISKS)
]


class RiskEntry(MethodEntry[RiskName]):
    """An estimator of the risk under the target population, with its parameters."""


StatisticName = Annotated[str, Listed("StatisticName", "A statistic of a sample.", EVERY_STATISTIC)]


class StatisticEntry(MethodEntry[StatisticName]):
    """A statistic of a sample with its parameters."""


TwoSampleTestName = Annotated[
    str, Listed("TwoSampleTestName", "A test of two independent samples.", TWO_SAMPLE_TESTS)
]


class TwoSampleTestEntry(MethodEntry[TwoSampleTestName]):
    """A test of two independent samples with its parameters."""


CorrectionName = Annotated[
    str, Listed("CorrectionName", "A correction of p-values for several comparisons.", CORRECTIONS)
]


TestUnit = Annotated[str, Listed("TestUnit", "What a test pairs.", UNITS)]


ComparisonDetail = Annotated[
    str, Listed("ComparisonDetail", "How much the result has of each comparison.", DETAILS)
]

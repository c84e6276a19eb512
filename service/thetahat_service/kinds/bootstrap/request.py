"""The request of kind ``bootstrap``."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from thetahat.analyses.bootstrap.intervals import METHODS
from thetahat.analyses.bootstrap.resampling import DEFAULT_RESAMPLES
from thetahat.statistics import STATISTICS
from thetahat.values.types import Alternative
from thetahat_service.kinds.bootstrap.method_names import (
    StatisticEntry,
    StatisticName,
    TwoSampleTestEntry,
    TwoSampleTestName,
)
from thetahat_service.kinds.fields.list_items import NumberItem, ResampleItem
from thetahat_service.kinds.fields.method_names import Listed, MethodEntry
from thetahat_service.schemas.base import EvaluationRequest, Schema

BootstrapIntervalName = Annotated[
    str,
    Listed(
        "BootstrapIntervalName",
        "An interval that is computed from the replicates of a statistic.",
        METHODS,
    ),
]


class BootstrapIntervalEntry(MethodEntry[BootstrapIntervalName]):
    """An interval that is computed from the replicates of a statistic; it has no parameters."""


class StatisticSample(Schema):
    """Two columns of the same rows, two samples, or named columns, as the statistic needs them."""

    x: list[NumberItem] | dict[str, list[NumberItem]] = Field(
        description="The numbers of the first column or sample; for mean_vector, covariance_matrix "
        "and regression_coefficients an object of columns by name."
    )
    y: list[NumberItem] | None = Field(
        None,
        description="The numbers of the second column or sample; for auc the classes, 0 and 1; for "
        "regression_coefficients the response.",
    )


class StatisticColumns(Schema):
    """Which columns of the data set hold the sample."""

    x: str | Annotated[list[str], Field(min_length=1, max_length=100)] = Field(
        description="The column of numbers; the columns for mean_vector, covariance_matrix and "
        "regression_coefficients."
    )
    y: str | None = Field(
        None,
        description="The second column, for statistics of two columns; the response of a "
        "regression.",
    )


AnySample = list[Any] | StatisticSample | None


class BootstrapRequest(EvaluationRequest):
    """A sample, and the statistic that is computed from every resample."""

    data_fields: ClassVar[frozenset[str]] = frozenset({"sample"})

    kind: Literal["bootstrap"] = Field("bootstrap", description="The kind of the evaluation.")
    sample: list[NumberItem] | StatisticSample | None = Field(
        None, description="The numbers of the sample, or an object with x and y."
    )
    dataset: UUID | None = Field(
        None, description="The id of an uploaded data set, in the place of sample."
    )
    columns: StatisticColumns | None = Field(
        None, description="Which columns of the data set hold the sample."
    )
    statistic: StatisticName | StatisticEntry = Field(
        STATISTICS.defaults()[0],
        description="The statistic that is computed from the sample and from every resample.",
        examples=["median"],
    )
    resamples: list[ResampleItem] | None = Field(
        None,
        min_length=1,
        description="The resamples, in the place of drawn ones: lists of values of the sample, "
        "each as long as the sample, or objects with x and y; for statistics with several "
        "components x is an object of columns by name, and there are two resamples at least.",
    )
    n_resamples: Annotated[int, Field(strict=True)] | None = Field(
        None, description=f"Number of resamples to draw. Left out: {DEFAULT_RESAMPLES}."
    )
    level: float = Field(
        0.95, strict=True, description="Confidence level of intervals, between 0 and 1."
    )
    alternative: Alternative = Field(
        Alternative.TWO_SIDED,
        description="The direction of intervals: less has no lower end, greater has no upper end.",
    )
    intervals: (
        Annotated[list[BootstrapIntervalName | BootstrapIntervalEntry], Field(max_length=20)] | None
    ) = Field(None, description="Intervals. Left out: all that fit the statistic.")

    tests: Annotated[list[TwoSampleTestName | TwoSampleTestEntry], Field(max_length=20)] | None = (
        Field(
            None,
            description="Tests that two independent samples have the same mean, for the statistic "
            "difference of the mean. Left out: all that fit.",
        )
    )

"""The fields of kinds that fit learners."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from pydantic import Field

from service.kinds.fields.analysis import AnalysisRequest
from service.kinds.fields.data import DataFields
from service.kinds.fields.methods import Method


class FitsRequest(AnalysisRequest, DataFields):
    """Data and a loss; what is fitted, and under which scheme, each kind says for itself."""

    loss: Method | None = Field(
        None, description="zero_one for classification and squared for regression, if left out."
    )

    def dataset_ids(self) -> tuple[UUID, ...]:
        """Return the data set, if there is one."""
        return () if self.dataset is None else (self.dataset,)


class LearnersRequest(FitsRequest):
    """Data, learners, a scheme and a loss."""

    learners: dict[str, str | dict[str, Any]] = Field(
        min_length=1,
        max_length=200,
        description="By the name it has in the result.",
        examples=[{"nb": {"name": "multinomial_naive_bayes"}, "majority": "majority"}],
    )
    scheme: Method

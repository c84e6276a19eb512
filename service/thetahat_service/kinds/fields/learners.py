"""The fields of kinds that fit learners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from thetahat.schemes.base import Scheme
from thetahat.schemes.k_fold import KFold
from thetahat.values.json_values import JsonValue
from thetahat_service.kinds.fields.analysis import AnalysisRequest
from thetahat_service.kinds.fields.data import DataFields, has_role
from thetahat_service.kinds.fields.left_out import LeftOutDataFields
from thetahat_service.kinds.fields.loss_names import LossEntry, LossName
from thetahat_service.kinds.fields.scheme_names import SchemeEntry, SchemeName, find_scheme


class FitsRequest(AnalysisRequest, DataFields, LeftOutDataFields):
    """Data and a loss; each kind adds what is fitted, and under which scheme."""

    data_fields: ClassVar[frozenset[str]] = frozenset({"data"})

    loss: LossName | LossEntry | None = Field(
        None,
        description="The loss. Left out: zero_one for classification, squared for regression.",
    )

    @property
    def fitted_learners(self) -> Mapping[str, str | dict[str, JsonValue]]:
        """The learners that the request names."""
        raise NotImplementedError

    @property
    def has_weighted_fits(self) -> bool:
        """Whether rows have weights when learners are fitted."""
        return has_role(self, "weight")


class LearnersRequest(FitsRequest):
    """Data, learners, a scheme and a loss."""

    learners: dict[str, str | dict[str, JsonValue]] = Field(
        min_length=1,
        max_length=200,
        description="The learners, each by the name that it has in the result: a name of "
        "/v1/methods/learners, or an object with name, params and prepare.",
        examples=[{"nb": {"name": "multinomial_naive_bayes"}, "majority": "majority"}],
    )
    scheme: SchemeName | SchemeEntry = Field(
        KFold.info.name,
        description="How rows are split into training and test parts. Left out: k_fold.",
    )

    @property
    def fitted_learners(self) -> Mapping[str, str | dict[str, JsonValue]]:
        """The learners."""
        return self.learners

    @property
    def scheme_of_blocks(self) -> type[Scheme] | None:
        """The class of the scheme."""
        return find_scheme(self.scheme)

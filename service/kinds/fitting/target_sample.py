"""A sample of another population beside the data of a cross-validation, and its weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pydantic import Field

from service.kinds.fields.data import has_role, read_data, role_path
from service.kinds.fields.method_names import Method
from service.kinds.fields.methods import method_entry, parse_method, parse_methods
from service.kinds.fields.sample import SampleInput, check_sample, read_sample
from service.kinds.methods_used import record_method
from service.schemas.base import Schema
from thetahat.analyses.importance_weighting import ShiftWeights, with_second_moment
from thetahat.analyses.importance_weighting.weights_result import UsedWeights, describe_weights
from thetahat.analyses.losses.result import MethodUsed
from thetahat.analyses.losses.weighted_risks import Sources
from thetahat.errors import EvaluationError, InvalidParameter, Loc, UnsupportedCombination
from thetahat.importance_weights import (
    IMPORTANCE_WEIGHTS,
    Samples,
    WeightEstimator,
    are_given,
    default_weights,
)
from thetahat.seeds import stream
from thetahat.tables.columns import encode_classes
from thetahat.tables.data import Data
from thetahat.tables.features import Features
from thetahat.values.types import IntArray
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat.weighted_risks.base import RiskEstimator

if TYPE_CHECKING:
    from service.kinds.base import DatasetFile, Job
    from service.kinds.cross_validation.kind import CrossValidationRequest


class TargetSampleFields(Schema):
    """What adds weighted risks to each learner."""

    target_sample: SampleInput | None = Field(
        None, description="A sample of the population that is asked about; adds risks."
    )
    weights: Method | None = Field(
        None, description="How the rows are weighted; gaussian_ratio, if left out."
    )
    weighted_fit: bool = Field(
        False, description="Whether fits are weighted, too, and not the risks alone.", strict=True
    )
    risks: list[Method] | None = Field(
        None, min_length=1, max_length=20, description="All five, if left out."
    )


@dataclass(frozen=True, slots=True, eq=False)
class Importance:
    """The weights of the data's rows, and the risks that they are for."""

    samples: Samples
    method: WeightEstimator
    weights: ShiftWeights
    risks: Mapping[str, RiskEstimator]

    def told(self, given: CrossValidationRequest, seed: int) -> UsedWeights:
        """Return the weights as the result has them."""
        name = self.method.info.name
        return UsedWeights(
            weights=describe_weights(name, self.weights.weighing, self.samples, seed),
            estimated_from="all",
            in_fits=given.weighted_fit or are_given(name),
        )

    def methods_used(self) -> list[MethodUsed]:
        """Return the estimator of the weights and the risks as records."""
        return [
            record_method("weights", self.method),
            *(record_method("risks", r, key) for key, r in self.risks.items()),
        ]


def check_target_sample(
    given: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile]
) -> None:
    """Refuse fields that go with a target sample where there is none, and unknown methods."""
    if given.target_sample is None:
        for field in ("weights", "weighted_fit", "risks"):
            if getattr(given, field):
                raise InvalidParameter(
                    f"{field} goes with a target_sample, and there is none", loc=(field,)
                )
        return
    check_sample(given.target_sample, ("target_sample",), datasets)
    _method(given)
    _risks(given)
    named = method_entry(given.weights or default_weights()).name
    if are_given(named) and not has_role(given, "weight"):
        raise InvalidParameter(
            "the weights `given` need a weight for each row", loc=role_path(given, "weight")
        )
    if given.dataset is None and given.target_sample.dataset is None:
        samples_of(given, datasets, read_data(given, datasets))


def importance_of(job: Job[Any], given: CrossValidationRequest, data: Data) -> Importance | None:
    """Return the weights of the data's rows; None where there is no target sample."""
    if given.target_sample is None:
        return None
    return _estimated(_Key(job, given, data))


def weighted_data(job: Job[Any], given: Any, data: Data) -> Data:
    """Return the data whose fits are weighted, where the request asks for it.

    Weights that the data have already are multiplied.
    """
    if not getattr(given, "weighted_fit", False):
        return data
    importance = importance_of(job, given, data)
    if importance is None or importance.method.info.weights.are_given:
        return data
    values = importance.weights.weighing.values
    return replace(data, weight=values if data.weight is None else values * data.weight)


def sources_of(data: Data, rows: IntArray) -> Sources | None:
    """Return the source of each of the rows, where the data have sources."""
    if data.source is None:
        return None
    codes, labels = encode_classes(data.source, "source")
    return codes[rows], labels


def samples_of(
    given: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile], data: Data
) -> Samples:
    """Return the features of both that the weights are estimated from.

    They are those that the target sample names, or all of the data's.
    """
    target = given.target_sample
    assert target is not None  # noqa: S101 - asked where there is one
    known = data.features.names
    stored = target.columns.features if target.columns is not None else None
    names = target.features or stored
    wanted = known if names is None else tuple(names)
    for name in wanted:
        if name not in known:
            raise InvalidParameter(
                f"the data have no feature {name!r}", loc=("target_sample", "features"), value=name
            )
    other = read_sample(target, ("target_sample",), datasets, wanted)
    columns = dict(zip(known, data.features.columns, strict=True))
    wide = data.features.wide if names is None else ()
    try:
        mine = Features(
            wanted, tuple(columns[name] for name in wanted), wide=wide
        ).complete_matrix()
    except EvaluationError as error:
        raise UnsupportedCombination(
            f"weights need numeric and complete features: {error.message}; name in target_sample "
            "those that they are to be estimated from",
            loc=("target_sample",),
        ) from None
    if mine.shape[1] != other.X.shape[1]:
        raise InvalidParameter(
            f"the data have {mine.shape[1]} features and the target sample {other.X.shape[1]}",
            loc=("target_sample",),
            value=other.X.shape[1],
        )
    return Samples(mine, other.X, data.weight)


@dataclass(frozen=True, slots=True, eq=False)
class _Key:
    """A job with its data, equal to another of the same id."""

    job: Job[Any]
    given: CrossValidationRequest
    data: Data

    def __hash__(self) -> int:
        return hash(self.job.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.job.id == self.job.id


@lru_cache(maxsize=1)
def _estimated(key: _Key) -> Importance:
    given, job = key.given, key.job
    method = _method(given)
    samples = samples_of(given, job.datasets, key.data)
    try:
        weighing = method.estimate(samples, stream(job.seed, "weights"))
    except EvaluationError as error:
        error.loc = _where(given, error.loc)
        raise
    weights = ShiftWeights(
        weighing=weighing, validation=weighing.values, of_target=weighing.of_target
    )
    risks = with_second_moment(_risks(given), weights.second_moment())
    return Importance(samples, method, weights, risks)


def _where(given: CrossValidationRequest, loc: Loc) -> Loc:
    """Return where the request has what an estimator of weights calls source and target."""
    if loc[:2] == ("source", "weight"):
        return (*role_path(given, "weight"), *loc[2:])
    if loc[:1] == ("source",):
        return ("columns",) if given.dataset is not None else ("data", "X", *loc[1:])
    if loc[:1] == ("target",):
        return ("target_sample",)
    return ("weights", "params", *loc) if loc else ("weights",)


def _method(given: CrossValidationRequest) -> WeightEstimator:
    return parse_method(IMPORTANCE_WEIGHTS, given.weights or default_weights(), ("weights",))


def _risks(given: CrossValidationRequest) -> dict[str, RiskEstimator]:
    if given.risks is None:
        return {name: kind() for name, kind in WEIGHTED_RISKS.items()}
    entries = parse_methods(WEIGHTED_RISKS, given.risks, "risks")
    found: dict[str, Any] = {entry.key: entry.method for entry in entries}
    return found

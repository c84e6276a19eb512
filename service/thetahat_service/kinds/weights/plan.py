"""The plan of an estimation of importance weights: two samples and an estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from thetahat.importance_weights import (
    ImportanceWeights,
    Samples,
    WeightEstimator,
    uses_known_weights,
)
from thetahat.seeds import make_random_stream
from thetahat.values.left_out_rows import LeftOutOfSamples
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.sample import (
    SampleTable,
    check_given_weights,
    check_sample,
    describe_left_out,
    explain_errors_about_kept_rows,
    read_samples,
)
from thetahat_service.kinds.fields.weighting_names import parse_weights
from thetahat_service.kinds.weights.request import WeightsRequest


@dataclass(frozen=True, slots=True, eq=False)
class WeightsPlan:
    """Two samples, the estimator of the weights, and the rows that are left out, if any."""

    samples: Samples
    estimator: WeightEstimator
    source: SampleTable
    left_out: LeftOutOfSamples | None

    def estimate(self, seed: int) -> ImportanceWeights:
        """Estimate the weights; errors have the row numbers of the request."""
        with explain_errors_about_kept_rows(self.source):
            return self.estimator.estimate(self.samples, make_random_stream(seed, "weights"))


def check_request(request: WeightsRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse unknown methods, parameters and columns; inline samples are read."""
    estimator = parse_weights(request.weights)
    check_sample(request.source, ("source",), datasets)
    check_sample(request.target, ("target",), datasets)
    if uses_known_weights(estimator.info.name):
        check_given_weights(request.source)
    if request.source.dataset is None and request.target.dataset is None:
        build_plan(request, datasets)


def build_plan(request: WeightsRequest, datasets: Mapping[UUID, DatasetFile]) -> WeightsPlan:
    """Read both samples and build the estimator."""
    source, target = read_samples(request.source, request.target, datasets, request)
    with explain_errors_about_kept_rows(source):
        samples = Samples(source.X, target.X, source.weight)
    left_out = describe_left_out(source, target)
    return WeightsPlan(samples, parse_weights(request.weights), source, left_out)

"""Kind ``weights``: importance weights of a source sample, and what they are worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from service.kinds.base import Chunks, DatasetFile, Finished, Job, JobKind
from service.kinds.fields.methods import Method, build_one, entry_of
from service.kinds.fields.methods_used import method_used
from service.kinds.fields.sample import (
    SampleInput,
    check_sample,
    check_weight_given,
    sample_of,
)
from service.kinds.weights.result import weights_told
from service.schemas.base import EvaluationRequest
from thetahat.errors import InvalidParameter
from thetahat.importance_weights import (
    IMPORTANCE_WEIGHTS,
    Samples,
    WeightEstimator,
    default_weights,
)
from thetahat.seeds import stream


class WeightsRequest(EvaluationRequest):
    """Two samples, and how the weights are estimated."""

    kind: Literal["weights"] = "weights"
    source: SampleInput = Field(description="The rows that are weighted.")
    target: SampleInput = Field(description="A sample of the population that is asked about.")
    weights: Method = Field(default_weights(), examples=["kernel_mean_matching"])

    def dataset_ids(self) -> tuple[UUID, ...]:
        """Return the data sets of both samples."""
        named = (self.source.dataset, self.target.dataset)
        return tuple(dict.fromkeys(each for each in named if each is not None))


class Weights(JobKind[WeightsRequest]):
    """Estimate, describe, done: one unit of work."""

    name: ClassVar[str] = "weights"
    title: ClassVar[str] = "Importance weights alone"
    request = WeightsRequest

    def check(self, request: WeightsRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse unknown methods, parameters and columns; inline samples are read."""
        given = request
        _method(given)
        check_sample(given.source, ("source",), datasets)
        check_sample(given.target, ("target",), datasets)
        check_weight_given(given.weights, given.source)
        if given.source.dataset is None and given.target.dataset is None:
            samples_of(given.source, given.target, datasets)

    def start(self, job: Job[WeightsRequest]) -> Finished | Chunks:
        """Do it all."""
        given = job.request
        method = _method(given)
        samples = samples_of(given.source, given.target, job.datasets)
        weighing = method.estimate(samples, stream(job.seed, "weights"))
        name = entry_of(given.weights).name
        result = {
            "weights": weights_told(name, weighing, samples, job.seed),
            "cautions": [],
            "methods": [method_used("weights", name, method)],
        }
        return Finished(result)


def _method(given: WeightsRequest) -> WeightEstimator:
    return build_one(IMPORTANCE_WEIGHTS, given.weights, ("weights",))


def samples_of(
    source: SampleInput, target: SampleInput, datasets: Mapping[UUID, DatasetFile]
) -> Samples:
    """Read both samples; the target's features are the source's, by name where both have names."""
    labelled = sample_of(source, ("source",), datasets)
    has_names = source.dataset is not None or source.features is not None
    names = labelled.names if has_names else None
    unlabelled = sample_of(target, ("target",), datasets, names)
    if target.features is not None and names is not None and unlabelled.names != names:
        raise InvalidParameter(
            f"the target's features are {', '.join(unlabelled.names)[:200]} and the source's "
            f"{', '.join(names)[:200]}",
            loc=("target", "features"),
            value=list(unlabelled.names)[:20],
        )
    return Samples(labelled.X, unlabelled.X, labelled.weight)


KIND = Weights()

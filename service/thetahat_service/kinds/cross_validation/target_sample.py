"""Importance weights of the data's rows, estimated with a sample of another population."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from uuid import UUID

from thetahat.analyses.importance_weighting.risk_curves import set_second_moment
from thetahat.analyses.importance_weighting.weights import ShiftWeights
from thetahat.analyses.importance_weighting.weights_result import UsedWeights, describe_weights
from thetahat.analyses.losses.result import MethodUsed
from thetahat.analyses.losses.weighted_risks import Sources
from thetahat.error_paths import located_errors
from thetahat.errors import EvaluationError, InvalidParameter, UnsupportedCombination
from thetahat.importance_weights import (
    Samples,
    WeightEstimator,
    get_default_weights,
    uses_known_weights,
)
from thetahat.seeds import make_random_stream
from thetahat.tables.columns import encode_classes
from thetahat.tables.data import Data
from thetahat.values.types import IntArray
from thetahat.weighted_risks.base import RiskEstimator
from thetahat_service.kinds.base import DatasetFile, Job
from thetahat_service.kinds.cross_validation.request import CrossValidationRequest
from thetahat_service.kinds.fields.data import build_role_path, has_role, read_data
from thetahat_service.kinds.fields.methods import make_method_entry
from thetahat_service.kinds.fields.sample import check_sample, read_sample
from thetahat_service.kinds.fields.weighting_names import parse_risks, parse_weights
from thetahat_service.kinds.methods_used import record_method


@dataclass(frozen=True, slots=True, eq=False)
class Importance:
    """The importance weights of the data's rows, and the risk estimators that use them."""

    samples: Samples
    """The features of both samples that the weights are estimated from."""
    method: WeightEstimator
    """The estimator of the weights."""
    weights: ShiftWeights
    """The weights."""
    risks: Mapping[str, RiskEstimator]
    """By key in the result."""

    def describe(self, request: CrossValidationRequest, seed: int) -> UsedWeights:
        """Return the weights with their diagnostics for the result."""
        name = self.method.info.name
        return UsedWeights(
            weights=describe_weights(name, self.weights.weighing, self.samples, seed),
            estimated_from="all",
            in_fits=request.weighted_fit or uses_known_weights(name),
        )

    def list_methods_used(self) -> list[MethodUsed]:
        """Return the estimator of the weights and the risks as records."""
        return [
            record_method("weights", self.method),
            *(record_method("risks", risk, key) for key, risk in self.risks.items()),
        ]


def check_target_sample(
    request: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile]
) -> None:
    """Refuse unknown methods, and fields that need a target sample where there is none."""
    if request.target_sample is None:
        for field in ("weights", "weighted_fit", "risks"):
            if getattr(request, field):
                raise InvalidParameter(
                    f"The field {field} needs a target_sample, and the request has none. Add one, "
                    f"or leave {field} out.",
                    loc=(field,),
                )
        return
    check_sample(request.target_sample, ("target_sample",), datasets)
    parse_weights(request.weights)
    parse_risks(request.risks)
    estimator_name = make_method_entry(request.weights or get_default_weights()).name
    if uses_known_weights(estimator_name) and not has_role(request, "weight"):
        raise InvalidParameter(
            "The weights 'given' need the weight of each row. Name its column or field, or "
            "choose another estimator.",
            loc=build_role_path(request, "weight"),
        )
    if request.dataset is None and request.target_sample.dataset is None:
        read_samples(request, datasets, read_data(request, datasets))


def estimate_importance(job: Job[CrossValidationRequest], data: Data) -> Importance | None:
    """Return the weights of the data's rows; None where there is no target sample."""
    request = job.request
    if request.target_sample is None:
        return None
    method = parse_weights(request.weights)
    samples = read_samples(request, job.datasets, data)
    with _locate_weight_errors(request):
        weighing = method.estimate(samples, make_random_stream(job.seed, "weights"))
    weights = ShiftWeights(
        weighing=weighing, validation=weighing.values, target_values=weighing.target_values
    )
    risks = set_second_moment(parse_risks(request.risks), weights.second_moment())
    return Importance(samples, method, weights, risks)


def add_fit_weights(data: Data, importance: Importance | None) -> Data:
    """Return the data with weights for the fits, multiplied by those that the rows already have."""
    if importance is None or importance.method.info.weights.are_supplied:
        return data
    values = importance.weights.weighing.values
    return replace(data, weight=values if data.weight is None else values * data.weight)


def find_sources(data: Data, rows: IntArray) -> Sources | None:
    """Return the source of each of these rows, where the data have sources."""
    if data.source is None:
        return None
    codes, labels = encode_classes(data.source, "source")
    return codes[rows], labels


def read_samples(
    request: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile], data: Data
) -> Samples:
    """Return the features of both samples that the weights are estimated from.

    They are the features that the target sample names, or all of the data's.
    """
    target = request.target_sample
    assert target is not None  # noqa: S101 - the callers have checked it
    all_names = data.features.names
    column_names = target.columns.features if target.columns is not None else None
    requested = target.features or column_names
    names = all_names if requested is None else tuple(requested)
    for name in names:
        if name not in all_names:
            raise InvalidParameter(
                f"The target sample names the feature {name!r}, which the data do not have. Name "
                "features of the data only.",
                loc=("target_sample", "features"),
                value=name,
            )
    target_table = read_sample(target, ("target_sample",), datasets, names)
    columns = dict(zip(all_names, data.features.columns, strict=True))
    wide = data.features.wide if requested is None else ()
    try:
        data_features = data.features.with_columns(
            names, tuple(columns[name] for name in names), wide=wide
        ).complete_matrix()
    except EvaluationError as error:
        raise UnsupportedCombination(
            "The weights need numeric features without missing values. Name suitable features in "
            f"target_sample. Reason: {error.message}",
            loc=("target_sample",),
        ) from None
    if data_features.shape[1] != target_table.X.shape[1]:
        raise InvalidParameter(
            f"The data have {data_features.shape[1]} features and the target sample has "
            f"{target_table.X.shape[1]}. Both need the same features.",
            loc=("target_sample",),
            value=target_table.X.shape[1],
        )
    return Samples(data_features, target_table.X, data.weight)


def _locate_weight_errors(request: CrossValidationRequest) -> AbstractContextManager[None]:
    """Set the ``loc`` of errors of a weight estimator, whose source is the data, to a path."""
    return located_errors(
        {
            "source.weight": build_role_path(request, "weight"),
            "source": ("data", "X") if request.dataset is None else ("columns",),
            "target": ("target_sample",),
        },
        within=("weights", "params"),
        default=("weights",),
    )

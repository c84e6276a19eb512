"""The plan of an importance-weighted selection, built from its request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final
from uuid import UUID

import numpy as np

from thetahat.analyses.importance_weighting.candidates import LearnerWithGrid
from thetahat.analyses.importance_weighting.outcomes import RiskSetting
from thetahat.analyses.importance_weighting.risk_curves import set_second_moment
from thetahat.analyses.importance_weighting.samples import SourceAndTarget
from thetahat.analyses.importance_weighting.weights import (
    ShiftWeights,
    check_can_weigh_new_rows,
    estimate_weights_in_training_parts,
    estimate_weights_on_all_rows,
)
from thetahat.cross_validation import check_loss, check_target
from thetahat.error_paths import located_errors
from thetahat.errors import InvalidParameter
from thetahat.importance_weights import WeightEstimator, uses_known_weights
from thetahat.losses import LOSSES, get_least_squares_loss
from thetahat.losses.base import Loss
from thetahat.values.types import FloatArray
from thetahat_service.kinds.base import DatasetFile, Job
from thetahat_service.kinds.fields.methods import parse_method
from thetahat_service.kinds.fields.sample import (
    check_given_weights,
    check_sample,
    explain_errors_about_kept_rows,
    measure_sample,
)
from thetahat_service.kinds.fields.weighting_names import parse_risks, parse_weights
from thetahat_service.kinds.fitting.building import is_own_learner
from thetahat_service.kinds.importance_weighting.data import SamplesRead, read_shift
from thetahat_service.kinds.importance_weighting.learners import (
    build_candidates,
    check_candidates,
    check_fits,
)
from thetahat_service.kinds.importance_weighting.request import ImportanceWeightingRequest

MOST_LOSSES: Final = 20_000_000
"""Largest number of losses of one learner, over its grid and the rows of both samples (160 MB)."""


@dataclass(eq=False)
class ImportanceWeightingPlan:
    """The samples, learners, loss and methods of one job; weights are estimated at first use."""

    request: ImportanceWeightingRequest
    samples: SamplesRead
    candidates: Mapping[str, LearnerWithGrid]
    loss: Loss
    method: WeightEstimator
    seed: int

    @property
    def shift(self) -> SourceAndTarget:
        """The samples, without the rows that are left out."""
        return self.samples.shift

    @property
    def all_own(self) -> bool:
        """Whether no learner needs scikit-learn."""
        return all(
            is_own_learner(entry) for entry, _ in self.request.list_learner_entries().values()
        )

    def select_candidates(
        self, candidates: Mapping[str, LearnerWithGrid]
    ) -> ImportanceWeightingPlan:
        """Return the plan with only these learners and the same weights."""
        reduced = ImportanceWeightingPlan(
            self.request, self.samples, candidates, self.loss, self.method, self.seed
        )
        reduced.__dict__["weights"] = self.weights  # fills the cache of the property
        return reduced

    @cached_property
    def weights(self) -> ShiftWeights:
        """The weights of the fits and of the risks."""
        estimate = (
            estimate_weights_on_all_rows
            if self.request.weights_from == "all"
            else estimate_weights_in_training_parts
        )
        with explain_errors_about_kept_rows(self.samples.source):
            return estimate(self.method, self.shift, self.seed)

    def fit_weights(self, k: int) -> FloatArray | None:
        """Return (n,) weights for the fit without fold k; None if fits have no weights."""
        return self.weights.get_fit_weights(k) if self.request.weighted_fit else None

    def refit_weights(self) -> FloatArray | None:
        """Return (n,) weights for the fit on the whole source; None if fits have no weights."""
        return self.weights.weighing.values if self.request.weighted_fit else None

    def build_setting(self) -> RiskSetting:
        """Return the risk estimators with the weights, folds and sources that they need."""
        codes, labels = None, ()
        if self.shift.source.source is not None:
            sources = dict.fromkeys(self.shift.source.source.tolist())
            place = {label: at for at, label in enumerate(sources)}
            codes = np.array([place[s] for s in self.shift.source.source.tolist()], dtype=np.intp)
            labels = tuple(sources)
        return RiskSetting(
            risks=set_second_moment(parse_risks(self.request.risks), self.weights.second_moment()),
            weights=self.weights.validation,
            fold=self.shift.fold,
            level=self.request.level,
            source=codes,
            source_labels=labels,
            loss_range=self.loss.value_range,
        )


@lru_cache(maxsize=1)
def build_plan(job: Job[ImportanceWeightingRequest]) -> ImportanceWeightingPlan:
    """Build the plan of a job; the last plan is cached for the next chunk of the same job."""
    return build_request_plan(job.request, job.datasets, job.seed)


def build_request_plan(
    request: ImportanceWeightingRequest, datasets: Mapping[UUID, DatasetFile], seed: int
) -> ImportanceWeightingPlan:
    """Read the samples of a request and build the plan."""
    samples = read_shift(request, datasets, seed)
    shift = samples.shift
    loss = parse_loss(request)
    with located_errors({"y": ("source", "y")}):
        loss = check_target(loss, shift.source)
        if shift.target_y is not None:
            check_target(loss, replace(shift.source, y=shift.target_y))
    candidates = build_candidates(request, loss, shift.source.classes)
    _check_size(request, candidates, shift.n, shift.m)
    return ImportanceWeightingPlan(
        request, samples, candidates, loss, parse_weights(request.weights), seed
    )


def check_plan(request: ImportanceWeightingRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Check a request; no learner is fitted."""
    check_sample(request.source, ("source",), datasets)
    check_sample(request.target, ("target",), datasets)
    method = parse_weights(request.weights)
    if uses_known_weights(method.info.name):
        check_given_weights(request.source)
    if request.weights_from == "training":
        check_can_weigh_new_rows(method)
    parse_risks(request.risks)
    loss = parse_loss(request)
    candidates = check_candidates(request, loss)
    n_rows, n_features = measure_sample(request.source, datasets)
    check_fits(candidates, n_fits=request.n_folds + 1, n_rows=n_rows, n_features=n_features)
    if request.source.dataset is None and request.target.dataset is None:
        build_request_plan(request, datasets, 0).shift.samples()


def parse_loss(request: ImportanceWeightingRequest) -> Loss:
    """Return the loss of a request; refuse a loss for the other task."""
    loss: Loss = parse_method(
        LOSSES, request.loss or get_least_squares_loss(request.task), ("loss",)
    )
    check_loss(loss, request.task)
    return loss


def _check_size(
    request: ImportanceWeightingRequest, candidates: Mapping[str, LearnerWithGrid], n: int, m: int
) -> None:
    for name, candidate in candidates.items():
        if candidate.size * (n + m) > MOST_LOSSES:
            raise InvalidParameter(
                f"{candidate.size} values for {name!r} and {n + m} rows make more than "
                f"{MOST_LOSSES} losses. Use fewer values, or fewer rows of the target.",
                loc=request.list_learner_entries()[name][1] if request.grid is None else ("grid",),
                value=candidate.size,
            )

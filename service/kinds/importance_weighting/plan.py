"""What an importance-weighted selection is made of, built from a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final
from uuid import UUID

import numpy as np

from service.kinds.base import DatasetFile, Job
from service.kinds.fields.locations import located_errors
from service.kinds.fields.methods import parse_method, parse_methods
from service.kinds.fields.sample import check_given_weights, check_sample
from service.kinds.fitting.building import is_own_learner
from service.kinds.importance_weighting.data import shift_of
from service.kinds.importance_weighting.learners import candidates_of, check_candidates
from service.kinds.importance_weighting.request import ImportanceWeightingRequest
from thetahat.analyses.importance_weighting import (
    LearnerWithGrid,
    Setting,
    Shift,
    ShiftWeights,
    check_in_training,
    weights_in_training,
    weights_on_all,
    with_second_moment,
)
from thetahat.cross_validation import check_loss, check_target
from thetahat.errors import InvalidParameter
from thetahat.importance_weights import IMPORTANCE_WEIGHTS, WeightEstimator, uses_known_weights
from thetahat.losses import LOSSES, least_squares_loss
from thetahat.losses.base import Loss
from thetahat.values.types import FloatArray
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat.weighted_risks.base import RiskEstimator

MOST_LOSSES: Final = 20_000_000
"""Losses of one learner, over its grid and the rows of both samples: 160 MB."""


@dataclass(eq=False)
class ImportanceWeightingPlan:
    """The parts, built; the weights are estimated when they are first asked for."""

    given: ImportanceWeightingRequest
    shift: Shift
    candidates: Mapping[str, LearnerWithGrid]
    loss: Loss
    method: WeightEstimator
    seed: int

    @property
    def all_own(self) -> bool:
        """Whether no learner needs scikit-learn."""
        return all(is_own_learner(wire) for wire, _ in self.given.wires().values())

    def with_candidates(self, candidates: Mapping[str, LearnerWithGrid]) -> ImportanceWeightingPlan:
        """Return the plan of some of the learners; the weights are the same."""
        some = ImportanceWeightingPlan(
            self.given, self.shift, candidates, self.loss, self.method, self.seed
        )
        some.__dict__["weights"] = self.weights  # where cached_property looks first
        return some

    @cached_property
    def weights(self) -> ShiftWeights:
        """The weights of the fits and of the risks."""
        estimate = weights_on_all if self.given.weights_from == "all" else weights_in_training
        return estimate(self.method, self.shift, self.seed)

    def of_fit(self, k: int) -> FloatArray | None:
        """(n,) weights for the fit without fold k, or None."""
        return self.weights.of_fit(k) if self.given.weighted_fit else None

    def of_refit(self) -> FloatArray | None:
        """(n,) weights for the fit on the whole source, or None."""
        return self.weights.weighing.values if self.given.weighted_fit else None

    def setting(self) -> Setting:
        """Return what the risks are estimated with."""
        codes, labels = None, ()
        if self.shift.source.source is not None:
            seen = dict.fromkeys(self.shift.source.source.tolist())
            place = {label: at for at, label in enumerate(seen)}
            codes = np.array([place[s] for s in self.shift.source.source.tolist()], dtype=np.intp)
            labels = tuple(seen)
        return Setting(
            risks=with_second_moment(risks_of(self.given), self.weights.second_moment()),
            weights=self.weights.validation,
            fold=self.shift.fold,
            level=self.given.level,
            source=codes,
            source_labels=labels,
            loss_range=self.loss.value_range,
        )


@lru_cache(maxsize=1)
def build_plan(job: Job[ImportanceWeightingRequest]) -> ImportanceWeightingPlan:
    """Build the plan of a job; the last one is kept, for its chunks come one after another."""
    return build_from(job.request, job.datasets, job.seed)


def build_from(
    given: ImportanceWeightingRequest, datasets: Mapping[UUID, DatasetFile], seed: int
) -> ImportanceWeightingPlan:
    """Read the samples and build everything."""
    shift = shift_of(given, datasets, seed)
    loss = loss_of(given)
    with located_errors({"y": ("source", "y")}):
        loss = check_target(loss, shift.source)
        if shift.target_y is not None:
            check_target(loss, replace(shift.source, y=shift.target_y))
    candidates = candidates_of(given, loss, shift.source.classes)
    _check_size(given, candidates, shift.n, shift.m)
    return ImportanceWeightingPlan(given, shift, candidates, loss, method_of(given), seed)


def check_plan(given: ImportanceWeightingRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse what can be seen to be wrong without fitting anything."""
    check_sample(given.source, ("source",), datasets)
    check_sample(given.target, ("target",), datasets)
    method = method_of(given)
    if uses_known_weights(method.info.name):
        check_given_weights(given.source)
    if given.weights_from == "training":
        check_in_training(method)
    risks_of(given)
    loss = loss_of(given)
    check_candidates(given, loss)
    if given.source.dataset is None and given.target.dataset is None:
        build_from(given, datasets, 0).shift.samples()


def loss_of(given: ImportanceWeightingRequest) -> Loss:
    """Return the loss of a request, refused where it is for the other task."""
    loss: Loss = parse_method(LOSSES, given.loss or least_squares_loss(given.task), ("loss",))
    check_loss(loss, given.task)
    return loss


def method_of(given: ImportanceWeightingRequest) -> WeightEstimator:
    """Return the estimator of the weights."""
    return parse_method(IMPORTANCE_WEIGHTS, given.weights, ("weights",))


def risks_of(given: ImportanceWeightingRequest) -> dict[str, RiskEstimator]:
    """Return the risks by their key in the result."""
    found: dict[str, Any] = {
        entry.key: entry.method for entry in parse_methods(WEIGHTED_RISKS, given.risks, "risks")
    }
    return found


def _check_size(
    given: ImportanceWeightingRequest, candidates: Mapping[str, LearnerWithGrid], n: int, m: int
) -> None:
    for name, candidate in candidates.items():
        if candidate.size * (n + m) > MOST_LOSSES:
            raise InvalidParameter(
                f"{candidate.size} values for {name!r} and {n + m} rows make more than "
                f"{MOST_LOSSES} losses; take fewer values, or a part of the target",
                loc=given.wires()[name][1] if given.grid is None else ("grid",),
                value=candidate.size,
            )

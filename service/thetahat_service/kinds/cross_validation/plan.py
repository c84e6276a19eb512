"""The plan of a cross-validation: learners under a scheme, and importance weights of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final
from uuid import UUID

from thetahat.analyses.cross_validation.probabilities import check_learners_for_probabilities
from thetahat.analyses.cross_validation.seeds import refuse_beside_seeds
from thetahat.analyses.losses.by_group import GroupsOfTable
from thetahat.analyses.losses.costs import CostsOfTable, read_costs
from thetahat.analyses.probabilities.options import Probabilities
from thetahat.cross_validation.seeds import group_draws
from thetahat_service.kinds.base import DatasetFile, Job
from thetahat_service.kinds.cross_validation.request import CrossValidationRequest
from thetahat_service.kinds.cross_validation.target_sample import (
    Importance,
    add_fit_weights,
    check_target_sample,
    estimate_importance,
)
from thetahat_service.kinds.fields.costs import check_cost_fields
from thetahat_service.kinds.fields.data import check_data_fields, read_data
from thetahat_service.kinds.fields.groups import (
    check_named_groups,
    read_group_columns,
    read_inline_groups,
)
from thetahat_service.kinds.fields.layout import list_named_columns, require_columns
from thetahat_service.kinds.fitting.bundles import Bundle, bundle_learners
from thetahat_service.kinds.fitting.open_task import set_task_of_job
from thetahat_service.kinds.fitting.scheme_plan import (
    SchemePlan,
    build_scheme_plan,
    check_scheme_request,
)

SPLITS: Final = "splits"
"""The stage with the splits of the scheme; of further trainings its name has their number."""


def name_seed_stage(number: int) -> str:
    """Return the stage of one of several trainings on the splits; the first is ``SPLITS``."""
    return SPLITS if number == 0 else f"{SPLITS}:{number}"


def read_seed_number(stage: str) -> int:
    """Return which training on the splits a stage is."""
    _, _, number = stage.partition(":")
    return int(number) if number else 0


@dataclass(frozen=True, eq=False, kw_only=True)
class CrossValidationPlan(SchemePlan[CrossValidationRequest]):
    """The plan of one job."""

    fit_importance: Importance | None = None
    """The importance weights that fits use; None if they use none."""

    def read_groups(self) -> GroupsOfTable | None:
        """Return the groups of the rows of the request or file."""
        return read_groups(self.request, self.job.datasets)

    def read_costs(self) -> CostsOfTable | None:
        """Return what the learners cost."""
        return read_costs_of_learners(self.request)

    def read_probabilities(self) -> Probabilities | None:
        """Return what the request asks about predicted probabilities."""
        return self.request.build_probabilities()

    @cached_property
    def importance(self) -> Importance | None:
        """The importance weights of the rows; None where there is no target sample."""
        return self.fit_importance or estimate_importance(self.job, self.data)

    @cached_property
    def bundles(self) -> tuple[Bundle, ...]:
        """All learners; learners that are fitted together are in one bundle."""
        return bundle_learners(self.learners, self.data, self.data.n)

    @property
    def n_cells(self) -> int:
        """About the number of values of the data that are read over all fits."""
        n_splits = self.n_splits + sum(self.refits.n_splits)
        return sum(bundle.count_cells(self.data, n_splits) for bundle in self.bundles)

    def count_seeds(self, bundle: Bundle) -> int:
        """Return how often the learners of a bundle are trained on each split."""
        return self.request.seeds if any(map(group_draws, bundle.groups)) else 1

    def name_stages(self, bundle: Bundle) -> list[str]:
        """Return a stage for each training of the learners."""
        return [name_seed_stage(number) for number in range(self.count_seeds(bundle))]


def check_request(request: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Check a request; no learner is fitted."""
    check_data_fields(request, datasets)
    _check_groups(request, datasets)
    check_cost_fields(request, None)
    read_costs_of_learners(request)
    check_target_sample(request, datasets)
    options = request.build_probabilities()
    refuse_beside_seeds(
        request.seeds,
        metrics=request.metrics,
        calibration=request.calibration,
        probabilities=options,
    )
    checked = check_scheme_request(request, datasets, request.metrics)
    refuse_beside_seeds(request.seeds, variances=request.refit_methods)
    if options is not None:
        check_learners_for_probabilities(
            request.known_task, checked.learners, checked.scheme.block_kind
        )
    checked.check_work(request.seeds)


def _check_groups(request: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse groups that are not columns, and inline ones of another length."""
    if request.dataset is not None and request.columns is not None:
        named = list_named_columns(request.columns, ("groups",))
        require_columns(datasets[request.dataset], named)
        check_named_groups(request, request.columns.groups, ("columns", "groups"))
        return
    groups = None if request.data is None else request.data.groups
    check_named_groups(request, None if groups is None else list(groups), ("data", "groups"))
    read_groups(request, datasets)


def read_groups(
    request: CrossValidationRequest, datasets: Mapping[UUID, DatasetFile]
) -> GroupsOfTable | None:
    """Return the groups of all rows of the request or file."""
    if request.dataset is not None and request.columns is not None:
        file = datasets[request.dataset]
        return read_group_columns(file, request.columns, request.group_by, file.rows, None)
    if request.data is None:
        return None
    groups, n = request.data.groups, len(request.data.y)
    return read_inline_groups(groups, request.group_by, n, None, ("data", "groups"))


def read_costs_of_learners(request: CrossValidationRequest) -> CostsOfTable | None:
    """Return what the learners cost; None if the request does not say."""
    names = list(request.learners)
    return read_costs(request.cost, request.cost_unit, names, 0, without_rows="learners")


@lru_cache(maxsize=1)
def build_plan(job: Job[CrossValidationRequest]) -> CrossValidationPlan:
    """Build the plan of a job; the last plan is cached for the next chunk of the same job."""
    job = set_task_of_job(job)
    data = read_data(job.request, job.datasets)
    importance = estimate_importance(job, data) if job.request.weighted_fit else None
    return build_scheme_plan(
        CrossValidationPlan, job, add_fit_weights(data, importance), fit_importance=importance
    )

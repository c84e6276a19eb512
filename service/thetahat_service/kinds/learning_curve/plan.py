"""The plan of a learning curve: learners under a scheme, at growing training sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final
from uuid import UUID

from thetahat.analyses.learning_curve.growth import GrowBy, Growth
from thetahat.analyses.learning_curve.sizes import format_size
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.schemes.base import Rows, Scheme
from thetahat_service.kinds.base import DatasetFile, Job
from thetahat_service.kinds.fields.data import (
    build_role_path,
    check_data_fields,
    has_role,
    read_data,
)
from thetahat_service.kinds.fields.metrics import Metrics, parse_metrics
from thetahat_service.kinds.fitting.bundles import Bundle, bundle_learners
from thetahat_service.kinds.fitting.open_task import set_task_of_job
from thetahat_service.kinds.fitting.refits import MOST_FITS, MOST_LOSSES, is_refit_stage
from thetahat_service.kinds.fitting.scheme_plan import (
    SchemePlan,
    build_scheme_plan,
    check_scheme_request,
)
from thetahat_service.kinds.learning_curve.request import LearningCurveRequest

LONGEST_PART: Final = 120
"""Largest number of characters in the name of a part of the progress."""
_STAGE: Final = "size "


@dataclass(frozen=True, eq=False, kw_only=True)
class LearningCurvePlan(SchemePlan[LearningCurveRequest]):
    """The plan of one job."""

    @cached_property
    def growth(self) -> Growth:
        """How training parts are reduced to the sizes."""
        return self.request.build_growth(self.scheme)

    @cached_property
    def metrics(self) -> Metrics:
        """The metrics at every size."""
        return parse_metrics(self.request.metrics)

    @property
    def labels(self) -> list[str]:
        """The names of the sizes."""
        return [format_size(size) for size in self.growth.sizes]

    @cached_property
    def bundles(self) -> tuple[Bundle, ...]:
        """All learners, in bundles whose outcomes at all sizes fit into memory together."""
        return bundle_learners(self.learners, self.data, len(self.growth.sizes) * self.n_tests)

    @property
    def n_cells(self) -> int:
        """About the number of values of the data that are read over all fits."""
        n_sizes, n_extra = len(self.growth.sizes), sum(self.refits.n_splits)
        return sum(
            n_sizes * bundle.count_cells(self.data, self.n_splits)
            + bundle.count_cells(self.data, n_extra)
            for bundle in self.bundles
        )

    def name_stages(self, bundle: Bundle) -> list[str]:
        """Return a stage for each size; extra fits are of the largest."""
        del bundle
        return [f"{_STAGE}{at}" for at in range(len(self.growth.sizes))]

    def build_part_name(self, bundle: Bundle, stage: str) -> str:
        """Return the name of the learners at one size, which is a part that fails alone.

        If the name is too long, the number of the first learner takes its place.
        """
        labels = self.labels
        label = labels[-1 if is_refit_stage(stage) else read_size_number(stage)]
        name = add_size_to_name(bundle.part, label)
        if len(name) <= LONGEST_PART:
            return name
        return add_size_to_name(str(list(self.learners).index(bundle.names[0])), label)


def read_size_number(stage: str) -> int:
    """Return the number of the size from the name of its stage."""
    return int(stage.removeprefix(_STAGE))


def add_size_to_name(name: str, label: str) -> str:
    """Return the name of a learner at one size, as parts and columns have it."""
    return f"{name} @ {label}"


@lru_cache(maxsize=1)
def build_plan(job: Job[LearningCurveRequest]) -> LearningCurvePlan:
    """Build the plan of a job; the last plan is cached for the next chunk of the same job."""
    job = set_task_of_job(job)
    plan = build_scheme_plan(LearningCurvePlan, job, read_data(job.request, job.datasets))
    _check_sizes(job.request, plan.scheme, plan.growth, plan.rows)
    return plan


def check_request(request: LearningCurveRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Check a request; no learner is fitted and no data set is opened."""
    check_data_fields(request, datasets)
    checked = check_scheme_request(request, datasets, request.metrics)
    growth = request.build_growth(checked.scheme)
    checked.check_work(len(growth.sizes))
    _check_growth_columns(request, growth)
    _check_refits(request, growth)
    if request.dataset is None:
        _check_sizes(request, checked.scheme, growth, checked.rows)
    elif not checked.scheme.requires and growth.grow_by == "instance":
        unread = replace(growth, stratified=False)  # needs no classes, and has the same sizes
        _check_sizes(request, checked.scheme, unread, checked.rows)


def _check_sizes(request: LearningCurveRequest, scheme: Scheme, growth: Growth, rows: Rows) -> None:
    """Refuse too many fits or losses, and sizes that the first training part cannot have."""
    n_splits, n_learners = scheme.n_splits(rows), len(request.learners)
    n_fits = n_splits * len(growth.sizes) * n_learners
    if n_fits > MOST_FITS:
        raise InvalidParameter(
            f"{n_learners} learners at {len(growth.sizes)} sizes under {n_splits} splits need "
            f"{n_fits} fits, more than the limit of {MOST_FITS}. Ask for fewer sizes or splits.",
            loc=("sizes",),
            value=n_fits,
        )
    first = next(scheme.splits(rows, 0, stop=1))
    n_losses = n_fits * len(first.test)
    if n_losses > MOST_LOSSES:
        raise InvalidParameter(
            f"The curves would have {n_losses} losses, more than the limit of {MOST_LOSSES}. Ask "
            "for fewer sizes or splits, or for smaller test parts.",
            loc=("sizes",),
            value=n_losses,
        )
    growth.reduce_split(first, rows, 0, 0)


def _check_growth_columns(request: LearningCurveRequest, growth: Growth) -> None:
    """Refuse a way to grow that needs a column which the request does not name."""
    roles: dict[GrowBy, tuple[str, ...]] = {"source": ("source", "fold"), "time": ("time",)}
    possible_roles = roles.get(growth.grow_by, ())
    if possible_roles and not any(has_role(request, role) for role in possible_roles):
        path = ".".join(map(str, build_role_path(request, possible_roles[0])))
        raise InvalidParameter(
            f"A curve that grows by {growth.grow_by} needs the {possible_roles[0]} of each row. "
            f"Name it in {path}, or set grow_by to 'instance'.",
            loc=("grow_by",),
            value=growth.grow_by,
        )


def _check_refits(request: LearningCurveRequest, growth: Growth) -> None:
    """Refuse methods that fit learners again unless the last size is the whole training part."""
    methods = request.refit_methods
    if methods and growth.sizes[-1] != 1:
        first = methods[0]
        raise UnsupportedCombination(
            f"The method {first.name} is about learners with the whole training part, and the "
            f"largest size is {format_size(growth.sizes[-1])}. End the sizes with 1, or leave "
            f"{first.name} out.",
            loc=(first.field, first.index),
            value=first.name,
        )

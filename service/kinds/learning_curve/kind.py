"""Kind ``learning_curve``: learners fitted to growing training parts under one scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from service.kinds.base import (
    Arrays,
    Chunk,
    ChunkOutput,
    Chunks,
    DatasetFile,
    Finished,
    Job,
    JobKind,
    run_chunks,
)
from service.kinds.cross_validation.plan import check_plan, plan_of, scheme_of
from service.kinds.fields.data import check_data_fields, read_data
from service.kinds.fields.learners import LearnersRequest
from service.kinds.fields.method_names import Method
from service.kinds.fields.metrics import Metrics, parse_metrics
from service.kinds.fitting.metrics import check_learners
from service.kinds.learning_curve.result import finish
from service.kinds.learning_curve.run import (
    bundled,
    fits_of,
    name_of,
    parts_of,
    run_part,
    work_of,
)
from thetahat.analyses.learning_curve import Growth, check_sizes, growth_of, label_of
from thetahat.cross_validation import rows_of
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.schemes.base import Rows, Scheme

SMALL = 3_000_000
"""Values looked at, over all splits, sizes and learners, below which one unit does it all."""
MOST_FITS = 50_000
"""Of one curve: learners x sizes x splits."""
MOST_LOSSES = 50_000_000
"""That these fits may give; the predictions are as many."""
DEFAULT_SIZES = (0.125, 0.25, 0.5, 0.75, 1.0)


class LearningCurveRequest(LearnersRequest):
    """A cross-validation's fields, and the sizes of the training parts."""

    fits_learners: ClassVar[bool] = True

    kind: Literal["learning_curve"] = "learning_curve"
    sizes: list[float] = Field(
        default_factory=lambda: list(DEFAULT_SIZES),
        description="Growing: shares of a training part (1 is all of it), or whole numbers of "
        "rows (of sources, where they grow by source) from 2.",
    )
    grow_by: Literal["instance", "source", "time"] | None = Field(
        None,
        description="What a larger part has more of. Left out: whole sources where blocks are "
        "sources, older rows in a time series, else rows at random.",
    )
    stratified: bool | None = Field(
        None,
        strict=True,
        description="Whether smaller parts keep the class shares. Left out: where they can.",
    )

    metrics: list[Method] = Field(
        default_factory=list,
        max_length=50,
        description="At every size, beside the loss: roc_auc, f1, ...",
    )

    def built_metrics(self) -> Metrics:
        """Return the metrics, their parameters checked."""
        return parse_metrics(self.metrics)

    def growth(self, scheme: Scheme) -> Growth:
        """Return how training parts grow, checked."""
        return growth_of(
            check_sizes(self.sizes),
            scheme,
            self.task,
            grow_by=self.grow_by,
            stratified=self.stratified,
        )


class LearningCurve(JobKind[LearningCurveRequest]):
    """Splits x sizes x learners, spread over the workers."""

    name: ClassVar[str] = "learning_curve"
    title: ClassVar[str] = "Risk against training size"
    request = LearningCurveRequest
    has_partial_results: ClassVar[bool] = True

    def check(self, request: LearningCurveRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse what can be seen to be wrong without fitting anything."""
        given = request
        check_data_fields(given, datasets)
        check_plan(given, datasets)
        check_learners(given.built_metrics(), given, datasets)
        scheme = scheme_of(given)
        growth = given.growth(scheme)
        check_refits(given, growth)
        if given.dataset is None:
            check_curve(given, scheme, growth, rows_of(read_data(given, datasets)))
        elif not scheme.requires and growth.grow_by == "instance":
            unread = replace(growth, stratified=False)  # classes change no size
            check_curve(given, scheme, unread, Rows(n=datasets[given.dataset].rows))

    def start(self, job: Job[LearningCurveRequest]) -> Finished | Chunks:
        """Cut the splits of each learner and size into chunks, or do a small curve at once."""
        given = job.request
        plan = plan_of(job, given)
        growth = given.growth(plan.scheme)
        check_curve(given, plan.scheme, growth, plan.rows)
        if work_of(plan, growth) <= SMALL and plan.all_own:
            whole = [Chunk(part) for part in parts_of(plan, growth, whole=True)]
            outputs = run_chunks(self, job, whole)
            return finish(job.seed, given, plan, growth, bundled(plan, growth, outputs))
        chunks = [
            Chunk(part, size=fits_of(part, plan, growth), part=name_of(part, plan, growth))
            for part in parts_of(plan, growth)
        ]
        return Chunks(chunks, unit="fits")

    def run(self, job: Job[LearningCurveRequest], payload: dict[str, Any]) -> Arrays:
        """Fit and test one learner at one size on some of the splits."""
        given = job.request
        plan = plan_of(job, given)
        growth, metrics = given.growth(plan.scheme), given.built_metrics()
        return run_part(plan, growth, metrics, job.seed, payload)

    def gather(self, job: Job[LearningCurveRequest], outputs: Sequence[ChunkOutput]) -> Finished:
        """Draw the curves of the learners at the sizes that have outputs."""
        given = job.request
        plan = plan_of(job, given)
        growth = given.growth(plan.scheme)
        return finish(job.seed, given, plan, growth, bundled(plan, growth, outputs))


def check_curve(given: LearningCurveRequest, scheme: Scheme, growth: Growth, rows: Rows) -> None:
    """Refuse sizes that the first training part cannot have, and too many fits."""
    n_splits = scheme.n_splits(rows)
    fits = n_splits * len(growth.sizes) * len(given.learners)
    if fits > MOST_FITS:
        raise InvalidParameter(
            f"{len(given.learners)} learners at {len(growth.sizes)} sizes under {n_splits} splits "
            f"make {fits} fits, and {MOST_FITS} is the most; ask for fewer sizes or splits",
            loc=("sizes",),
            value=fits,
        )
    first = next(scheme.splits(rows, 0, stop=1))
    n_losses = fits * len(first.test)
    if n_losses > MOST_LOSSES:
        raise InvalidParameter(
            f"the curves would have {n_losses} losses, and {MOST_LOSSES} is the most; ask for "
            "fewer sizes or splits, or for smaller test parts",
            loc=("sizes",),
            value=n_losses,
        )
    growth.part(first, rows, 0, 0)


def check_refits(given: LearningCurveRequest, growth: Growth) -> None:
    """Refuse methods that fit learners again where the curve ends before the whole part."""
    asked = given.refit_methods
    if asked and growth.sizes[-1] != 1:
        first = asked[0]
        raise UnsupportedCombination(
            f"{first.name} fits the learner again on parts of all rows, and speaks of a learner "
            f"with all of its training part; the largest size here is "
            f"{label_of(growth.sizes[-1])}, so end the sizes with 1, or leave it out",
            loc=(first.field, first.index),
            value=first.name,
        )


KIND = LearningCurve()

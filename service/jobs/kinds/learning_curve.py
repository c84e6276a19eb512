"""Kind ``learning_curve``: learners fitted to growing training parts under one scheme."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, Literal
from uuid import UUID

import numpy as np
from pydantic import Field

from service.jobs.kinds._cross_validation_plan import Plan, check_plan, plan_of, scheme_of
from service.jobs.kinds._curve_output import finish, key_of
from service.jobs.kinds._data_input import check_data_fields, data_from
from service.jobs.kinds._learner_metrics import check_given, check_learners
from service.jobs.kinds._learners_input import LearnersRequest
from service.jobs.kinds._learners_told import as_arrays
from service.jobs.kinds._methods import Method
from service.jobs.kinds._metrics import Metrics, metrics_of
from service.jobs.kinds._refits import run_extra
from service.jobs.kinds.base import Chunk, Chunks, DatasetFile, Finished, Job
from service.jobs.parts import failed_arrays
from service.schemas.base import EvaluationRequest
from thetahat.curves import Growth, check_sizes, grown, growth_of, label_of
from thetahat.errors import EvaluationError, InvalidParameter, UnsupportedCombination
from thetahat.resampling import Group, cells, is_fast, pack, rows_of, run_splits
from thetahat.schemes.base import Rows, Scheme, Split

SMALL = 3_000_000
"""Values looked at, over all splits, sizes and learners, below which one unit does it all."""
WORTH_A_PART = 300_000
"""Values looked at that are worth another pass over all rows, by another worker."""
MOST_CHUNKS = 64
MOST_FITS = 50_000
"""Of one curve: learners x sizes x splits."""
MOST_LOSSES = 50_000_000
"""That these fits may give; the predictions are as many."""
SCORES = ("scores", "probabilities")
"""Of what is kept of predictions, what metrics alone look at."""
LONGEST_PART = 120
"""Characters of what is kept as the name of a part."""
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
        return metrics_of(self.metrics)

    def growth(self, scheme: Scheme) -> Growth:
        """Return how training parts grow, checked."""
        return growth_of(
            check_sizes(self.sizes),
            scheme,
            self.task,
            grow_by=self.grow_by,
            stratified=self.stratified,
        )


class LearningCurve:
    """Splits x sizes x learners, spread over the workers."""

    name: ClassVar[str] = "learning_curve"
    title: ClassVar[str] = "Risk against training size"
    request: ClassVar[type[LearningCurveRequest]] = LearningCurveRequest

    def check(self, request: EvaluationRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse what can be seen to be wrong without fitting anything."""
        given = _narrow(request)
        check_data_fields(given, datasets)
        check_plan(given, datasets)
        check_learners(given.built_metrics(), given, datasets)
        scheme = scheme_of(given)
        growth = given.growth(scheme)
        check_refits(given, growth)
        if given.dataset is None:
            check_curve(given, scheme, growth, rows_of(data_from(given, datasets)))
        elif not scheme.requires and growth.grow_by == "instance":
            unread = replace(growth, stratified=False)  # classes change no size
            check_curve(given, scheme, unread, Rows(n=datasets[given.dataset].rows))

    def start(self, job: Job) -> Finished | Chunks:
        """Cut the splits of each learner and size into chunks, or do a small curve at once."""
        given = _narrow(job.request)
        plan = plan_of(job, given)
        growth = given.growth(plan.scheme)
        check_curve(given, plan.scheme, growth, plan.rows)
        if _work(plan, growth) <= SMALL and plan.all_own:
            parts = _parts(plan, growth, whole=True)
            metrics = given.built_metrics()
            outputs = [_run(plan, growth, metrics, job.seed, part) for part in parts]
            return finish(job.seed, given, plan, growth, parts, outputs)
        chunks = [
            Chunk(part, size=part["stop"] - part["start"], part=_part_of(part, plan, growth))
            for part in _parts(plan, growth)
        ]
        return Chunks(chunks, unit="fits")

    def run(self, job: Job, payload: dict[str, Any]) -> dict[str, np.ndarray]:
        """Fit and test one learner at one size on some of the splits."""
        given = _narrow(job.request)
        plan = plan_of(job, given)
        growth, metrics = given.growth(plan.scheme), given.built_metrics()
        return _run(plan, growth, metrics, job.seed, payload)

    def gather(self, job: Job, outputs: Sequence[dict[str, np.ndarray]]) -> Finished:
        """Put the losses together and draw the curves."""
        given = _narrow(job.request)
        plan = plan_of(job, given)
        growth = given.growth(plan.scheme)
        return finish(job.seed, given, plan, growth, _parts(plan, growth), outputs)

    def gather_some(
        self, job: Job, learners: Collection[str], outputs: Sequence[dict[str, np.ndarray]]
    ) -> Finished:
        """Draw what is complete: ``learners`` are the learners at a size, as the parts name them.

        The cut is that of all learners.
        """
        given = _narrow(job.request)
        plan = plan_of(job, given)
        growth = given.growth(plan.scheme)
        parts = [part for part in _parts(plan, growth) if _part_of(part, plan, growth) in learners]
        return finish(job.seed, given, plan, growth, parts, outputs)


def _narrow(request: EvaluationRequest) -> LearningCurveRequest:
    assert isinstance(request, LearningCurveRequest)  # noqa: S101 - the registry pairs them
    return request


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
    asked = given.refits()
    if asked and growth.sizes[-1] != 1:
        first = asked[0]
        raise UnsupportedCombination(
            f"{first.name} fits the learner again on parts of all rows, and speaks of a learner "
            f"with all of its training part; the largest size here is "
            f"{label_of(growth.sizes[-1])}, so end the sizes with 1, or leave it out",
            loc=(first.field, first.index),
            value=first.name,
        )


def _parts(plan: Plan, growth: Growth, *, whole: bool = False) -> list[dict[str, Any]]:
    """Return what each part of the work is; a function of the request alone.

    A part is some of the splits for one learner at one size, or some of the extra fits of a design
    at the largest. A learner that goes over all rows once, and not once per split, is cut into no
    more parts than are worth another such pass.
    """
    found: list[dict[str, Any]] = []
    n_sizes = len(growth.sizes)
    most = 1 if whole else max(1, MOST_CHUNKS // (len(plan.learners) * n_sizes))
    for name, learner in plan.learners.items():
        parts = min(plan.n_splits, most)
        if is_fast(learner):
            worth = cells(learner, plan.data, plan.n_splits) // WORTH_A_PART
            parts = min(parts, max(1, worth))
        edges = [plan.n_splits * i // parts for i in range(parts + 1)]
        found += [
            {"learner": name, "size": size, "start": start, "stop": stop}
            for size in range(n_sizes)
            for start, stop in pairwise(edges)
        ]
        found += [
            {"learner": name, "size": n_sizes - 1, "start": a, "stop": b, "design": design}
            for design, a, b in plan.extra.cuts(1 if whole else MOST_CHUNKS // len(plan.learners))
        ]
    return found


def _work(plan: Plan, growth: Growth) -> int:
    """Return how much there is to do, about, in values of the data looked at once."""
    extra = sum(plan.extra.n_splits)
    return sum(
        len(growth.sizes) * cells(learner, plan.data, plan.n_splits)
        + cells(learner, plan.data, extra)
        for learner in plan.learners.values()
    )


def _part_of(part: Mapping[str, Any], plan: Plan, growth: Growth) -> str:
    """Return what fails alone: a learner at one size; by its number where its name is long."""
    name, label = part["learner"], label_of(growth.sizes[part["size"]])
    key = key_of(name, label)
    return key if len(key) <= LONGEST_PART else key_of(str(list(plan.learners).index(name)), label)


def _run(
    plan: Plan, growth: Growth, metrics: Metrics, seed: int, part: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """Return what one part gave, or what it failed with."""
    name, size = part["learner"], part["size"]
    whole: list[int] = []
    try:
        if "design" in part:
            alone = Group((name,), (plan.learners[name],))
            return as_arrays(run_extra(plan, seed, alone, part))
        splits = plan.scheme.splits(plan.rows, seed, start=part["start"], stop=part["stop"])
        smaller = grown(_noting(splits, whole), growth, plan.rows, seed, size)
        outcomes = run_splits(
            name, plan.learners[name], plan.data, smaller, plan.loss, seed, keep_predictions=True
        )
        check_given(metrics, outcomes, plan.data, name)
    except EvaluationError as error:
        return failed_arrays(error.code, error.message, ("learners", name))
    arrays = pack(outcomes)
    if not any(entry.method.uses == "scores" for entry in metrics):
        arrays = {key: values for key, values in arrays.items() if key not in SCORES}
    return {**arrays, "n_whole": np.array(whole, dtype=np.intp)}


def _noting(splits: Iterator[Split], sizes: list[int]) -> Iterator[Split]:
    """Yield the splits, and note how many rows their whole training parts have."""
    for split in splits:
        sizes.append(split.n_train)
        yield split


METHOD = LearningCurve()

"""Kind ``importance_weighting``: weighted cross-validation over a grid for another population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Final
from uuid import UUID

from service.jobs.parts import failed_arrays
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
from service.kinds.importance_weighting.gather import finish, pack
from service.kinds.importance_weighting.plan import ImportanceWeightingPlan, build_plan, check_plan
from service.kinds.importance_weighting.request import ImportanceWeightingRequest
from service.kinds.importance_weighting.result import ImportanceWeightingResult
from thetahat.analyses.importance_weighting import LearnerWithGrid, losses_on_fold, losses_on_target
from thetahat.cross_validation import cells
from thetahat.errors import EvaluationError

SMALL: Final = 5_000_000
"""Values looked at, over all fits, below which one unit does it all."""
MOST_CHUNKS: Final = 64
"""Per evaluation, about: enough to keep many workers busy, few enough to store."""
TARGET: Final = -1
"""In the place of a fold: the fits on the whole source."""


class ImportanceWeighting(JobKind[ImportanceWeightingRequest]):
    """Folds x learners x values of their grids, spread over the workers."""

    name: ClassVar[str] = "importance_weighting"
    title: ClassVar[str] = "Selection for another population"
    request = ImportanceWeightingRequest
    result = ImportanceWeightingResult
    has_partial_results: ClassVar[bool] = True

    def check(
        self, request: ImportanceWeightingRequest, datasets: Mapping[UUID, DatasetFile]
    ) -> None:
        """Refuse what can be seen to be wrong without fitting anything."""
        check_plan(request, datasets)

    def start(self, job: Job[ImportanceWeightingRequest]) -> Finished | Chunks:
        """Cut the fits of each learner into chunks, or do a small evaluation at once."""
        plan = build_plan(job)
        if plan.all_own and _work(plan) <= SMALL:
            chunks = [Chunk(part) for part in _parts(plan, whole=True)]
            return finish(plan, run_chunks(self, job, chunks))
        chunks = [
            Chunk(part, size=part["stop"] - part["start"], part=part["learner"])
            for part in _parts(plan)
        ]
        return Chunks(chunks, unit="fits")

    def run(self, job: Job[ImportanceWeightingRequest], payload: dict[str, Any]) -> Arrays:
        """Fit and test one learner at some values of its grid, on one fold or on the target."""
        return _run(build_plan(job), payload)

    def gather(
        self, job: Job[ImportanceWeightingRequest], outputs: Sequence[ChunkOutput]
    ) -> Finished:
        """Estimate the risks and choose among the learners that have outputs."""
        plan = build_plan(job)
        there = {one.payload["learner"] for one in outputs}
        some = {name: one for name, one in plan.candidates.items() if name in there}
        return finish(plan.with_candidates(some), outputs)


def _parts(plan: ImportanceWeightingPlan, *, whole: bool = False) -> list[dict[str, Any]]:
    """Return what each part of the work is; a function of the request alone.

    A part is one learner at a stretch of its grid, on one fold or, with labels, on the target. A
    learner whose grid is one decomposition has all of it in one part.
    """
    places = [*range(plan.shift.n_folds), *([] if plan.shift.target_y is None else [TARGET])]
    most = max(1, MOST_CHUNKS // (len(plan.candidates) * len(places)))
    return [
        {"learner": name, "fold": fold, "start": start, "stop": stop}
        for name, candidate in plan.candidates.items()
        for fold in places
        for start, stop in _stretches(candidate, 1 if whole else most)
    ]


def _stretches(candidate: LearnerWithGrid, most: int) -> list[tuple[int, int]]:
    parts = 1 if candidate.ridge_path() is not None else min(candidate.size, most)
    return list(pairwise([candidate.size * i // parts for i in range(parts + 1)]))


def _work(plan: ImportanceWeightingPlan) -> int:
    """Return how much there is to do, about, in values of the data looked at once."""
    shift, total = plan.shift, 0
    width = shift.source.features.width
    for candidate in plan.candidates.values():
        n_fits = shift.n_folds + (shift.target_y is not None)
        if candidate.ridge_path() is not None:
            once = n_fits * shift.n * width * min(width, shift.n)
            total += once + candidate.size * (shift.n + shift.m) * (width + 20)
        else:
            total += sum(cells(one, shift.source, n_fits) for one in candidate.learners)
            total += candidate.size * shift.m * width
    return total


def _run(plan: ImportanceWeightingPlan, part: Mapping[str, Any]) -> Arrays:
    """Return what one part gave, or what it failed with."""
    name, fold = part["learner"], part["fold"]
    cut = {"start": part["start"], "stop": part["stop"]}
    candidate = plan.candidates[name]
    common = (candidate, plan.shift, plan.loss)
    try:
        if fold == TARGET:
            assessed = losses_on_target(*common, plan.of_refit(), plan.seed, **cut)
        else:
            assessed = losses_on_fold(*common, plan.of_fit(fold), fold, plan.seed, **cut)
    except EvaluationError as error:
        return failed_arrays(error.code, error.message, plan.given.wires()[name][1])
    return pack(assessed)


KIND = ImportanceWeighting()

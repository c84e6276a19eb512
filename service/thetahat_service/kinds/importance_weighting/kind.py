"""Kind ``importance_weighting``: weighted cross-validation over a grid for another population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import ClassVar, Final

from thetahat.analyses.importance_weighting.candidates import LearnerWithGrid
from thetahat.analyses.importance_weighting.fits import compute_fold_losses, compute_target_losses
from thetahat.cross_validation import estimate_cells
from thetahat.errors import EvaluationError
from thetahat_service.json_types import Payload
from thetahat_service.kinds.base import (
    Arrays,
    Chunk,
    ChunkOutput,
    Chunks,
    Finished,
    Job,
    JobKind,
    read_payload,
    run_chunks,
)
from thetahat_service.kinds.importance_weighting.gather import GridPart, finish, pack
from thetahat_service.kinds.importance_weighting.plan import (
    ImportanceWeightingPlan,
    build_plan,
    check_plan,
)
from thetahat_service.kinds.importance_weighting.request import ImportanceWeightingRequest
from thetahat_service.kinds.importance_weighting.result import ImportanceWeightingResult
from thetahat_service.outcomes.failure_arrays import encode_failure

SMALL: Final = 5_000_000
"""Values read over all fits up to which one unit of work does the whole evaluation."""
MOST_CHUNKS: Final = 64
"""About the number of chunks of an evaluation: enough for many workers, few enough to store."""
TARGET: Final = -1
"""The ``fold`` of a part for the fits on the whole source, which are tested on the target."""


class ImportanceWeighting(JobKind[ImportanceWeightingRequest]):
    """Fits for every fold, learner and value of its grid, spread over the workers."""

    name: ClassVar[str] = "importance_weighting"
    title: ClassVar[str] = "Selection for another population"
    request = ImportanceWeightingRequest
    result = ImportanceWeightingResult
    has_partial_results: ClassVar[bool] = True
    check = staticmethod(check_plan)

    def start(self, job: Job[ImportanceWeightingRequest]) -> Finished | Chunks:
        """Cut the fits of each learner into chunks, or compute a small evaluation at once."""
        plan = build_plan(job)
        if plan.all_own and _estimate_work(plan) <= SMALL:
            chunks = [Chunk(asdict(part)) for part in _list_parts(plan, whole=True)]
            return finish(plan, run_chunks(self, job, chunks))
        chunks = [
            Chunk(asdict(part), size=part.stop - part.start, part=part.learner)
            for part in _list_parts(plan)
        ]
        return Chunks(chunks, unit="fits")

    def run(self, job: Job[ImportanceWeightingRequest], payload: Payload) -> Arrays:
        """Fit and test one learner at some values of its grid, on one fold or on the target."""
        return _run_part(build_plan(job), read_payload(GridPart, payload))

    def gather(
        self, job: Job[ImportanceWeightingRequest], outputs: Sequence[ChunkOutput]
    ) -> Finished:
        """Estimate the risks and choose among the learners that have outputs."""
        plan = build_plan(job)
        learners = {read_payload(GridPart, output.payload).learner for output in outputs}
        candidates = {name: c for name, c in plan.candidates.items() if name in learners}
        return finish(plan.select_candidates(candidates), outputs)


def _list_parts(plan: ImportanceWeightingPlan, *, whole: bool = False) -> list[GridPart]:
    """Return the parts of the work, which depend on the request alone.

    A part is one learner at consecutive values of its grid, on one fold or on a target with
    labels. A learner that computes its whole grid from one decomposition is a single part.
    """
    folds = [*range(plan.shift.n_folds), *([] if plan.shift.target_y is None else [TARGET])]
    max_parts = max(1, MOST_CHUNKS // (len(plan.candidates) * len(folds)))
    return [
        GridPart(learner=name, fold=fold, start=start, stop=stop)
        for name, candidate in plan.candidates.items()
        for fold in folds
        for start, stop in _cut_grid(candidate, 1 if whole else max_parts)
    ]


def _cut_grid(candidate: LearnerWithGrid, max_parts: int) -> list[tuple[int, int]]:
    parts = 1 if candidate.get_ridge_path() is not None else min(candidate.size, max_parts)
    return list(pairwise([candidate.size * i // parts for i in range(parts + 1)]))


def _estimate_work(plan: ImportanceWeightingPlan) -> int:
    """Return about how many values of the data are read over all fits."""
    shift, total = plan.shift, 0
    width = shift.source.features.width
    for candidate in plan.candidates.values():
        n_fits = shift.n_folds + (shift.target_y is not None)
        if candidate.get_ridge_path() is not None:
            once = n_fits * shift.n * width * min(width, shift.n)
            total += once + candidate.size * (shift.n + shift.m) * (width + 20)
        else:
            total += sum(
                estimate_cells(learner, shift.source, n_fits) for learner in candidate.learners
            )
            total += candidate.size * shift.m * width
    return total


def _run_part(plan: ImportanceWeightingPlan, part: GridPart) -> Arrays:
    """Return the losses of one part, or its failure, as arrays."""
    name, fold = part.learner, part.fold
    candidate = plan.candidates[name]
    common = (candidate, plan.shift, plan.loss)
    try:
        if fold == TARGET:
            grid_losses = compute_target_losses(
                *common, plan.refit_weights(), plan.seed, start=part.start, stop=part.stop
            )
        else:
            grid_losses = compute_fold_losses(
                *common, plan.fit_weights(fold), fold, plan.seed, start=part.start, stop=part.stop
            )
    except EvaluationError as error:
        return encode_failure(
            error.code, error.message, plan.request.list_learner_entries()[name][1]
        )
    return pack(grid_losses)


KIND = ImportanceWeighting()

"""Kind ``selection``: internal estimation chooses a learner, external estimation assesses it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, Literal
from uuid import UUID

import numpy as np
from pydantic import Field

from service.jobs.kinds._data_input import check_data_fields
from service.jobs.kinds._learners_input import FitsRequest
from service.jobs.kinds._methods import Method
from service.jobs.kinds._selection_output import finish, packed
from service.jobs.kinds._selection_plan import Plan, check_selection, plan_of
from service.jobs.kinds.base import Chunk, Chunks, DatasetFile, Finished, Job
from service.jobs.parts import failed_arrays
from service.schemas.base import EvaluationRequest
from thetahat.errors import EvaluationError
from thetahat.resampling import SplitOutcome, pack, run_splits
from thetahat.schemes.base import Split
from thetahat.selecting import internal_estimate, internal_seed, internal_splits, seed_on_all
from thetahat.types import Caution

SMALL = 3_000_000
"""Cells (fits x rows x columns) below which one unit does it all."""
MOST_CHUNKS = 64


class SelectionRequest(FitsRequest):
    """Data, candidates, and the schemes that choose and assess."""

    kind: Literal["selection"] = "selection"
    candidates: dict[str, str | dict[str, Any]] = Field(
        min_length=1,
        max_length=200,
        description="Learners by the name each has in the result; of equal ones the first wins.",
        examples=[{"weak": {"name": "ridge", "params": {"penalty": 0.1}}, "mean": "mean"}],
    )
    internal: Method | None = Field(
        None, description="The scheme that chooses; left out where external brings its own."
    )
    external: Method | None = Field(
        None,
        description="The scheme that assesses what is chosen; nested and three_way bring their "
        "internal one. Left out: nothing is assessed.",
    )
    rule: Literal["least", "one_standard_error"] = Field(
        "least",
        description="one_standard_error: the first candidate within one standard error of the "
        "least; list the simplest first.",
    )
    compare: bool = Field(
        False,
        strict=True,
        description="Whether every candidate is evaluated beside what is selected.",
    )


class Selection:
    """Candidates x external splits x internal splits, spread over the workers."""

    name: ClassVar[str] = "selection"
    title: ClassVar[str] = "Selection among learners"
    request: ClassVar[type[SelectionRequest]] = SelectionRequest

    def check(self, request: EvaluationRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Refuse what can be seen to be wrong without fitting anything."""
        given = _narrow(request)
        check_data_fields(given, datasets)
        check_selection(given, datasets)

    def start(self, job: Job) -> Finished | Chunks:
        """Cut the splits of each candidate into chunks, or do a small selection at once."""
        given = _narrow(job.request)
        plan = plan_of(job, given)
        cells = plan.n_fits * max(plan.data.n, plan.data.features.n_stored)
        if cells * len(plan.candidates) <= SMALL and plan.all_own:
            parts = _parts(plan, whole=True)
            return finish(job.seed, given, plan, parts, [_run(plan, job.seed, p) for p in parts])
        chunks = [
            Chunk(part, size=_fits_of(part, plan), part=part["candidate"]) for part in _parts(plan)
        ]
        return Chunks(chunks, unit="fits")

    def run(self, job: Job, payload: dict[str, Any]) -> dict[str, np.ndarray]:
        """Fit and test one candidate inside and outside of some external splits, or on all."""
        return _run(plan_of(job, _narrow(job.request)), job.seed, payload)

    def gather(self, job: Job, outputs: Sequence[dict[str, np.ndarray]]) -> Finished:
        """Choose, and evaluate what was chosen."""
        given = _narrow(job.request)
        plan = plan_of(job, given)
        return finish(job.seed, given, plan, _parts(plan), outputs)

    def gather_some(
        self, job: Job, learners: Collection[str], outputs: Sequence[dict[str, np.ndarray]]
    ) -> Finished:
        """Choose among the candidates that are complete; the cut is that of all of them."""
        given = _narrow(job.request)
        whole = plan_of(job, given)
        some = {name: one for name, one in whole.candidates.items() if name in learners}
        parts = [part for part in _parts(whole) if part["candidate"] in some]
        return finish(job.seed, given, replace(whole, candidates=some), parts, outputs)


def _narrow(request: EvaluationRequest) -> SelectionRequest:
    assert isinstance(request, SelectionRequest)  # noqa: S101 - the registry pairs them
    return request


def _parts(plan: Plan, *, whole: bool = False) -> list[dict[str, Any]]:
    """Return what each part of the work is; a function of the request alone.

    A part is some of the external splits for one candidate, with all that is inside them, or some
    of the internal splits on all rows.
    """
    most = 1 if whole else max(1, MOST_CHUNKS // len(plan.candidates))
    return [
        {"candidate": name, "stage": stage, "start": start, "stop": stop}
        for name in plan.candidates
        for stage, n in (("external", plan.n_external), ("all", plan.n_on_all))
        for start, stop in _cuts(n, most)
    ]


def _cuts(n: int, most: int) -> Iterable[tuple[int, int]]:
    parts = min(n, most)
    return pairwise([n * i // parts for i in range(parts + 1)] if parts else [])


def _fits_of(part: Mapping[str, Any], plan: Plan) -> int:
    splits: int = part["stop"] - part["start"]
    return splits * (plan.n_internal + 1) if part["stage"] == "external" else splits


def _run(plan: Plan, seed: int, part: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return what one part gave, or what it failed with."""
    name, cut = part["candidate"], {"start": part["start"], "stop": part["stop"]}
    schemes = plan.schemes
    try:
        if part["stage"] == "all" or schemes.external is None:
            on_all = seed_on_all(seed)
            splits = schemes.internal.splits(plan.rows, on_all, **cut)
            return pack(_losses(plan, name, splits, on_all))
        estimates, outcomes = [], []
        for split in schemes.external.splits(plan.rows, seed, **cut):
            inside = _inside(plan, name, split, seed)
            estimates.append(internal_estimate([outcome.losses for outcome in inside]))
            (outcome,) = _losses(plan, name, [split], seed)
            outcomes.append(replace(outcome, cautions=(*outcome.cautions, *_warned(inside))))
    except EvaluationError as error:
        return failed_arrays(error.code, error.message, ("candidates", name))
    return packed(outcomes, estimates)


def _losses(plan: Plan, name: str, splits: Iterable[Split], seed: int) -> Sequence[SplitOutcome]:
    return run_splits(name, plan.candidates[name], plan.data, splits, plan.loss, seed)


def _inside(plan: Plan, name: str, split: Split, seed: int) -> Sequence[SplitOutcome]:
    """Return the internal outcomes of one external training part; refusals say which part."""
    splits = list(internal_splits(plan.schemes.internal, plan.rows, split, seed))
    try:
        return _losses(plan, name, splits, internal_seed(seed, split))
    except EvaluationError as error:
        place = f"inside the training part of repeat {split.repeat}, block {split.block}"
        error.message = f"{place}: {error.message}"
        raise


def _warned(inside: Sequence[SplitOutcome]) -> list[Caution]:
    """Return what the learner warned of inside, each sentence once."""
    told = {caution for outcome in inside for caution in outcome.cautions}
    return sorted(
        (Caution(c.code, f"inside a training part: {c.message}") for c in told),
        key=lambda caution: (caution.code, caution.message),
    )


METHOD = Selection()

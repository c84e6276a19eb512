"""One chunk of a selection: some candidates on some splits, external or of all rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Final

import numpy as np

from thetahat.analyses.metrics.checks import check_scores
from thetahat.analyses.selection.internal_estimates import InternalEstimate
from thetahat.analyses.selection.nested_splits import (
    derive_internal_seed,
    derive_seed_on_all_rows,
    split_training_part,
)
from thetahat.cautions import Caution, list_stored, restore_all, sort_cautions
from thetahat.cross_validation import Group, SplitOutcome, as_outcomes, pack, run_path
from thetahat.errors import EvaluationError
from thetahat.schemes.base import Split
from thetahat_service.kinds.base import Arrays
from thetahat_service.kinds.fitting.engine import ChunkKey, GroupOutputs, apply_unless_failed
from thetahat_service.kinds.selection.plan import EXTERNAL, SelectionPlan

_NOTES: Final = "notes"
"""The array with the JSON text of the notes of the splits."""
FitCounts = Counter[str | None]
"""Numbers of splits by the reason why a candidate was fitted on them; None if it was not."""


@dataclass(slots=True)
class SplitNotes:
    """Warnings of one candidate on some splits, and how the splits were predicted."""

    warnings: list[tuple[Caution, ...]] = field(default_factory=list)
    """Warnings of the candidate on each split, including those inside its training part."""
    fits: FitCounts = field(default_factory=Counter)
    """Numbers of internal and external splits by the reason of the fit."""

    def extend(self, notes: SplitNotes) -> None:
        """Add the notes of further splits."""
        self.warnings += notes.warnings
        self.fits += notes.fits

    def pack(self) -> Arrays:
        """Return the notes as an array."""
        text = json.dumps(
            {
                "n_splits": len(self.warnings),
                "warnings": [
                    [at, list_stored(cautions)]
                    for at, cautions in enumerate(self.warnings)
                    if cautions
                ],
                "fits": list(self.fits.items()),
            }
        )
        return {_NOTES: np.frombuffer(text.encode(), dtype=np.uint8)}


def unpack_notes(arrays: Mapping[str, np.ndarray]) -> SplitNotes:
    """Return the notes among the arrays of a candidate."""
    fields = json.loads(arrays[_NOTES].tobytes())
    warnings: list[tuple[Caution, ...]] = [()] * fields["n_splits"]
    for at, cautions in fields["warnings"]:
        warnings[at] = restore_all(cautions)
    return SplitNotes(warnings, Counter(dict(fields["fits"])))


@dataclass(slots=True)
class CandidateRun:
    """One candidate on some external splits."""

    outcomes: list[SplitOutcome] = field(default_factory=list)
    """On the external test parts."""
    internal: list[InternalEstimate] = field(default_factory=list)
    """Inside the training parts."""
    notes: SplitNotes = field(default_factory=SplitNotes)
    """The notes of all of these splits."""


@dataclass(frozen=True, slots=True)
class InsideRun:
    """The internal estimate and the warnings of one candidate in one external training part."""

    estimate: InternalEstimate
    warnings: tuple[Caution, ...]
    fits: FitCounts


def run_group(plan: SelectionPlan, group: Group, key: ChunkKey) -> GroupOutputs:
    """Run candidates on some of the external splits, or of the internal splits of all rows."""
    if key.stage == EXTERNAL:
        return _run_external(plan, group, key)
    return _run_on_all_rows(plan, group, key)


def _run_external(plan: SelectionPlan, group: Group, key: ChunkKey) -> GroupOutputs:
    """Run candidates on external test parts, and on the internal splits of the training parts."""
    seed = plan.job.seed
    assert plan.schemes.external is not None  # noqa: S101 - only then is there such a stage
    runs: dict[str, CandidateRun | EvaluationError] = {name: CandidateRun() for name in group.names}
    for split in plan.schemes.external.splits(plan.rows, seed, start=key.start, stop=key.stop):
        inside = _run_inside(plan, group, split)
        outside = run_path(group, plan.data, [split], plan.loss, seed, keep_predictions=True)
        for name, run in runs.items():
            add = partial(_add_split, plan, name, inside[name], outside[name])
            runs[name] = apply_unless_failed(run, add)
    return {
        name: apply_unless_failed(run, partial(_pack_run, plan, name)) for name, run in runs.items()
    }


def _run_inside(
    plan: SelectionPlan, group: Group, split: Split
) -> dict[str, InsideRun | EvaluationError]:
    """Run candidates on the internal splits of one external training part."""
    seed = plan.job.seed
    splits = split_training_part(plan.schemes.internal, plan.rows, split, seed)
    outcomes = run_path(
        group,
        plan.data,
        splits,
        plan.loss,
        derive_internal_seed(seed, split),
        keep_predictions=plan.criterion.needs_predictions,
    )
    place = f"Inside the training part of repeat {split.repeat}, block {split.block}"
    runs: dict[str, InsideRun | EvaluationError] = {}
    for name, outcome in outcomes.items():
        run = apply_unless_failed(outcome, partial(_estimate_inside, plan, name))
        if isinstance(run, EvaluationError):
            run.message = f"{place}: {run.message}"
        runs[name] = run
    return runs


def _estimate_inside(plan: SelectionPlan, name: str, outcomes: Sequence[SplitOutcome]) -> InsideRun:
    estimate = plan.criterion.estimate_internal(outcomes, plan.data, name)
    return InsideRun(estimate, tuple(_iterate_internal_warnings(outcomes)), _count_fits(outcomes))


def _iterate_internal_warnings(outcomes: Sequence[SplitOutcome]) -> Iterator[Caution]:
    """Yield the warnings of a candidate inside a training part, each sentence once."""
    by_split = as_outcomes(outcomes).cautions.values()
    for caution in sort_cautions(chain.from_iterable(by_split)):
        yield caution.with_prefix("Inside a training part")


def _add_split(
    plan: SelectionPlan,
    name: str,
    inside: InsideRun | EvaluationError,
    outside: Sequence[SplitOutcome] | EvaluationError,
    run: CandidateRun,
) -> CandidateRun:
    """Add one external split to the run of a candidate, and return the run."""
    if isinstance(inside, EvaluationError):
        raise inside
    if isinstance(outside, EvaluationError):
        raise outside
    check_scores(plan.metrics, outside, plan.data, name)
    (outcome,) = outside
    run.outcomes.append(outcome)
    run.internal.append(inside.estimate)
    warnings = (*outcome.cautions, *inside.warnings)
    run.notes.extend(SplitNotes([warnings], inside.fits + _count_fits([outcome])))
    return run


def _pack_run(plan: SelectionPlan, name: str, run: CandidateRun) -> Arrays:
    """Return a run as arrays.

    For J external splits they are the packed outcomes; ``criterion`` (J,); ``means`` of all
    internal splits, external split after external split, and their numbers ``n_internal`` (J,);
    ``within``, ``pooled`` and ``pooled_error`` (J,) of the internal estimates.
    """
    estimates = run.internal
    pooled = np.array([estimate.pooled or (np.nan, np.nan) for estimate in estimates])
    return {
        **_pack_rows(plan, run.outcomes),
        **run.notes.pack(),
        "criterion": np.array(plan.criterion.compute_by_split(run.outcomes, plan.data, name)[0]),
        "means": np.concatenate([np.empty(0), *(estimate.means for estimate in estimates)]),
        "n_internal": np.array([len(estimate.means) for estimate in estimates], dtype=np.intp),
        "within": np.array([estimate.within for estimate in estimates]),
        "pooled": pooled[:, 0],
        "pooled_error": pooled[:, 1],
    }


def unpack_estimates(arrays: Mapping[str, np.ndarray]) -> list[InternalEstimate]:
    """Return the internal estimates among the arrays of a run on external splits."""
    means = np.split(arrays["means"], np.cumsum(arrays["n_internal"])[:-1])
    numbers = (arrays[name].tolist() for name in ("within", "pooled", "pooled_error"))
    return [
        InternalEstimate(
            means=means_of_split,
            within=within,
            pooled=None if np.isnan(pooled) else (pooled, error),
        )
        for means_of_split, within, pooled, error in zip(means, *numbers, strict=True)
    ]


def _run_on_all_rows(plan: SelectionPlan, group: Group, key: ChunkKey) -> GroupOutputs:
    """Run candidates on internal splits of all rows."""
    seed = derive_seed_on_all_rows(plan.job.seed)
    splits = plan.schemes.internal.splits(plan.rows, seed, start=key.start, stop=key.stop)
    keep = plan.keeps_rows_on_all or plan.criterion.needs_predictions
    outcomes = run_path(group, plan.data, splits, plan.loss, seed, keep_predictions=keep)
    return {
        name: apply_unless_failed(outcome, partial(_pack_on_all_rows, plan, name))
        for name, outcome in outcomes.items()
    }


def _pack_on_all_rows(plan: SelectionPlan, name: str, outcomes: Sequence[SplitOutcome]) -> Arrays:
    """Return ``means`` (J,) of J internal splits, ``within`` of the first, and rows if needed."""
    means, within = plan.criterion.compute_by_split(outcomes, plan.data, name)
    cautions = as_outcomes(outcomes).cautions
    warnings = [cautions.get(at, ()) for at in range(len(outcomes))]
    return {
        **(_pack_rows(plan, outcomes) if plan.keeps_rows_on_all else {}),
        **SplitNotes(warnings, _count_fits(outcomes)).pack(),
        "means": np.array(means),
        "within": np.array([within]),
    }


def _pack_rows(plan: SelectionPlan, outcomes: Sequence[SplitOutcome]) -> Arrays:
    """Return the outcomes as arrays, with scores if they are needed and without the notes."""
    without_notes = replace(as_outcomes(outcomes), cautions={}, fit_reason={})
    return pack(without_notes, keep_scores=plan.keeps_scores)


def _count_fits(outcomes: Sequence[SplitOutcome]) -> FitCounts:
    """Count the splits by the reason of the fit, as ``SplitOutcome.fit_reason`` has it."""
    counts: FitCounts = Counter(as_outcomes(outcomes).fit_reason.values())
    return counts + Counter({None: len(outcomes) - counts.total()})

"""The outputs of a selection, read chunk by chunk.

First the numbers by which candidates are chosen are read, then the rows of the chosen candidates:
the rows of all candidates are never in memory at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from thetahat.analyses.selection.external_choices import CandidateErrors
from thetahat.analyses.selection.internal_estimates import InternalEstimate
from thetahat.cross_validation import Outcomes, SplitOutcome, join_outcomes, unpack
from thetahat.cross_validation.result import LearnerFailure
from thetahat.errors import EvaluationError
from thetahat.values.types import FloatArray
from thetahat_service.kinds.fitting.engine import ChunkKey, JoinedOutputs
from thetahat_service.kinds.selection.plan import EXTERNAL, ON_ALL_ROWS, SelectionPlan
from thetahat_service.kinds.selection.run import SplitNotes, unpack_estimates, unpack_notes


@dataclass(slots=True)
class SelectionNumbers:
    """The numbers of all candidates by name, without their rows."""

    present: list[str]
    """Candidates that have outputs, in the request's order."""
    failures: dict[str, LearnerFailure] = field(default_factory=dict)
    """Candidates that failed; the other fields do not have them."""
    external: dict[str, CandidateErrors] = field(default_factory=dict)
    """Errors under the external splits; empty without external splits."""
    on_all: dict[str, InternalEstimate] = field(default_factory=dict)
    """Estimates on all rows; empty if the last choice is not made on all rows."""
    notes: dict[str, SplitNotes] = field(default_factory=dict)
    """Warnings, and how splits were predicted."""

    @property
    def ran(self) -> list[str]:
        """Candidates that did not fail, in the request's order."""
        return list(self.notes)


@dataclass(slots=True)
class _CandidateNumbers:
    """The numbers of one candidate, chunk by chunk."""

    internal: list[InternalEstimate] = field(default_factory=list)
    criterion: list[FloatArray] = field(default_factory=list)
    means: list[FloatArray] = field(default_factory=list)
    within: float = float("nan")
    pooled: tuple[float, float] | None = None
    rows: list[Outcomes] = field(default_factory=list)
    notes: SplitNotes = field(default_factory=SplitNotes)

    def add(self, stage: str, arrays: Mapping[str, np.ndarray], *, keeps_rows: bool) -> None:
        """Add the numbers of a chunk; the chunks of a stage come in the order of the splits."""
        self.notes.extend(unpack_notes(arrays))
        if keeps_rows:
            self.rows.append(unpack(arrays))
        if stage == EXTERNAL:
            self.internal += unpack_estimates(arrays)
            self.criterion.append(arrays["criterion"])
            return
        if not self.means:
            self.within = float(arrays["within"][0])
        self.means.append(arrays["means"])

    def pool(self, plan: SelectionPlan, name: str) -> None:
        """Compute the metric over the rows of all splits, and drop the rows."""
        if self.rows:
            self.pooled = plan.criterion.compute_pooled(join_outcomes(self.rows), plan.data, name)
        self.rows = []


def read_numbers(plan: SelectionPlan, outputs: JoinedOutputs) -> SelectionNumbers:
    """Return the numbers of every candidate that has outputs."""
    numbers = SelectionNumbers(outputs.list_learners_in(plan.candidates))
    candidates = {name: _CandidateNumbers() for name in numbers.present}
    for bundle in outputs.bundles:
        for stage in outputs.list_stages(bundle):
            pools = stage.name == ON_ALL_ROWS and plan.criterion.is_pooled
            for _, chunk in outputs.read(bundle, stage.name):
                for name, arrays in chunk.items():
                    if isinstance(arrays, LearnerFailure):
                        numbers.failures.setdefault(name, arrays)
                    else:
                        candidates[name].add(stage.name, arrays, keeps_rows=pools)
        for name in outputs.bundles[bundle].names:
            if name not in numbers.failures:
                candidates[name].pool(plan, name)
    for name, candidate in candidates.items():
        if name not in numbers.failures:
            _add_candidate(plan, numbers, name, candidate)
    return numbers


def _add_candidate(
    plan: SelectionPlan, numbers: SelectionNumbers, name: str, candidate: _CandidateNumbers
) -> None:
    """Add the joined numbers of a candidate; it fails if it has no number to choose by."""
    if candidate.means:
        estimate = InternalEstimate(
            means=np.concatenate(candidate.means),
            within=candidate.within,
            pooled=candidate.pooled,
        )
        try:
            numbers.on_all[name] = plan.criterion.require_value(estimate)
        except EvaluationError as error:
            numbers.failures[name] = LearnerFailure(
                code=error.code, message=error.message, loc=plan.build_learner_path(name)
            )
            return
    if candidate.internal:
        numbers.external[name] = CandidateErrors(
            external=np.concatenate(candidate.criterion), internal=candidate.internal
        )
    numbers.notes[name] = candidate.notes


def read_outcomes(
    outputs: JoinedOutputs, stage: str, names: Sequence[str]
) -> dict[str, Sequence[SplitOutcome]]:
    """Return all outcomes of some candidates at a stage."""
    chunks: dict[str, list[Outcomes]] = {name: [] for name in names}
    for _, name, outcomes in _read_rows(outputs, stage, names):
        chunks[name].append(outcomes)
    return {name: join_outcomes(by_chunk) for name, by_chunk in chunks.items()}


def read_winners(outputs: JoinedOutputs, winners: Sequence[str]) -> list[SplitOutcome]:
    """Return the (J,) outcome of each external split's winner."""
    outcomes_by_split: dict[int, SplitOutcome] = {}
    for key, name, outcomes in _read_rows(outputs, EXTERNAL, set(winners)):
        outcomes_by_split |= {
            split: outcome
            for split, outcome in enumerate(outcomes, start=key.start)
            if winners[split] == name
        }
    return [outcomes_by_split[split] for split in range(len(winners))]


def _read_rows(
    outputs: JoinedOutputs, stage: str, names: Collection[str]
) -> Iterator[tuple[ChunkKey, str, Outcomes]]:
    """Yield the outcomes of some candidates, chunk by chunk."""
    for number, bundle in outputs.bundles.items():
        if not any(name in names for name in bundle.names):
            continue
        for key, chunk in outputs.read(number, stage):
            for name, arrays in chunk.items():
                if name in names and not isinstance(arrays, LearnerFailure):
                    yield key, name, unpack(arrays)

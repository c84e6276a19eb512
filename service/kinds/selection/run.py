"""One piece of a selection: some candidates, inside and outside of some splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from service.jobs.parts import failed_arrays
from service.kinds.fitting.metrics import check_given
from service.kinds.selection.arrays import pack_external, pack_on_all
from thetahat.analyses.selection import (
    InternalEstimate,
    internal_seed,
    internal_splits,
    seed_on_all,
)
from thetahat.cautions import Caution
from thetahat.cross_validation import SplitOutcome
from thetahat.cross_validation.learner_groups import Group
from thetahat.cross_validation.outcomes import gathered
from thetahat.cross_validation.paths import run_path
from thetahat.errors import EvaluationError
from thetahat.schemes.base import Split

if TYPE_CHECKING:
    from service.kinds.fitting.learner_groups import Bundle
    from service.kinds.selection.plan import Plan

WORTH_A_PART = 300_000
"""Values looked at that are worth another pass over all rows, by another worker."""
MOST_CHUNKS = 64
MOST_LOSSES_OF_ONE = 5_000_000
"""That one piece hands in, where it can be cut further."""


@dataclass(slots=True)
class Done:
    """What one candidate gave on some external splits, or on all rows."""

    outcomes: list[SplitOutcome] = field(default_factory=list)
    internal: list[InternalEstimate] = field(default_factory=list)
    warned: list[tuple[Caution, ...]] = field(default_factory=list)
    fitted: Counter[str | None] = field(default_factory=Counter)


def parts_of(plan: Plan, *, whole: bool = False) -> list[dict[str, Any]]:
    """Return what each part of the work is; a function of the request alone.

    A part is some of the external splits for the candidates of one bundle, with all that is inside
    them, or some of the internal splits on all rows. ``whole`` takes all splits in one.
    """
    stages = (
        ("external", plan.sizes.n_external, plan.sizes.n_tests),
        ("all", plan.sizes.n_on_all, plan.sizes.n_tests_on_all),
    )
    found = []
    for at, bundle in enumerate(plan.groups.bundles):
        most = 1 if whole else _most_parts(plan, bundle)
        for stage, n, n_losses in stages:
            least = -(-len(bundle.names) * n_losses // MOST_LOSSES_OF_ONE)
            parts = min(n, max(most, 1 if whole else least))
            edges = [n * i // parts for i in range(parts + 1)] if parts else []
            found += [
                {"bundle": at, "stage": stage, "start": start, "stop": stop}
                for start, stop in pairwise(edges)
            ]
    return found


def _most_parts(plan: Plan, bundle: Bundle) -> int:
    most = max(1, MOST_CHUNKS // len(plan.groups.bundles))
    if bundle.is_fast:
        worth = bundle.cells(plan.data, plan.sizes.n_fits) // WORTH_A_PART
        most = min(most, max(1, worth))
    return most


def fits_of(part: Mapping[str, Any], plan: Plan) -> int:
    """Return how many fits a part is, which is its share of the progress."""
    splits: int = part["stop"] - part["start"]
    each = plan.sizes.n_internal + 1 if part["stage"] == "external" else 1
    return splits * each * len(plan.groups.bundles[part["bundle"]].names)


def run_part(plan: Plan, seed: int, part: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return what one part gave, or what all of its candidates failed with."""
    bundle = plan.groups.bundles[part["bundle"]]
    done: dict[str, Done] = {}
    failed: dict[str, EvaluationError] = {}
    try:
        for group in bundle.groups:
            run = _External if part["stage"] == "external" else _OnAll
            found = run(plan, seed, group, part).done()
            for name, one in found.items():
                if isinstance(one, EvaluationError):
                    failed[name] = one
                else:
                    done[name] = one
    except EvaluationError as error:  # what a scheme refuses is refused for all
        failed, done = dict.fromkeys(bundle.names, error), {}
    if not done:
        name, first = next(iter(failed.items()))
        return failed_arrays(first.code, first.message, ("candidates", name))
    pack = pack_external if part["stage"] == "external" else pack_on_all
    return pack(plan, done, failed)


@dataclass(frozen=True, slots=True)
class _Inside:
    """What one candidate gave inside one external training part."""

    estimate: InternalEstimate
    warned: tuple[Caution, ...]
    fitted: Counter[str | None]


@dataclass(frozen=True, slots=True)
class _OnAll:
    """The internal splits on all rows, for one group."""

    plan: Plan
    seed: int
    group: Group
    part: Mapping[str, Any]

    def done(self) -> dict[str, Done | EvaluationError]:
        plan, part = self.plan, self.part
        seed = seed_on_all(self.seed)
        cut = {"start": part["start"], "stop": part["stop"]}
        splits = plan.schemes.internal.splits(plan.rows, seed, **cut)
        keep = plan.keeps_rows_on_all or plan.criterion.needs_predictions
        ran = run_path(self.group, plan.data, splits, plan.loss, seed, keep_predictions=keep)
        return {name: self._one(name, given) for name, given in ran.items()}

    def _one(
        self, name: str, given: Sequence[SplitOutcome] | EvaluationError
    ) -> Done | EvaluationError:
        if isinstance(given, EvaluationError):
            return given
        plan = self.plan
        try:
            means, within = plan.criterion.by_split(given, plan.data, name)
        except EvaluationError as error:
            return error
        estimate = InternalEstimate(means=np.array(means), within=within)
        cautions = gathered(given).cautions
        warned = [cautions.get(at, ()) for at in range(len(given))]
        kept = list(given) if plan.keeps_rows_on_all else []
        return Done(kept, [estimate], warned, _fitted(given))


@dataclass(frozen=True, slots=True)
class _External:
    """Some external splits with all that is inside them, for one group."""

    plan: Plan
    seed: int
    group: Group
    part: Mapping[str, Any]

    def done(self) -> dict[str, Done | EvaluationError]:
        plan, part = self.plan, self.part
        assert plan.schemes.external is not None  # noqa: S101 - only then is there such a part
        done: dict[str, Done | EvaluationError] = {name: Done() for name in self.group.names}
        cut = {"start": part["start"], "stop": part["stop"]}
        for split in plan.schemes.external.splits(plan.rows, self.seed, **cut):
            inside = self._inside(split)
            outside = run_path(
                self.group, plan.data, [split], plan.loss, self.seed, keep_predictions=True
            )
            for name, so_far in done.items():
                if isinstance(so_far, Done):
                    done[name] = _with(so_far, inside[name], self._looked_at(name, outside[name]))
        return done

    def _looked_at(
        self, name: str, outside: Sequence[SplitOutcome] | EvaluationError
    ) -> Sequence[SplitOutcome] | EvaluationError:
        """Return the outcomes, or why a metric has nothing to look at in them."""
        if not isinstance(outside, EvaluationError):
            try:
                check_given(self.plan.metrics, outside, self.plan.data, name)
            except EvaluationError as error:
                return error
        return outside

    def _inside(self, split: Split) -> dict[str, _Inside | EvaluationError]:
        """Return the internal estimate in one external training part, and what was warned of.

        Refusals say which part.
        """
        plan = self.plan
        splits = internal_splits(plan.schemes.internal, plan.rows, split, self.seed)
        ran = run_path(
            self.group,
            plan.data,
            splits,
            plan.loss,
            internal_seed(self.seed, split),
            keep_predictions=plan.criterion.needs_predictions,
        )
        place = f"inside the training part of repeat {split.repeat}, block {split.block}"
        found: dict[str, _Inside | EvaluationError] = {}
        for name, given in ran.items():
            try:
                if isinstance(given, EvaluationError):
                    raise given
                estimate = plan.criterion.internal(given, plan.data, name)
            except EvaluationError as error:
                error.message = f"{place}: {error.message}"
                found[name] = error
            else:
                found[name] = _Inside(estimate, tuple(_warned(given)), _fitted(given))
        return found


def _with(
    so_far: Done,
    inside: _Inside | EvaluationError,
    outside: Sequence[SplitOutcome] | EvaluationError,
) -> Done | EvaluationError:
    """Return what is known of a candidate with one more external split."""
    if isinstance(inside, EvaluationError):
        return inside
    if isinstance(outside, EvaluationError):
        return outside
    (outcome,) = outside
    so_far.outcomes.append(outcome)
    so_far.internal.append(inside.estimate)
    so_far.warned.append((*outcome.cautions, *inside.warned))
    so_far.fitted += inside.fitted + _fitted([outcome])
    return so_far


def _fitted(outcomes: Sequence[SplitOutcome]) -> Counter[str | None]:
    """Count the splits by why they were fitted, as ``SplitOutcome.why_plain`` says."""
    counts: Counter[str | None] = Counter(gathered(outcomes).why_plain.values())
    return counts + Counter({None: len(outcomes) - counts.total()})


def _warned(inside: Sequence[SplitOutcome]) -> Iterator[Caution]:
    """Yield what the learner warned of inside, each sentence once."""
    told = {caution for warned in gathered(inside).cautions.values() for caution in warned}
    for caution in sorted(told, key=lambda one: (one.code, one.message)):
        yield caution.with_prefix("Inside a training part")

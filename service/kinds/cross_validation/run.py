"""One piece of a cross-validation: some learners on some of the splits, or their extra fits."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from service.kinds.fitting.outcomes import as_arrays
from service.kinds.fitting.refits import run_extra
from service.kinds.fitting.run import run_group, together
from thetahat.cross_validation import pack
from thetahat.errors import EvaluationError

if TYPE_CHECKING:
    from service.kinds.cross_validation.plan import Plan
    from service.kinds.fitting.learner_groups import Bundle

WORTH_A_PART = 300_000
"""Values looked at that are worth another pass over all rows, by another worker."""
MOST_CHUNKS = 64
"""Per evaluation, about: enough to keep many workers busy, few enough to store."""


def parts_of(plan: Plan, *, whole: bool = False) -> list[dict[str, Any]]:
    """Return what each part of the work is; a function of the request and the data alone.

    A part is some of the scheme's splits for the learners of one bundle, or some of the extra fits
    of a design. ``whole`` takes all of them in one. Learners that go over all rows once, and not
    once per split, are cut into no more parts than are worth another such pass.
    """
    found: list[dict[str, Any]] = []
    most = 1 if whole else max(1, MOST_CHUNKS // len(plan.bundles))
    n_learners = sum(len(bundle.names) for bundle in plan.bundles)
    each = max(1, MOST_CHUNKS // n_learners)  # extra fits give many losses: as if each were alone
    for at, bundle in enumerate(plan.bundles):
        parts = 1 if whole else n_parts(plan, bundle, most)
        edges = [plan.n_splits * i // parts for i in range(parts + 1)]
        found += [{"bundle": at, "start": a, "stop": b} for a, b in pairwise(edges)]
        found += [
            {"bundle": at, "start": a, "stop": b, "design": design}
            for design, a, b in plan.extra.cuts(1 if whole else each * len(bundle.names))
        ]
    return found


def n_parts(plan: Plan, bundle: Bundle, most: int) -> int:
    """Return into how many parts the splits are cut, ``most`` where many workers have to do."""
    if bundle.is_fast:
        most = min(most, max(1, bundle.cells(plan.data, plan.n_splits) // WORTH_A_PART))
    if len(bundle.names) > 1:
        most = max(most, bundle.least_parts(plan.data, n_tests_of(plan)))
    return min(plan.n_splits, most)


def n_tests_of(plan: Plan) -> int:
    """Return how many rows are tested on over all splits, about: blocks differ in size."""
    n: int = plan.rows.n
    try:
        first = next(iter(plan.scheme.splits(plan.rows, 0, stop=1)))
    except EvaluationError:  # a draw that the scheme refuses: not that of the job, perhaps
        return n
    return max(n, plan.n_splits * len(first.test))


def work_of(plan: Plan) -> int:
    """Return how much there is to do, about, in values of the data looked at once."""
    return sum(
        bundle.cells(plan.data, plan.n_splits + sum(plan.extra.n_splits)) for bundle in plan.bundles
    )


def splits_of(part: Mapping[str, Any], plan: Plan) -> int:
    """Return how many splits a part is, each counted once for each learner."""
    splits: int = part["stop"] - part["start"]
    return splits * len(plan.bundles[part["bundle"]].names)


def run_part(plan: Plan, seed: int, part: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return what one part gave, or what its learners failed with."""
    (group,) = plan.bundles[part["bundle"]].groups
    start, stop = part["start"], part["stop"]
    if "design" in part:
        return as_arrays(together(group, lambda some: run_extra(plan, seed, some, part)))
    told = run_group(
        group,
        plan.data,
        lambda: plan.scheme.splits(plan.rows, seed, start=start, stop=stop),
        plan.loss,
        seed,
        lambda _, outcomes: pack(outcomes),
    )
    return as_arrays(told)

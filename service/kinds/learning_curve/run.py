"""One piece of a learning curve: some learners at one size, on some of the splits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from service.kinds.cross_validation.run import MOST_CHUNKS, n_parts, n_tests_of
from service.kinds.fitting.learner_groups import Bundle, bundles_of
from service.kinds.fitting.metrics import check_given
from service.kinds.fitting.outcomes import as_arrays
from service.kinds.fitting.refits import run_extra
from service.kinds.fitting.run import run_group, together
from service.kinds.learning_curve.gather import BundleOutputs
from service.kinds.learning_curve.result import key_of
from thetahat.analyses.learning_curve import grown, label_of
from thetahat.cross_validation import SplitOutcome, pack
from thetahat.schemes.base import Split

if TYPE_CHECKING:
    from service.kinds.base import ChunkOutput
    from service.kinds.cross_validation.plan import Plan
    from service.kinds.fields.metrics import Metrics
    from thetahat.analyses.learning_curve import Growth

SCORES = ("scores", "probabilities")
"""Of what is kept of predictions, what metrics alone look at."""
LONGEST_PART = 120
"""Characters of what is kept as the name of a part."""


@lru_cache(maxsize=1)
def _bundles(plan: Plan, n_sizes: int) -> tuple[Bundle, ...]:
    """Return the learners that are run together; the curves of a bundle are drawn from memory."""
    return bundles_of(plan.learners, plan.data, n_sizes * n_tests_of(plan))


def parts_of(plan: Plan, growth: Growth, *, whole: bool = False) -> list[dict[str, Any]]:
    """Return what each part of the work is; a function of the request and the data alone.

    A part is some of the splits for the learners of one bundle at one size, or some of the extra
    fits of a design at the largest. Learners that go over all rows once, and not once per split,
    are cut into no more parts than are worth another such pass.
    """
    found: list[dict[str, Any]] = []
    n_sizes = len(growth.sizes)
    bundles = _bundles(plan, n_sizes)
    most = 1 if whole else max(1, MOST_CHUNKS // (len(bundles) * n_sizes))
    for at, bundle in enumerate(bundles):
        parts = 1 if whole else n_parts(plan, bundle, most)
        edges = [plan.n_splits * i // parts for i in range(parts + 1)]
        found += [
            {"bundle": at, "size": size, "start": start, "stop": stop}
            for size in range(n_sizes)
            for start, stop in pairwise(edges)
        ]
        each = max(1, MOST_CHUNKS // len(plan.learners)) * len(bundle.names)
        found += [
            {"bundle": at, "size": n_sizes - 1, "start": a, "stop": b, "design": design}
            for design, a, b in plan.extra.cuts(1 if whole else each)
        ]
    return found


def work_of(plan: Plan, growth: Growth) -> int:
    """Return how much there is to do, about, in values of the data looked at once."""
    extra, n_sizes = sum(plan.extra.n_splits), len(growth.sizes)
    return sum(
        n_sizes * bundle.cells(plan.data, plan.n_splits) + bundle.cells(plan.data, extra)
        for bundle in _bundles(plan, n_sizes)
    )


def _bundle_of(part: Mapping[str, Any], plan: Plan, growth: Growth) -> Bundle:
    at: int = part["bundle"]
    return _bundles(plan, len(growth.sizes))[at]


def fits_of(part: Mapping[str, Any], plan: Plan, growth: Growth) -> int:
    """Return how many fits a part is, which is its share of the progress."""
    splits: int = part["stop"] - part["start"]
    return splits * len(_bundle_of(part, plan, growth).names)


def name_of(part: Mapping[str, Any], plan: Plan, growth: Growth) -> str:
    """Return what fails alone: learners at one size; by number where their name is long."""
    bundle, label = _bundle_of(part, plan, growth), label_of(growth.sizes[part["size"]])
    key = key_of(bundle.part, label)
    if len(key) <= LONGEST_PART:
        return key
    return key_of(str(list(plan.learners).index(bundle.names[0])), label)


def run_part(
    plan: Plan, growth: Growth, metrics: Metrics, seed: int, part: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """Return what one part gave, or what its learners failed with."""
    (group,) = _bundle_of(part, plan, growth).groups
    if "design" in part:
        return as_arrays(together(group, lambda some: run_extra(plan, seed, some, part)))
    whole: list[int] = []

    def splits() -> Iterator[Split]:
        whole.clear()
        some = plan.scheme.splits(plan.rows, seed, start=part["start"], stop=part["stop"])
        return grown(_noting(some, whole), growth, plan.rows, seed, part["size"])

    def packing(name: str, outcomes: Sequence[SplitOutcome]) -> dict[str, np.ndarray]:
        check_given(metrics, outcomes, plan.data, name)
        arrays = pack(outcomes)
        if not any(entry.method.uses == "scores" for entry in metrics):
            arrays = {key: values for key, values in arrays.items() if key not in SCORES}
        return {**arrays, "n_whole": np.array(whole, dtype=np.intp)}

    return as_arrays(run_group(group, plan.data, splits, plan.loss, seed, packing))


def bundled(plan: Plan, growth: Growth, outputs: Sequence[ChunkOutput]) -> list[BundleOutputs]:
    """Return the bundles with the outputs of their chunks."""
    return [
        BundleOutputs(bundle.names, [one for one in outputs if one.payload["bundle"] == own])
        for own, bundle in enumerate(_bundles(plan, len(growth.sizes)))
    ]


def _noting(splits: Iterator[Split], sizes: list[int]) -> Iterator[Split]:
    """Yield the splits, and note how many rows their whole training parts have."""
    for split in splits:
        sizes.append(split.n_train)
        yield split

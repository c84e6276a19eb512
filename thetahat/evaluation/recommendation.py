"""Which interval is recommended, by one rule.

For each target there is an order of (interval, variance) pairs; the first that could be built is
recommended, and where none of the order was, the first other that could, in the result's order.
The reasons:

- Random folds, ``these_sources``: every two training sets share most of their instances, so fold
  means are correlated, and what ignores that covers too rarely. ``nadeau_bengio`` allows for it
  and covered close to its level in the largest published comparison; ``theta_3`` (B/K) ignores
  the correlation; the forms that see only the spread within folds are the last resort.
- Random folds, ``these_models``: a central limit theorem holds for both forms under stability;
  ``bayle_all_pairs`` needs no two instances in a fold and is never the smaller one by much. Where
  instances come in clusters they are not independent, so ``cluster_robust`` goes before both.
- Sources, ``these_sources``: ``theta_B`` is twice ``theta_A``, the margin that its authors give
  for the covariance within a source.
- Sources that the models were not trained on (the tasks of a benchmark): nothing is shared by
  training, ``theta_A`` is unbiased for ``these_sources``, and its double would only be too long.
- Sources, ``new_source``: the sources are the sample, so B/K with K - 1 degrees of freedom
  (``theta_gamma``). ``prediction`` is about the average loss seen on one more source, not about
  its expectation: it is shown, and recommended only where nothing else was asked for.
- Subsamples, ``these_sources``: ``nadeau_bengio`` was made for them. Nothing else is known to
  allow for training and test parts that both overlap.
- Holdout: with clusters, ``cluster_robust``; ``wilson`` for zero-one losses, because the others
  fail near 0 and 1; else t on ``iid``.

The bootstrap's intervals, which draw instances, clusters or sources, stand at the end: they rest
on the same units as what goes before, leave the same out, and with few units are shorter. Of them
``studentised`` comes closest to its level, then ``bca``.

``theta_1`` (no variance of anything), ``theta_2`` and ``theta_5`` (they come out negative too
often) are never recommended, whatever was asked for.

Source: nadeau2003, bayle2020, geras2013.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from thetahat.intervals.base import Interval
from thetahat.types import BlockKind, Caution, Target

Pair = tuple[str, str | None]
"""Wire names of an interval method and of the variance it is built on."""


RESAMPLED: Final[tuple[Pair, ...]] = (
    ("studentised", None),
    ("bca", None),
    ("percentile", None),
    ("basic", None),
)


@dataclass(frozen=True, slots=True)
class Rule:
    """The order of one kind of block and one target.

    Parameters
    ----------
    blocks : BlockKind
        What a block is.
    target : Target
        What the interval is to cover.
    order : tuple of Pair
        Best first; ``wilson``, ``clopper_pearson`` and the bootstrap's rest on no variance.
    reason : str
        Why, in one sentence.
    only_fixed_models : bool
        Whether it is for models that were not trained on any of these instances; it then goes
        before the rule for all.
    """

    blocks: BlockKind
    target: Target
    order: tuple[Pair, ...]
    reason: str
    only_fixed_models: bool = False

    def as_data(self) -> dict[str, Any]:
        """Return the rule as JSON, for ``GET /v1/methods``."""
        order = [{"interval": interval, "variance": variance} for interval, variance in self.order]
        return {
            "blocks": self.blocks.value,
            "target": self.target.value,
            "only_fixed_models": self.only_fixed_models,
            "order": order,
            "reason": self.reason,
        }


RULES: Final = (
    Rule(
        BlockKind.RANDOM,
        Target.THESE_SOURCES,
        (
            ("student_t", "nadeau_bengio"),
            ("student_t", "bouckaert_frank"),
            ("student_t", "theta_3"),
            ("student_t", "theta_4"),
            ("normal", "nadeau_bengio"),
            ("normal", "theta_3"),
            ("normal", "theta_4"),
        ),
        "training sets of random folds overlap, and nadeau_bengio allows for it",
    ),
    Rule(
        BlockKind.RANDOM,
        Target.THESE_MODELS,
        (
            ("student_t", "cluster_robust"),
            ("normal", "bayle_all_pairs"),
            ("normal", "bayle_within"),
            ("normal", "cluster_robust"),
            *RESAMPLED,
        ),
        "a central limit theorem holds for the bayle forms where the learner is stable; clusters, "
        "where they are given, are what is independent",
    ),
    Rule(
        BlockKind.SOURCE,
        Target.THESE_SOURCES,
        (
            ("student_t", "theta_A"),
            ("student_t", "theta_B"),
            ("normal", "theta_A"),
            ("normal", "theta_B"),
        ),
        "models that were not trained on these data share no training sources, so theta_A leaves "
        "nothing out",
        only_fixed_models=True,
    ),
    Rule(
        BlockKind.SOURCE,
        Target.THESE_SOURCES,
        (
            ("student_t", "theta_B"),
            ("student_t", "theta_A"),
            ("normal", "theta_B"),
            ("normal", "theta_A"),
        ),
        "theta_B leaves room for the covariance within a source that theta_A does not see",
    ),
    Rule(
        BlockKind.SOURCE,
        Target.NEW_SOURCE,
        (
            ("student_t", "theta_gamma"),
            ("student_t", "nadeau_bengio"),
            ("normal", "theta_gamma"),
            ("normal", "nadeau_bengio"),
            *RESAMPLED,
        ),
        "for a new source the sources are the sample, and their means have K - 1 degrees of "
        "freedom",
    ),
    Rule(
        BlockKind.SOURCE,
        Target.THESE_MODELS,
        (("student_t", "cluster_robust"), ("normal", "cluster_robust")),
        "clusters, where they are given, are what is independent",
    ),
    Rule(
        BlockKind.HOLDOUT,
        Target.THESE_MODELS,
        (
            ("student_t", "cluster_robust"),
            ("wilson", None),
            ("student_t", "iid"),
            ("normal", "cluster_robust"),
            ("normal", "iid"),
            *RESAMPLED,
        ),
        "instances of one cluster are not independent; near 0 and 1 wilson holds its level where "
        "the others do not",
    ),
    Rule(
        BlockKind.SUBSAMPLES,
        Target.THESE_SOURCES,
        (("student_t", "nadeau_bengio"), ("normal", "nadeau_bengio")),
        "training parts overlap and so may test parts, and nadeau_bengio was made for such splits",
    ),
)
"""The orders by kind of block and target; the service shows them as they stand."""

NEVER: Final = frozenset({"theta_1", "theta_2", "theta_5"})
"""Variances that no recommended interval rests on."""

LAST: Final = frozenset({"prediction"})
"""Intervals recommended only where nothing else was built."""

PROPORTIONS: Final = frozenset({"wilson", "clopper_pearson"})
"""Intervals of a proportion: they rest on no variance, and a difference has none."""

DEFAULT_TARGET: Final = {
    BlockKind.RANDOM: Target.THESE_SOURCES,
    BlockKind.SOURCE: Target.NEW_SOURCE,
    BlockKind.HOLDOUT: Target.THESE_MODELS,
    BlockKind.SUBSAMPLES: Target.THESE_SOURCES,
}
"""What the verdict on two models speaks of, unless the request says otherwise."""


@dataclass(frozen=True, slots=True)
class Built:
    """An interval with the wire names that its keys in the result stand for."""

    interval: Interval
    interval_name: str
    variance_name: str | None

    @property
    def pair(self) -> Pair:
        """What the orders of ``RULES`` speak of."""
        return self.interval_name, self.variance_name


def recommend(
    kind: BlockKind, built: Sequence[Built], *, fixed_models: bool = False
) -> list[Built]:
    """Mark one interval per target as recommended; the order stays.

    Parameters
    ----------
    kind : BlockKind
        What a block is.
    built : sequence of Built
        All intervals of one model, or of one difference.
    fixed_models : bool
        Whether no model was trained on any of these instances.
    """
    orders = {
        target: order_of(kind, target, fixed_models=fixed_models)
        for target in dict.fromkeys(entry.interval.target for entry in built)
    }
    best: dict[Target, int] = {}
    for target, order in orders.items():
        ranked = [(_rank(order, e), i) for i, e in enumerate(built) if e.interval.target is target]
        best[target] = min(ranked)[1]
    return [
        _marked(orders[entry.interval.target], entry)
        if best[entry.interval.target] == i and _may_be(entry)
        else entry
        for i, entry in enumerate(built)
    ]


def _may_be(entry: Built) -> bool:
    return entry.variance_name not in NEVER


def _rank(order: tuple[Pair, ...], entry: Built) -> int:
    if entry.pair in order:
        return order.index(entry.pair)
    if not _may_be(entry):
        return len(order) + 2
    return len(order) + (1 if entry.interval_name in LAST else 0)


def order_of(kind: BlockKind, target: Target, *, fixed_models: bool = False) -> tuple[Pair, ...]:
    """Return the order of that kind and target, best first; empty where no rule speaks of it."""
    for rule in RULES:
        fits = (rule.blocks, rule.target) == (kind, target)
        if fits and (fixed_models or not rule.only_fixed_models):
            return rule.order
    return ()


def _marked(order: tuple[Pair, ...], entry: Built) -> Built:
    interval = entry.interval
    cautions = interval.cautions
    if entry.pair not in order:
        cautions = (
            *cautions,
            Caution(
                "outside_the_rule",
                f"none of the intervals that the rule lists for {interval.target.value} was "
                "built, so this one is shown in their place",
            ),
        )
    return replace(entry, interval=replace(interval, recommended=True, cautions=cautions))

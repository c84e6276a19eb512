"""The rules by which an interval is recommended: one for each kind of block and each target.

The interval with the smallest rank that could be built is recommended for its target. The ranks
are in the files of the methods (``MethodInfo.recommended``), so that a new method brings its own.
Where no ranked interval could be built, the first other that could is recommended, in the order
of the result. The reasons for the ranks:

- Random folds, ``these_sources``: any two training sets share most of their instances, so losses
  of different folds are correlated, and intervals that ignore the correlation cover too rarely.
  ``nadeau_bengio`` allows for it and covered close to its level in the largest published
  comparison, but over one partition it has few degrees of freedom: its intervals were 1.7 to 1.8
  times as long as ideal ones. ``instances_with_allowance``, which takes each loss as a split of one
  instance and about half of what Nadeau and Bengio allow for training, covered in .96 with 1.2
  times (``docs/results/one_partition``). Over
  several partitions and random draws the t intervals of ``nadeau_bengio`` cover less the more
  splits there are (.96 over ten folds, .92 over five times ten folds, .91 over twenty times), so
  there ``nadeau_bengio_calibrated`` goes before it, with at most seven degrees of freedom (.95).
  With clusters ``cluster_robust_corrected`` goes before all of them. ``theta_3`` (B/K) ignores the
  correlation; the variances that use only the spread within folds come last.
- Random folds, ``these_models``: a central limit theorem holds for both Bayle variances if the
  learner is stable. ``bayle_within`` covered as often as ``bayle_all_pairs`` over single
  partitions and more often over repeats and halves, for a few hundredths of width. With few
  instances the trained models' own error varies with the data too, by which it covered in .87 to
  .90 with 50 rows; ``bayle_within_calibrated``, with at most nine degrees of freedom, goes before
  it (.92 to .97) where the models were trained on these data. With one instance in a fold
  ``bayle_all_pairs_calibrated`` takes its place, with as many degrees: over leave-one-out it
  covered in .96, and ``bayle_all_pairs`` in .90. Instances that come in clusters are
  not independent, so ``cluster_robust`` goes before both.
- Sources, ``these_sources``: ``theta_B`` is twice ``theta_A``, the margin that its authors give
  for the covariance within a source. With clusters inside the sources ``theta_B_clusters`` and
  ``theta_A_clusters`` take their places.
- Sources that the models were not trained on (the tasks of a benchmark): no training data are
  shared, ``theta_A`` is unbiased for ``these_sources``, and twice its value would only make the
  interval too long. It takes a source without errors, or in which nothing differs, as known: for
  rates ``price_bonett`` and, for the difference of two, ``tango_sources`` go before it.
- Sources, ``new_source``: the sources are the sample, with K - 1 degrees of freedom. Any two of
  the models share most of their training sources, so the sources' means move together, which B/K
  (``theta_gamma``) leaves out: its intervals covered in .84 to .93 of the cases. With the allowance
  of ``nadeau_bengio`` they covered in .95 to .98, for models and for differences. For models that
  were not trained on any of the sources ``theta_gamma`` leaves nothing out. ``prediction`` is about
  the average loss observed on one more source, not about its expectation: it is shown, and
  recommended only where no other interval was built.
- Subsamples, ``these_sources``: ``nadeau_bengio`` was made for them, and
  ``nadeau_bengio_calibrated`` goes before it as over repeats. No other method is known to
  allow for training parts and test parts that both overlap. Of test parts in the order of time,
  ``these_models`` has ``newey_west_small_sample``; for the expected error it covered less often
  than ``nadeau_bengio_calibrated``, which is two to three times as long over five blocks
  (``docs/results/edges/time_ordered_splits``).
- Holdout: with clusters, ``cluster_robust``; ``wilson`` for zero-one losses, because the others
  fail near 0 and 1; else ``skewness_corrected`` on ``iid``. The difference of two models with
  zero-one losses has ``tango``, with clusters ``tango_clusters``, because t intervals fail where
  few instances differ: a margin that was exactly the true difference was wrongly excluded in .05
  to .36 of samples in place of .05. ``newcombe`` comes next. The tables of
  ``thetahat_replications.edges`` have the numbers.
- The mean loss of one model: losses are often skewed, and symmetric intervals for the mean of
  skewed losses cover too rarely (squared errors of a line, a holdout of 17 rows: .88 for t and .94
  for ``skewness_corrected``). With few clusters their sums are skewed all the more (a holdout of
  17 rows in clusters of five: .71 and .92). ``wild_cluster`` covers more often in few unequal
  clusters and less often where errors are rare, so it is left to requests. Differences of two
  models about as good are nearly symmetric, and verdicts rest on p-values of t, so they keep t
  intervals.

Methods that fit the learner again cost many fits and are computed only where a request names
them; they are then preferred, because they observe what the others assume. In the largest
published comparison ``bates_nested_cv``, ``out_of_bag`` and ``conservative_z`` covered at least
at their level, with moderate widths; ``austern_zhou`` did too, and was two to three times as
wide. In our comparison ``out_of_bag`` covered like ``conservative_z`` at three quarters of its
width, and ``bccv_percentile``, which takes the most fits of all, came nearer to its level than
either at four fifths of the width of ``out_of_bag``.

Bootstrap intervals, which draw instances, clusters or sources, come last: they rest on the same
units as the others, leave out the same parts of the variance, and are shorter with few units. Of
them ``studentised`` comes closest to its level, then ``bca``.

``theta_1`` (which estimates no variance), ``theta_2`` and ``theta_5`` are never recommended, nor
are ``location_shifted_bootstrap`` and ``two_stage_bootstrap``, which covered in half of the cases
in that comparison (here the first in .66, and the second, which is out of bag here, in .96).
``theta_5`` is nearly unbiased over many data sets, but on a single one it is negative in about two
of five, with a root mean squared error several times that of ``theta_3``: unbiasedness alone is no
reason to recommend it.

The figures of our own comparison are those of the preset ``interval_coverage``; they are kept
under ``docs/results``.

Source: nadeau2003, bayle2020, geras2013, hall1992, schulz2024.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from thetahat.analyses.losses.recommendation import get_rank
from thetahat.registry import MethodInfo
from thetahat.values.types import BlockKind, Needs, Target


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of block and a target, and why intervals are ranked as they are for them."""

    blocks: BlockKind
    """What a block is."""
    target: Target
    """What the interval is to cover."""
    reason: str
    """Why the ranks are as they are, in one sentence."""
    only_fixed_models: bool = False
    """Whether it is for models that were not trained on any of these instances; it then goes before
    the rule for all models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedInterval:
    """An interval and the variance that it is built on, by wire name."""

    interval: str
    """The interval."""
    variance: str | None
    """The variance; None where the interval rests on none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRule:
    """A rule with the intervals that it ranks, as ``GET /v1/methods`` shows it."""

    blocks: BlockKind
    """What a block is."""
    target: Target
    """What the interval is to cover."""
    only_fixed_models: bool
    """Whether it is for models that were not trained on any of these instances."""
    where_asked: tuple[RankedInterval, ...]
    """Intervals of methods that fit the learner again, best first; where a request names one, it
    goes before the order."""
    order: tuple[RankedInterval, ...]
    """The other intervals, best first."""
    reason: str
    """Why the order is as it is."""


RULES: Final = (
    Rule(
        BlockKind.RANDOM,
        Target.THESE_SOURCES,
        "training sets of random folds overlap, and nadeau_bengio allows for that; over one "
        "partition each loss counts as a split, as long as the folds do not differ by far more "
        "than their losses explain, and over repeats the degrees of freedom are calibrated; with "
        "clusters the variance is computed from the independent clusters, and for the losses of "
        "one model the quantiles allow for skewness",
    ),
    Rule(
        BlockKind.RANDOM,
        Target.THESE_MODELS,
        "a central limit theorem holds for the bayle forms where the learner is stable, and with "
        "few instances calibrated degrees of freedom allow for models that vary; if the data have "
        "clusters, only the clusters are independent; for the losses of one model the quantiles "
        "allow for skewness",
    ),
    Rule(
        BlockKind.SOURCE,
        Target.THESE_SOURCES,
        "models that were not trained on these data share no training sources, so theta_A leaves "
        "nothing out; for losses of 0 and 1 a source without errors is not taken as known",
        only_fixed_models=True,
    ),
    Rule(
        BlockKind.SOURCE,
        Target.THESE_SOURCES,
        "theta_B allows for the covariance within a source that theta_A leaves out; if the data "
        "have clusters within sources, only the clusters are independent",
    ),
    Rule(
        BlockKind.SOURCE,
        Target.NEW_SOURCE,
        "models that were not trained on these data share no training sources, so the sources' "
        "means are independent, with K - 1 degrees of freedom",
        only_fixed_models=True,
    ),
    Rule(
        BlockKind.SOURCE,
        Target.NEW_SOURCE,
        "the sources are the sample, and nadeau_bengio allows for training sources in common, "
        "which make their means move together",
    ),
    Rule(
        BlockKind.SOURCE,
        Target.THESE_MODELS,
        "if the data have clusters, only the clusters are independent; for the losses of one model "
        "the quantiles allow for skewness",
    ),
    Rule(
        BlockKind.HOLDOUT,
        Target.THESE_MODELS,
        "instances of one cluster are not independent; near 0 and 1 wilson, and tango for the "
        "difference of two models, hold their level where the others do not, and for skewed losses "
        "the interval that allows for skewness",
    ),
    Rule(
        BlockKind.SUBSAMPLES,
        Target.THESE_SOURCES,
        "training parts overlap and so may test parts, and nadeau_bengio was made for such splits",
    ),
    Rule(
        BlockKind.SUBSAMPLES,
        Target.THESE_MODELS,
        "test parts in the order of time are one series, and newey_west_small_sample allows for "
        "losses that depend on their neighbours; other test parts may overlap, so only methods "
        "that fit the learner again estimate the error of the trained models",
    ),
    Rule(
        BlockKind.HOLDOUT,
        Target.THESE_SOURCES,
        "one test set of one model does not show how the learner varies; fitting it again does",
    ),
)
"""One rule for each kind of block and each target for which an interval can be recommended."""


def list_rules(
    intervals: Iterable[MethodInfo], variances: Iterable[MethodInfo]
) -> tuple[ListedRule, ...]:
    """Return the rules with the intervals that they rank.

    ``intervals`` and ``variances`` are all methods that a request may name in these two lists,
    those that fit the learner again included.
    """
    pairs = tuple(_list_interval_variance_pairs(tuple(intervals), tuple(variances)))
    return tuple(
        ListedRule(
            blocks=rule.blocks,
            target=rule.target,
            only_fixed_models=rule.only_fixed_models,
            where_asked=_sort_by_preference(rule, pairs, fit_again=True),
            order=_sort_by_preference(rule, pairs, fit_again=False),
            reason=rule.reason,
        )
        for rule in RULES
    )


_Pair = tuple[MethodInfo, MethodInfo | None]


def _list_interval_variance_pairs(
    intervals: tuple[MethodInfo, ...], variances: tuple[MethodInfo, ...]
) -> Iterator[_Pair]:
    """Yield every interval by itself and on every variance."""
    for interval in intervals:
        yield interval, interval if _needs_refits(interval) else None
        for variance in variances:
            if variance is not interval:
                yield interval, variance


def _sort_by_preference(
    rule: Rule, pairs: tuple[_Pair, ...], *, fit_again: bool
) -> tuple[RankedInterval, ...]:
    ranked: list[tuple[int, RankedInterval]] = []
    for interval, variance in pairs:
        rank = get_rank(
            interval, variance, rule.blocks, rule.target, fixed_models=rule.only_fixed_models
        )
        if rank is not None and _needs_refits(variance or interval) is fit_again:
            name = None if variance is None else variance.name
            ranked.append((rank, RankedInterval(interval=interval.name, variance=name)))
    return tuple(pair for _, pair in sorted(ranked, key=lambda entry: entry[0]))


def _needs_refits(method: MethodInfo) -> bool:
    return method.needs is Needs.REFITS

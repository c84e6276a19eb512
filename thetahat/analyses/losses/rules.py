"""The rule by which an interval is recommended.

For each target there is an order of (interval, variance) pairs; the first that could be built is
recommended, and where none of the order was, the first other that could, in the result's order.
The reasons:

- Random folds, ``these_sources``: every two training sets share most of their instances, so fold
  means are correlated, and what ignores that covers too rarely. ``nadeau_bengio`` allows for it
  and covered close to its level in the largest published comparison; ``theta_3`` (B/K) ignores
  the correlation; the forms that see only the spread within folds are the last resort.
- Random folds, ``these_models``: a central limit theorem holds for both forms under stability.
  ``bayle_within`` covered as often as ``bayle_all_pairs`` over single partitions and more often
  over repeats and halves, for a few hundredths of width; with one instance in a fold only the
  other can be had. Where instances come in clusters they are not independent, so
  ``cluster_robust`` goes before both.
- Sources, ``these_sources``: ``theta_B`` is twice ``theta_A``, the margin that its authors give
  for the covariance within a source.
- Sources that the models were not trained on (the tasks of a benchmark): nothing is shared by
  training, ``theta_A`` is unbiased for ``these_sources``, and its double would only be too long.
- Sources, ``new_source``: the sources are the sample, with K - 1 degrees of freedom. Any two of
  the models share most of their training sources, so the sources' means move together, which B/K
  (``theta_gamma``) does not see: its intervals covered in .84 to .93 of the cases. With the
  allowance of ``nadeau_bengio`` they covered in .95 to .98, for models and for differences. Of
  models that were not trained on any of the sources ``theta_gamma`` leaves nothing out.
  ``prediction`` is about the average loss seen on one more source, not about its expectation: it
  is shown, and recommended only where nothing else was asked for.
- Subsamples, ``these_sources``: ``nadeau_bengio`` was made for them. Nothing else is known to
  allow for training and test parts that both overlap.
- Holdout: with clusters, ``cluster_robust``; ``wilson`` for zero-one losses, because the others
  fail near 0 and 1; else t on ``iid``.

Methods that fit the learner again cost many fits and are there only where a request names them;
then they go first, for they see what the others have to assume. In the largest published
comparison ``bates_nested_cv``, ``out_of_bag`` and ``conservative_z`` covered at least as often as
they said, with moderate widths; ``austern_zhou`` did too, and was two to three times as wide. In
ours ``out_of_bag`` covered like ``conservative_z`` at three quarters of its width, and
``bccv_percentile``, which takes the most fits of all, nearer to its level than either at four
fifths of the width of ``out_of_bag``.

The bootstrap's intervals, which draw instances, clusters or sources, stand at the end: they rest
on the same units as what goes before, leave the same out, and with few units are shorter. Of them
``studentised`` comes closest to its level, then ``bca``.

``theta_1`` (no variance of anything), ``theta_2`` and ``theta_5`` are never recommended, whatever
was asked for, nor are ``location_shifted_bootstrap`` and ``two_stage_bootstrap``, which covered in
half of the cases there (here the first in .66, and the second, which is out of bag here, in .96).
``theta_5`` is nearly unbiased over many data sets, but on one it comes out
negative in about two of five, with a root mean squared error several times that of ``theta_3``:
unbiasedness alone is no reason to recommend.

The figures of our own comparison are those of the preset ``interval_coverage``, which are kept
under ``docs/results``.

Source: nadeau2003, bayle2020, geras2013, schulz2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from thetahat.values.types import BlockKind, Target

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
    where_asked : tuple of Pair
        What goes before the order where a request names it: methods that fit the learner again.
    """

    blocks: BlockKind
    target: Target
    order: tuple[Pair, ...]
    reason: str
    only_fixed_models: bool = False
    where_asked: tuple[Pair, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return the rule as JSON, for ``GET /v1/methods``."""
        return {
            "blocks": self.blocks.value,
            "target": self.target.value,
            "only_fixed_models": self.only_fixed_models,
            "where_asked": _as_data(self.where_asked),
            "order": _as_data(self.order),
            "reason": self.reason,
        }


def _as_data(order: tuple[Pair, ...]) -> list[dict[str, str | None]]:
    return [{"interval": interval, "variance": variance} for interval, variance in order]


OF_THE_LEARNER: Final[tuple[Pair, ...]] = (
    ("bccv_percentile", "bccv_percentile"),
    ("normal", "out_of_bag"),
    ("normal", "conservative_z"),
    ("normal", "austern_zhou"),
)
OF_THE_MODEL: Final[tuple[Pair, ...]] = (
    ("bates_nested_cv", "bates_nested_cv"),
    ("normal", "bates_nested_cv"),
)
OF_SOURCES: Final[tuple[Pair, ...]] = (
    ("student_t", "theta_gamma"),
    ("normal", "theta_gamma"),
    *RESAMPLED,
)


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
        where_asked=OF_THE_LEARNER,
    ),
    Rule(
        BlockKind.RANDOM,
        Target.THESE_MODELS,
        (
            ("student_t", "cluster_robust"),
            ("normal", "bayle_within"),
            ("normal", "bayle_all_pairs"),
            ("normal", "cluster_robust"),
            *RESAMPLED,
        ),
        "a central limit theorem holds for the bayle forms where the learner is stable; clusters, "
        "where they are given, are what is independent",
        where_asked=OF_THE_MODEL,
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
        OF_SOURCES,
        "models that were not trained on these data share no training sources, so the sources' "
        "means are independent, with K - 1 degrees of freedom",
        only_fixed_models=True,
    ),
    Rule(
        BlockKind.SOURCE,
        Target.NEW_SOURCE,
        (
            ("student_t", "nadeau_bengio"),
            ("normal", "nadeau_bengio"),
            *OF_SOURCES,
        ),
        "the sources are the sample, and nadeau_bengio allows for training sources in common, "
        "which make their means move together",
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
        where_asked=OF_THE_MODEL,
    ),
    Rule(
        BlockKind.SUBSAMPLES,
        Target.THESE_SOURCES,
        (("student_t", "nadeau_bengio"), ("normal", "nadeau_bengio")),
        "training parts overlap and so may test parts, and nadeau_bengio was made for such splits",
        where_asked=OF_THE_LEARNER,
    ),
    Rule(
        BlockKind.SUBSAMPLES,
        Target.THESE_MODELS,
        (),
        "over test parts that may overlap nothing but fitting again speaks of the fitted models",
        where_asked=OF_THE_MODEL,
    ),
    Rule(
        BlockKind.HOLDOUT,
        Target.THESE_SOURCES,
        (),
        "one test set of one model shows nothing of the learner; fitting again does",
        where_asked=OF_THE_LEARNER,
    ),
)
"""The orders by kind of block and target; the service shows them as they stand."""

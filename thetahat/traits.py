"""The traits of methods, by which rules choose between methods instead of by name."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, NamedTuple

from thetahat.values.types import BlockKind, Target


class IntervalForm(StrEnum):
    """How an interval is made of a variance, or that it is not made of one."""

    OWN = "own"  # the method builds its own interval, on no other method's variance
    T = "t"  # mean -+ t quantile x standard error
    NORMAL = "normal"  # mean -+ normal quantile x standard error
    SKEWED = "skewed"  # t or normal quantiles, changed for the skewness of the mean
    LOGIT = "logit"  # one of the last two, built on the log odds and transformed back


class ReplicateForm(StrEnum):
    """How an interval of any statistic is computed from its bootstrap replicates alone."""

    NORMAL = "normal"  # estimate -+ normal quantile x standard deviation of the replicates
    PERCENTILE = "percentile"  # quantiles of the replicates
    BASIC = "basic"  # these quantiles, reflected about the estimate
    BCA = "bca"  # quantiles at levels that allow for bias and acceleration
    STUDENTISED = "studentised"  # quantiles of replicates divided by their own standard errors


class Recommendation(NamedTuple):
    """The place of a method's intervals in the order in which intervals are recommended.

    The interval with the smallest rank that could be built is recommended for its target. Ranks
    are compared between all methods of one block kind and target. Gaps between the ranks leave room
    for new methods. Methods that fit the learner again are used only if a request names them, and
    then come before all others.
    """

    blocks: frozenset[BlockKind]
    """The kinds of block that this is about."""
    target: Target
    """The target that this is about."""
    own: int | None = None
    t: int | None = None
    normal: int | None = None
    skewed: int | None = None
    logit: int | None = None
    """Rank of the interval that the method builds itself, and of the t interval, the normal
    interval, the one that allows for skewness and the one on the log odds that are built on its
    variance; None where that interval has no place."""
    fixed_models: bool | None = None
    """True: only for models that were not trained on any of these instances. False: only for models
    that were. None: for both."""

    def applies(self, kind: BlockKind, target: Target, *, fixed_models: bool) -> bool:
        """Return whether this is about that kind of block, that target and such models."""
        fits = self.fixed_models is None or self.fixed_models is fixed_models
        return fits and kind in self.blocks and target is self.target

    def rank(self, form: IntervalForm) -> int | None:
        """Return the rank of an interval of that form."""
        return {
            IntervalForm.OWN: self.own,
            IntervalForm.T: self.t,
            IntervalForm.NORMAL: self.normal,
            IntervalForm.SKEWED: self.skewed,
            IntervalForm.LOGIT: self.logit,
        }[form]


class VarianceTraits(NamedTuple):
    r"""Properties of a variance estimator that rules for the choice of methods use."""

    degrees_grow_with: Literal["instances", "data"] | None = None
    """``instances``: each further instance adds a degree of freedom. ``data``: the degrees of
    freedom, plus one, grow in proportion to the data, as they do where clusters or sources of
    unequal size are repeated. None where they depend on the number of blocks or splits."""
    shrinks_with_splits: bool = False
    """Whether it is :math:`(1/J + n_2/n_1) S^2` over J splits, so that more splits of the same
    instances shrink it down to a floor."""
    knows_clusters: bool = False
    """Whether it stays valid if losses within a cluster depend on each other."""
    knows_time: bool = False
    """Whether it stays valid if the losses of rows near each other in time depend on each other."""
    is_of_cluster_sums: bool = False
    """Whether it is computed from the sums of the losses over clusters alone, so that an interval
    can give these sums random weights."""
    is_between_sources: bool = False
    """Whether it is B / K: the variance of K source means, over their number. A prediction for one
    further source can rest on it."""
    uses_judge: bool = False
    """Whether it uses the grades of a judge, and its estimate is not the mean of the losses."""
    in_normal_test: Literal["default", "choice"] | None = None
    """Whether the normal test of the trained models over random folds can use it, and whether it
    does so unless a request names another."""
    default_of_t_test: frozenset[BlockKind] = frozenset()
    """The kinds of block for which a t test uses it unless a request names another variance. Of two
    such variances, the one that allows for clusters is used for data with clusters."""


class IntervalTraits(NamedTuple):
    """Properties of an interval that rules for the choice of methods use."""

    form: IntervalForm = IntervalForm.OWN
    """How it is built on a variance, or that it is not."""
    is_prediction: bool = False
    """Whether it is about the loss that will be observed on one further block, and not about a
    mean. It is recommended only where no other interval was built, and no verdict rests on it."""
    from_replicates: ReplicateForm | None = None
    """How it is computed for any statistic from bootstrap replicates; None if it cannot be."""
    only_for_models: bool = False
    """Whether it is for the mean loss of a model, and not for the difference of two."""
    only_for_pairs: bool = False
    """Whether it is for the difference of two models, and not for the mean loss of one."""
    headline_rank: int | None = None
    """Its place among the intervals of a bootstrapped statistic: pages and figures that have room
    for one interval show that with the smallest rank. None for those shown only in full."""


class LossTraits(NamedTuple):
    """Properties of a loss that rules for the choice of methods use."""

    can_be_zero_one: bool = False
    """Whether all of its values may be 0 or 1, as methods for error rates need it."""
    of_least_squares: bool = False
    """Whether a learner fitted by least squares minimises it."""
    has_bias_and_variance: bool = False
    """Whether it is split into squared bias and variance if several fits predict an instance."""


class LearnerTraits(NamedTuple):
    """Properties of a learner that rules for the choice of methods use."""

    is_penalised_least_squares: bool = False
    """Whether it is least squares with the fields ``penalty`` and ``intercept``. Selection under
    covariate shift takes such a learner unless another is named, over a grid of penalties and
    without an intercept, and fits it at all penalties at once."""


class CorrectionTraits(NamedTuple):
    """Properties of a correction of p-values that rules for the choice of methods use."""

    corrects: bool = True
    """Whether adjusted p-values differ from raw ones at all."""
    is_single_step: bool = False
    """Whether every p-value is multiplied by the same number, so that one critical difference holds
    for all pairs."""
    bounds_any_false_rejection: bool = False
    """Whether it bounds the chance of any false rejection whichever hypotheses are true."""
    is_liberal_where_models_differ: bool = False
    """Whether it rejects true hypotheses more often than alpha where others are false."""
    only_all_pairs: bool = False
    """Whether it is only for hypotheses of equality of all pairs of models."""
    uses_joint_distribution: bool = False
    """Whether it uses the joint distribution of the differences of mean losses."""
    most_models: int | None = None
    """The largest number of models that it is for; None means no limit."""


class WeightTraits(NamedTuple):
    """Properties of an estimator of importance weights that rules for the choice of methods use."""

    are_supplied: bool = False
    """Whether the weights come with the request, so that none are estimated."""
    has_function: bool = True
    """Whether it can weigh rows that it was not estimated from."""

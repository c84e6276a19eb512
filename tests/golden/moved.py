"""Numbers of the record that were moved, or changed, on purpose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Moved:
    """The number stands elsewhere now, and is the same.

    Parameters
    ----------
    to : str
        The new path after the request's name; ``\\1`` and so on are the groups of the pattern.
    """

    to: str


@dataclass(frozen=True)
class Rounded:
    """The number is computed in another order, and is compared as on another machine.

    Parameters
    ----------
    reason : str
        A sentence that says what is computed in another order.
    """

    reason: str


@dataclass(frozen=True)
class Changed:
    """The number is another one, or is no longer there, and is not compared.

    Parameters
    ----------
    reason : str
        A sentence that says why the number of the record is not right.
    """

    reason: str


_A_MINUS_B: Final = Changed(
    "A difference is a minus b also of scores where higher is better; it was b minus a."
)
_SCORES: Final = r"losses_split_scores_random/comparisons/\d+"
_NOW_IN_FULL: Final = (
    r"(?:cross_validation_(?:counts|dataset_sparse|own_learners_[a-z]+|paths_together|sklearn_[a-z]+"
    r"|scheme_(?!k_fold|source_k_fold|time_series)[a-z_0-9]+)|losses_(?:correction_[a-z_]+"
    r"|many_models_brief))"
)
"""Requests that asked for brief detail when they were recorded, and ask for every part now."""
_IN_FULL: Final = Changed(
    "Cautions, coverages, units and pairs are written at length where they apply."
)
_INCLUDED: Final = Changed("A result lists the parts that it includes; it said brief or full.")

_METRIC_INTERVALS: Final = (
    r"[a-z_0-9]+/(?:models/[^/]+|comparisons/\d+)/metrics/[^/]+/intervals/\d+"
)

_LOGIT_OF_AREAS: Final = (
    r"(?:(?:cross_validation_metrics_classes|predictions_(?:cluster|random)_metrics"
    r"|learning_curve_classes_metrics)/(?:models/[^/]+|curves/[^/]+/points/\d+)/metrics/roc_auc"
    r"/intervals/[19]|predictions_source_metrics/models/[^/]+/metrics/roc_auc/intervals/[17]"
    r"|predictions_holdout_metrics/models/[^/]+/metrics/(?:roc_auc|auc_no)/intervals/1"
    r"|selection_by_roc_auc/models/selected/metrics/roc_auc/intervals/1)"
)
"""The logit intervals on DeLong's variances of areas under the ROC curve."""

_ALL_PAIRS_OVER_REPEATS: Final = Changed(
    "Over several repeats bayle_all_pairs averages the values of the repeats, as bayle_within does."
)

_SHIPPED_STUDIES: Final = Changed(
    "The studies that the library ships were run again, with 300 draws in place of 180 and with "
    "500 samples in place of 350."
)
_TIES_OF_BCA: Final = Changed(
    "BCa counts resamples whose value is that of the sample half; where the two sums differed in "
    "the last digit, it counted them whole or not at all."
)
_CALIBRATED_DEGREES: Final = Changed(
    "Over repeated splits the recommended interval has at most seven degrees of freedom, and plans "
    "for more repeats assume as many."
)
_REPEATED: Final = (
    r"(?:cross_validation_scheme_(?:bootstrap|complete_subsampling|five_by_two|k_fold|leave_p_out"
    r"|random_subsampling|time_series)|losses_(?:five_by_two|random_repeats_unnamed"
    r"|random_three_models|random_zero_one|split_scores_five_by_two|split_scores_subsamples"
    r"|subsamples)|selection_(?:no_)?external)"
)
"""Requests over repeated splits, and over one partition whose plan is more repeats."""

_LECTURE_DRAWS: Final = Changed(
    "Rows are drawn independently and nothing is drawn again, so that a split is unbiased for what "
    "it fitted."
)
_STUDY_CLAIMS: Final = Changed(
    "The claims of the presets are judged by quadrature, stated bounds and differences that can be "
    "seen, and there are more of them."
)
_ALLOWS_FOR_SKEWNESS: Final = Changed(
    "The recommended interval of a model allows for the skewness of its losses, and that of the "
    "trained models over folds has at most nine degrees of freedom."
)
_RECOMMENDED_NOW: Final = (
    r"(?:cross_validation_all_that_apply|losses_(?:clip_range|holdout_all_that_apply|leave_one_out"
    r"|many_models_brief|one_model|random_all_that_apply|random_repeats|random_two_blocks)"
    r"|predictions_subsamples|selection_three_way)"
)
"""Requests whose recommended intervals of one model's losses are skewness-corrected now."""

_RIDGE_PATHS: Final = (
    r"(?:cross_validation_paths_together|selection_(?:by_r2|external|grids|nested|no_external"
    r"|one_standard_error|sources|three_way))"
)
"""Requests with several penalties of ridge, which are computed together."""

_MID_P: Final = Changed(
    "McNemar's test takes the mid-p value by default, which is nearer to its level than the exact "
    "one, and on which the verdict on losses of 0 and 1 rests."
)
_PAIRED_RATES: Final = Changed(
    "The difference of two error rates on a holdout has Tango's score interval, and its verdict "
    "rests on that interval and on McNemar's mid-p value, no longer on a t interval."
)
_FEW_INSTANCES: Final = Changed(
    "With up to 100 instances the interval of two paired error rates reaches as far as an exact "
    "test of a margin, so that three won instances of three do not show `not_worse`."
)
_OVER_ONE_PARTITION: Final = Changed(
    "Over one partition the recommended interval of the expected loss rests on the variance of all "
    "losses with N - 1 degrees of freedom, no longer on that of the fold means with K - 1."
)
_ONE_PARTITION: Final = (
    r"(?:cross_validation_(?:all_that_apply|scheme_k_fold)"
    r"|losses_random_(?:all_that_apply|zero_one))"
)
_OVER_SOURCES: Final = Changed(
    "Over sources theta_A, theta_B and their forms for clusters have the degrees of freedom of "
    "Welch and Satterthwaite; they had the number of instances or clusters less that of sources."
)
_INTERVALS_OVER_SOURCES: Final = (
    r"(?:(?:cross_validation_(?:calibration_sources|counts|dataset_(?:columns|sparse)"
    r"|metrics_sources)|learning_curve_sources|predictions_source_metrics|selection_sources)"
    r"/(?:models/[^/]+|comparisons/\d+|curves/[^/]+/points/\d+|bias)/intervals/0"
    r"|cross_validation_(?:predefined_sources|scheme_(?:leave_one_source_out|source_k_fold"
    r"|stratified_source_k_fold))/(?:models/[^/]+|comparisons/\d+)/intervals/[12]"
    r"|losses_(?:dataset/(?:models/[^/]+|comparisons/\d+)/intervals/[45]"
    r"|(?:greater_level|variances_source_named)/(?:models/[^/]+|comparisons/\d+)/intervals/[01]"
    r"|intervals_source_named/(?:models/[^/]+|comparisons/\d+)/intervals/1"
    r"|source_all_that_apply/(?:models/[^/]+|comparisons/\d+)/intervals/1[01]"
    r"|source_clusters/(?:models/[^/]+|comparisons/\d+)/intervals/[012]"
    r"|source_ragged/(?:models/[^/]+|comparisons/\d+)/intervals/[56]"
    r"|(?:source_repeats|target_new_source)/(?:models/[^/]+|comparisons/\d+)/intervals/3"
    r"|source_zero_one/(?:models/[^/]+/intervals/(?:9|1[01])|comparisons/\d+/intervals/(?:9|10))))"
)
"""Intervals on these variances."""
_PAIR_OVER_SOURCES: Final = (
    r"(?:cross_validation_(?:dataset_sparse|metrics_sources)|learning_curve_sources"
    r"|losses_source_clusters|predictions_source_metrics)/comparisons/\d+"
)
"""Comparisons whose verdict rests on these variances."""
_STUDY_OVER_SOURCES: Final = r"study_(?:dataset|linear_model_sources|random_effects|word_counts)"

_ALL_AT_ONCE: Final = Changed(
    "The intervals of several pairs hold for all of them at once, as their p-values do."
)
_WITH_ONE_MODEL: Final = Changed(
    "Comparisons with the best of more than eight models, or with a control, are corrected under "
    "the joint distribution of the differences."
)

_OF_ANOTHER_TARGET: Final = (
    "losses_(?:leave_one_out_calibrated|random_heavy_tails|source_clusters|source_rates_elsewhere)"
)

MOVED: Final[Mapping[str, Moved | Rounded | Changed]] = {
    rf"{_OF_ANOTHER_TARGET}/summary/(?:target|models/\d+/(?:lower|upper))": Changed(
        "The request names no target and only methods for another than the usual one: the summary "
        "is about what its first interval is about, and had no intervals."
    ),
    r"losses_runs/(models/[^/]+/runs/pass_at/\d+)/all_succeed": Moved(r"\1/all_succeed/estimate"),
    r"losses_runs/models/[^/]+/runs/pass_at/\d+/(?:lower|upper)": Changed(
        "Wilson's interval has the place of t where one outcome is rare."
    ),
    r"losses_source_rates_elsewhere/(?:summary/)?comparisons/0/(?:interval|intervals/0|number_needed"
    r"|recommended/these_sources|lower)": _FEW_INSTANCES,
    r"predictions_groups/comparisons/0/groups/site/items/0/interval/lower": _FEW_INSTANCES,
    rf"{_ONE_PARTITION}/comparisons/\d+/(?:interval|verdict)": _OVER_ONE_PARTITION,
    r"[a-z_0-9]+/comparisons/\d+/tests/(?:mcnemar|mc2)/(?:p_value|variant)": _MID_P,
    r"losses_[a-z_]+/methods/\d+/params/variant": _MID_P,
    r"predictions_[a-z_]+/methods/\d+/params/variant": _MID_P,
    r"losses_holdout_(?:zero_one|one_instance)/comparisons/0/"
    r"(?:interval|intervals/4/recommended|verdict)": _PAIRED_RATES,
    r"[a-z_0-9]+/(?:models/[^/]+|comparisons/\d+|curves/[^/]+/points/\d+|bias)"
    r"/variances/theta_[AB](?:_clusters)?/degrees_of_freedom": _OVER_SOURCES,
    rf"{_INTERVALS_OVER_SOURCES}/(?:degrees_of_freedom|lower|upper|calibration)": _OVER_SOURCES,
    r"losses_(?:dataset|greater_level|source_[a-z_]+|target_new_source)/comparisons/\d+/tests"
    r"/theta_t/(?:degrees_of_freedom|p_value)": _OVER_SOURCES,
    rf"{_PAIR_OVER_SOURCES}/(?:interval|recommended/these_sources)"
    r"/(?:degrees_of_freedom|lower|upper)": _OVER_SOURCES,
    rf"{_PAIR_OVER_SOURCES}/verdict/(?:p_value|p_value_adjusted|detectable/(?:difference"
    r"|power_at_margin)|plan/(?:additional|total))": _OVER_SOURCES,
    r"losses_source_clusters/(?:models/[^/]+/recommended/these_sources"
    r"/(?:degrees_of_freedom|lower|upper)|summary/comparisons/\d+/(?:lower|upper|p_value))": (
        _OVER_SOURCES
    ),
    r"learning_curve_sources/curves/[^/]+/(?:figure/(?:lower|upper)|saturation/sizes/\d+/upper"
    r"|steps/\d+/(?:interval/(?:degrees_of_freedom|lower|upper)|verdict/p_value))": _OVER_SOURCES,
    r"selection_sources/bias/interval/(?:degrees_of_freedom|lower|upper)": _OVER_SOURCES,
    rf"{_STUDY_OVER_SOURCES}/losses of instances/[^/]+~1(?:recommended|student_t:theta_[AB])"
    r"~1these_sources~1macro~1(?:lower|upper)": _OVER_SOURCES,
    r"study_random_effects/losses of instances/[^/]+~1tests~1theta_t~1p_value": _OVER_SOURCES,
    rf"{_STUDY_OVER_SOURCES}/tables/3/rows/\d+/(?:covers_observed_on_one_new_source|score|width)": (
        _OVER_SOURCES
    ),
    r"losses_holdout_clusters_unequal/.*/(?:expected_coverage|cautions/covers_too_rarely)": Changed(
        "No studied design has clusters of such unequal size."
    ),
    rf"(?:{_LOGIT_OF_AREAS}/(?:lower|upper|degrees_of_freedom)"
    r"|learning_curve_classes_metrics/curves/[^/]+/figure/metrics/roc_auc/(?:lower|upper)"
    r")": Changed(
        "The quantile is that of t with the size of the smaller class minus 1 as degrees of "
        "freedom, and no longer normal."
    ),
    r"losses_zero_variance/comparisons/0/verdict/(?:decision|p_value|plan_reason)": Changed(
        "The sign test of equal differences counts as many as are worth independent ones, and over "
        "three folds nine are worth 3.6."
    ),
    r"[a-z_0-9]+/.*/metrics/(?:roc_auc|auc_no)/intervals/[15]/recommended": Changed(
        "Of an area under the ROC curve area_score is recommended, which has the logit interval "
        "inside."
    ),
    r"predictions_random_counts/models/[^/]+/metrics/cohen_kappa/(?:intervals/1/recommended"
    r"|recommended/these_models/method)": Changed(
        "Of a kappa of two classes limits_of_shares is recommended, which has the logit interval "
        "inside."
    ),
    r"(?:cross_validation_metrics_sources|predictions_(?:holdout|random)_metrics)/models/[^/]+"
    r"/metrics/average_precision/intervals/[17]/(?:degrees_of_freedom|lower|upper)": Changed(
        "The logit interval of an average precision has the quantile of t with the size of the "
        "smaller class minus 1 as degrees of freedom, and no longer a normal one."
    ),
    r"[a-z_0-9]+/.*/cautions/interval_beyond_range": Changed(
        "An interval does not go beyond a range that is known; it says that it was clipped."
    ),
    r"cross_validation_own_learners_classes/comparisons": _WITH_ONE_MODEL,
    r"losses_control_less_margin/comparisons/\d+/(?:tests/[^/]+|verdict)/(?:p_value_adjusted"
    r"|decision|detectable/.*|plan/.*)": _WITH_ONE_MODEL,
    r"(?:cross_validation_(?:counts|dataset_sparse|own_learners_[a-z]+|paths_together|sklearn_[a-z]+)"
    r"|losses_(?:control_less_margin|holdout_paired_rates|many_models_brief|random_three_models)|selection_(?:no_)?external)"
    r"/comparisons/\d+/(?:interval|intervals/\d+|recommended/[^/]+)/(?:lower|upper)": _ALL_AT_ONCE,
    r"losses_holdout_paired_rates/summary/comparisons/\d+/(?:lower|upper|p_value)": _ALL_AT_ONCE,
    rf"{_RIDGE_PATHS}/losses of instances/.*/sha256": Changed(
        "Losses of ridge over several penalties differ in the last digits; their means are "
        "compared."
    ),
    r"cross_validation_(?:loss_(?:brier|hinge|logistic|quadratic_margin)|own_learners_probabilities)"
    r"/losses of instances/(?:lda|log)/sha256": Changed(
        "Losses of linear discriminants and logistic regression differ in the last digit; their "
        "means are compared."
    ),
    r"cross_validation_(?:loss_(?:brier|hinge|logistic|quadratic_margin)|own_learners_probabilities)"
    r"/(?:models/(?:lda|log)|comparisons/\d+|covariance|losses|losses of instances/(?:lda|log))"
    r"/(?!sha256).*": Rounded(
        "Folds of linear discriminants are summed in the order of the rows, as other splits were, "
        "and logistic regression starts from 0 and solves with factors, not with inverses."
    ),
    r"cross_validation_(?:counts|dataset_sparse|own_learners_[a-z]+)/learners/(?:b|bern|m|m2)"
    r"/(?:fast_splits|path|plain_splits|reason)": Changed(
        "Naive Bayes of counts is fitted to each training part; its losses are the same."
    ),
    r"study_preset_(?:importance_[a-z_]+|lecture_folds|multiple_source_variances)/claims": (
        _STUDY_CLAIMS
    ),
    r"study_preset_importance_variances/figures": Changed(
        "Figure 3 has the population of the authors' script too; Figures 1 and 5 are new."
    ),
    r"study_preset_importance_variances/losses of instances": Changed(
        "The records have no mean weight: it is decided by quadrature."
    ),
    r"(?:cross_validation_target|importance_weighting|weights)_kernel_mean_matching": Changed(
        "By default the mean weight is 1, which the controlled risk assumes."
    ),
    r"study_preset_lecture_(?:estimators|splits)": _LECTURE_DRAWS,
    r"study_preset_lecture_folds/(?:figures|losses of instances|tables/\d+/rows/\d+/bias)": Changed(
        "The bias is computed from the true errors of the models of the folds."
    ),
    r"study_preset_multiple_source_means": Changed(
        "The domains take turns as test domain; errors are computed from blocks of turns."
    ),
    r"study_preset_bootstrap_estimates/(?:claims|losses of instances"
    r"|tables/0/rows/\d+/(?:bias(?:_apart|_saved)?|corrected_bias|variance(?:_ratio)?))": Changed(
        "True bias and variance are those of further samples, which are not resampled."
    ),
    rf"{_REPEATED}/(?:models/[^/]+|comparisons/\d+)/intervals/\d+/recommended": _CALIBRATED_DEGREES,
    rf"{_REPEATED}/comparisons/\d+/interval/(?:variance|upper|lower|degrees_of_freedom)": (
        _CALIBRATED_DEGREES
    ),
    rf"{_REPEATED}/comparisons/\d+/verdict/(?:variance|p_value|detectable/difference)": (
        _CALIBRATED_DEGREES
    ),
    rf"{_REPEATED}/comparisons/\d+/verdict/plan/(?:total|additional|unit|alternatives)": (
        _CALIBRATED_DEGREES
    ),
    rf"{_RECOMMENDED_NOW}/(?:models/[^/]+|comparisons/0)/intervals/\d+/recommended": (
        _ALLOWS_FOR_SKEWNESS
    ),
    r"losses_many_models_brief/models/[a-e]/intervals/1/(?:method|lower|upper)": (
        _ALLOWS_FOR_SKEWNESS
    ),
    r"(?:cross_validation_metrics_classes|predictions_(?:(?:cluster|holdout|random)_metrics"
    r"|three_classes))/models/[^/]+/metrics/matthews/intervals/\d+/recommended": Changed(
        "The logit interval of a metric between -1 and 1, Fisher's z, is recommended as others are."
    ),
    r"losses_(?:holdout|random)_clusters/models/[ab]/intervals/\d+/recommended": Changed(
        "With clusters, too, the recommended interval of a model allows for the skewness of its "
        "losses."
    ),
    r"selection_three_way/bias/(?:interval/(?:method|lower|upper)|intervals/4/recommended)": (
        _ALLOWS_FOR_SKEWNESS
    ),
    r"selection_by_roc_auc/models/selected/metrics/roc_auc"
    r"/(?:against_chance|estimate/pooled|intervals/[89]|variances/delong)": Changed(
        "The pooled area compared probabilities of gnb with log odds of log; both are log odds now."
    ),
    r"losses_zero_variance/comparisons/0/tests"
    r"/(?:bayle_z|bootstrap_difference|nadeau_bengio_t|paired_t_blocks)/p_value": Changed(
        "Differences that are all equal and not 0 do not show how certain they are."
    ),
    r"losses_(?:holdout_clusters|random_clusters|split_scores_sources|subsamples|tests_with_parameters|unit_block)"
    r"/comparisons/0/tests/(?:bootstrap_difference|bd2)"
    r"/(?:p_value|cautions/smallest_p_value/is_there)": Changed(
        "The p-value of the bootstrap is not below that of as many units with one sign."
    ),
    r"(?:losses_random_instances/comparisons/0/wins/lower"
    r"|predictions_loss_size/comparisons/0/wins/upper)": Changed(
        "The interval of a win rate contains one half where the exact sign test does not reject."
    ),
    r"losses_random_repeats_unnamed/(?:not_applicable|methods)": _ALL_PAIRS_OVER_REPEATS,
    r"(?:losses_five_by_two|losses_random_repeats|cross_validation_scheme_five_by_two)"
    r"/(?:models/[^/]+|comparisons/\d+)/(?:variances/bayle_all_pairs|tests/bayle_z)": (
        _ALL_PAIRS_OVER_REPEATS
    ),
    r"losses_five_by_two/(?:models/[^/]+|comparisons/\d+)/intervals/2": _ALL_PAIRS_OVER_REPEATS,
    r"cross_validation_(?:counts/comparisons/2|dataset_sparse/comparisons/1)"
    r"/(?:difference|difference_pooled|effect_size|intervals?|tests|variances|verdict)": Changed(
        "The two models differ by rounding errors alone (1e-16), which count as no difference."
    ),
    r"(?:losses_holdout_clusters_unequal/(?:models/[ab]/(?:intervals/1|recommended/these_models)"
    r"|summary/models/[01])|losses_judge_clusters/models/m/intervals/2)/(?:lower|upper)": Changed(
        "In clusters of unequal size an end of skewness_corrected is not nearer than that of t."
    ),
    r"(?:losses_(?:holdout_paired_rates(?:_clusters)?|source_rates_elsewhere)|predictions_(?:groups"
    r"|loss_miscoverage))/comparisons/\d+/verdict/(?:detectable/(?:difference|power_at_margin)"
    r"|plan/(?:additional|total))": Changed(
        "The power of two rates is that of the verdict's own test, by enumeration of all tables; "
        "over clusters it has the quantile of t."
    ),
    r"losses_control_less_margin/comparisons/\d+/verdict/detectable/power_at_margin": Rounded(
        "The critical value is the quantile of the tail, no longer of one minus the tail."
    ),
    r"[a-z_0-9]+/comparisons/\d+/verdict/detectable/(?:alpha|power_at_margin)": Rounded(
        "The level's complement is computed in decimals: alpha is 0.05, not 0.050000000000000044."
    ),
    r"(?:losses_(?:five_by_two|holdout_all_that_apply|holdout_clusters|holdout_zero_one|one_model"
    r"|random_all_that_apply|random_zero_one|source_all_that_apply|source_one_instance_each"
    r"|source_zero_one|split_scores_sources)/(?:models/[^/]+|comparisons/\d+)/intervals/1"
    r"|losses_intervals_shares/(?:comparisons/\d+/intervals/3|models/[^/]+/intervals/5)"
    r"|losses_intervals_source_named/(?:models/[^/]+|comparisons/\d+)/intervals/4"
    r"|cross_validation_metrics_classes/models/[^/]+/metrics/roc_auc/intervals/7"
    r"|cross_validation_metrics_sources/models/[^/]+/metrics/[^/]+/intervals/5"
    r"|learning_curve_classes_metrics/(?:curves/[^/]+/points/1|models/[^/]+)/metrics/roc_auc"
    r"/intervals/7|predictions_source_metrics/comparisons/\d+/metrics/balanced_accuracy"
    r"/intervals/3)/(?:lower|upper)": _TIES_OF_BCA,
    r"[a-z_0-9]+/(?:.+/)?expected_(?:coverage|size)/"
    r"(?:coverage|size|standard_error|least|largest)": _SHIPPED_STUDIES,
    r"[a-z_0-9]+/models/[^/]+/metrics/(?:balanced_accuracy/intervals/1|r2/intervals/0)"
    r"/recommended": Changed(
        "The recommended interval of a balanced accuracy is the score interval, and that of R "
        "squared the log jackknife; the logit and the normal interval covered too rarely."
    ),
    r"(?:predictions_(?:cluster|holdout|random|source)_metrics|cross_validation_metrics_(?:classes"
    r"|sources)|learning_curve_classes_metrics)/comparisons/\d+/metrics/(?:average_precision"
    r"|balanced_accuracy|roc_auc)/(?:degrees_of_freedom|method|p_value|standard_error|statistic"
    r"|variance|intervals?(?:/\d+)?/(?:degrees_of_freedom|estimate|lower|mean|method|recommended"
    r"|standard_error|upper|variance))": Changed(
        "Differences of areas and average precisions have quantiles of t with few instances of a "
        "class; those of balanced accuracies, and of models with few errors, come from the limits "
        "of both models."
    ),
    r"predictions_cluster_metrics/(?:models/[^/]+/metrics/(?:roc_auc|matthews)"
    r"|comparisons/\d+/metrics/matthews)/(?:degrees_of_freedom|p_value"
    r"|interval(?:s/\d+)?/(?:degrees_of_freedom|lower|upper)"
    r"|variances/cluster_robust(?:_blocks)?/degrees_of_freedom)": Changed(
        "The clusters of a metric are those that have its rarest class."
    ),
    rf"{_METRIC_INTERVALS}/(?:lower|upper|standard_error)": Rounded(
        "The percentile and BCa intervals of a metric are those of a mean, which start from the "
        "deviations of the replicates."
    ),
    rf"{_METRIC_INTERVALS}/cautions/few_units_resampled": Changed(
        "The bootstrap intervals of a metric have the cautions of those of a mean."
    ),
    r"(?:cross_validation_scheme_time_series|learning_curve_time|predictions_subsamples)"
    r"/(?:curves/[a-z]+/)?cautions/no_partition/is_there": Changed(
        "Test parts of forward chaining, or of named instances, do not overlap where none is "
        "tested twice."
    ),
    rf"{_SCORES}/(cautions/difference_in_loss_units|difference|difference_pooled)": _A_MINUS_B,
    rf"{_SCORES}/effect_size/(value|hedges_g|rank_biserial)": _A_MINUS_B,
    rf"{_SCORES}/(interval|intervals/\d+)/(estimate|lower|upper)": _A_MINUS_B,
    rf"{_SCORES}/variances/[^/]+/estimate": _A_MINUS_B,
    rf"{_SCORES}/tests/bayesian_[a-z_]+": _A_MINUS_B,
    rf"{_SCORES}/tests/[a-z_]+/statistic": _A_MINUS_B,
    rf"{_SCORES}/verdict/plan/assumed_difference": _A_MINUS_B,
    r"[a-z_0-9]+/detail": _INCLUDED,
    rf"{_NOW_IN_FULL}/comparison_(?:tests|cautions|coverages)": _IN_FULL,
    rf"{_NOW_IN_FULL}/comparisons/\d+/interval/expected_coverage_share": _IN_FULL,
    rf"{_NOW_IN_FULL}/comparisons/\d+/cautions": _IN_FULL,
    rf"{_NOW_IN_FULL}/omnibus/friedman/pair_columns/(z|p_value|p_value_adjusted)/(\d+)": Moved(
        r"omnibus/friedman/pairs/\2/\1"
    ),
    rf"{_NOW_IN_FULL}/omnibus/friedman/pairs": _IN_FULL,
    r"losses_many_models_brief/models/([a-e])/intervals/1": Moved(
        r"models/\1/recommended/these_sources"
    ),
    r"importance_weighting_[a-z_]+/(?:learners/[a-z]+/)?comparisons/\d/under/[a-z_0-9]+/cautions"
    r"/zero_variance/is_there": Changed(
        "Two risks that select the same value have a difference of 0, which is not in doubt."
    ),
    r"agreement_ordinal_clusters/pairs/\d/observed/(lower|upper)": Changed(
        "The agreement of raters in clusters has Wilson's interval by the design effect."
    ),
    r"predictions_probabilities/comparisons/0/probabilities/parts/(brier|log)/score/"
    r"(lower|upper|method)": Changed(
        "The difference of scores has Student's t, as the comparison of the same losses has."
    ),
    r"losses_many_models_brief/models/[a-e]/intervals/0": Changed(
        "In brief a model has its recommended intervals alone."
    ),
    rf"{_RIDGE_PATHS}/(?!.*sha256).*": Rounded(
        "Ridge over several penalties returns predictions, not errors, and leave-one-out is "
        "computed in rotated rows whatever the condition number."
    ),
}
"""By a regular expression for the beginning of ``REQUEST/PATH``, such as
``losses_.*/models/[^/]+/mean``. What follows it in the path stays as it is."""


def is_clipped(path: str, recorded: object, now: object) -> bool:
    """Return whether a number is the recorded end of an interval, clipped at 0, 1 or -1.

    No interval leaves the range of a loss or metric that is known; when the numbers were recorded,
    an interval did so unless the request had clip.
    """
    parts = path.split("/")
    if not ({"lower", "upper"} & set(parts[-2:])):
        return False
    if not (isinstance(recorded, float) and isinstance(now, float)):
        return False
    is_lower = "lower" in parts[-2:]
    return now in ((-1.0, 0.0) if is_lower else (0.0, 1.0)) and (
        recorded < now if is_lower else recorded > now
    )


def moved_to(
    request: str, path: str, moved: Mapping[str, Moved | Rounded | Changed]
) -> tuple[str | None, bool]:
    """Return where a recorded number is to be looked for now, and whether it must be exact.

    The place is None where the number is not compared. A pattern matches whole parts of a path.
    The first that matches counts.
    """
    whole = f"{request}/{path}"
    for pattern, change in moved.items():
        match = re.match(f"(?:{pattern})(?=/|$)", whole)
        if match is None:
            continue
        if isinstance(change, Changed):
            return None, False
        if isinstance(change, Rounded):
            return path, False
        return match.expand(change.to) + whole[match.end() :], True
    return path, True

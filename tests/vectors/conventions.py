"""What the product has no number for, and what other packages answer for another convention."""

from __future__ import annotations

from typing import Final

NOT_GIVEN: Final[dict[str, dict[str, str]]] = {
    **dict.fromkeys(
        ("prediction_powered_mean", "prediction_powered_difference"),
        dict.fromkeys(
            ("lambda_1.degrees_of_freedom_welch", "tuned.degrees_of_freedom_welch"),
            "intervals have n - 1 degrees of freedom, which cover slightly better than Welch's",
        ),
    ),
    "prediction_powered_mean_clusters": {
        "macro_lambda_1": "the target is the mean over rows, not that of cluster means"
    },
    "confidence_sequence_bounded": {
        "predictable_mixture_hoeffding": (
            "the series of a known range is the empirical Bernstein one, which adapts to the spread"
        )
    },
    "time_uniform_boundary": {"one_sided": "series have two-sided intervals only"},
    "group_sequential": {
        "inflation_factor_power_80": (
            "a plan of looks names its rows; no number of rows is computed from a power"
        )
    },
    "mean_by_group_simultaneous": {
        "max_t_common_variance_critical_value": (
            "a common variance lends a group the others' spread, so each group has its own"
        )
    },
    "metrics_by_group": {
        "ratio_smallest_to_largest": (
            "a ratio of rates is 0 or undefined where a rate is 0; groups have differences"
        ),
    },
    "runs_no_item_variance": dict.fromkeys(
        ("reml", "mean_reml", "standard_error_of_mean_reml"),
        "a negative component is reported as it is, and REML makes it 0",
    ),
    "runs_unequal": {
        **dict.fromkeys(
            ("reml", "mean_reml", "standard_error_of_mean_reml"),
            "components are those of the analysis of variance, and items have equal weights",
        ),
        "cluster_robust_standard_error_of_pooled_mean": (
            "clusters have CR2, and the vector CR1; they are the same where clusters are equal"
        ),
    },
    "pass_at_k_benchmark": {"plug_in_biased": "the vector names it as what not to do"},
    "paired_models_with_runs": {
        "standard_error_unpaired_runs_as_items_wrong": "the vector names it as wrong"
    },
    "long_run_variance": {
        **dict.fromkeys(
            (
                "arch_optimal_block_length.stationary",
                "se_block_bootstrap_length_5.moving",
                "se_block_bootstrap_length_5.stationary",
            ),
            "blocks are circular",
        ),
    },
    "relative_difference": dict.fromkeys(
        ("delta_se_of_log_ratio", "delta_log_interval_t"),
        "ratios have Fieller's set; the interval of the log ratio covers in .27 to .85 of samples "
        "of few rare losses",
    ),
    "win_rate": {
        "win_rate_without_ties_wilson": (
            "a tie counts one half, and the rate has the interval that decides as the sign test"
        )
    },
}
"""By method or id of a vector, by key of ``expected``: why there is no such number."""

OTHER_TOLERANCES: Final = {"slope_profile_likelihood_95": 2e-3}
"""R interpolates the profile by a spline, which is wrong in the fourth digit with few rows. Of the
eight rows of ``prob_small`` direct maximisation gives -.140552566 and 3.586011294, as we do."""

TRAPS: Final[dict[tuple[str, ...], dict[str, str]]] = {
    ("prediction_powered_mean", "prediction_powered_difference"): {
        "ppi_py_divisor_n.interval_lambda_1": "lambda_1.interval_t_n_minus_1",
        "ppi_py_divisor_n.lambda_tuned_unclipped": "tuned.lambda",
        "ppi_py_divisor_n.estimate_tuned": "tuned.estimate",
        "ppi_py_divisor_n.interval_tuned": "tuned.interval_t_n_minus_1",
        "ppi_py_divisor_n.interval_labels_only": "labels_only_interval",
        "glide_tuned.interval": "tuned.interval_t_n_minus_1",
        "truescore_tuned.point": "tuned.estimate",
        "truescore_tuned.lambda": "tuned.lambda",
        "truescore_tuned.standard_error": "tuned.standard_error",
        "truescore_tuned.interval": "tuned.interval_t_n_minus_1",
        "rogan_gladen_truescore.point": "tuned.estimate",
        "rogan_gladen_truescore.interval": "tuned.interval_t_n_minus_1",
    },
    ("ppi_judge_against_labels",): {
        "glide_tuned.estimate": "tuned.estimate",
        "glide_tuned.standard_error": "tuned.standard_error",
    },
    ("prediction_powered_mean_stratified",): {
        "glide_tuned_not_clipped.estimate": "tuned.estimate",
        "glide_tuned_not_clipped.standard_error": "tuned.standard_error",
        "lambda_before_clipping": "tuned.lambda_by_stratum",
    },
    ("prediction_powered_mean_clusters",): {
        "glide_tuned_macro.estimate": "tuned.estimate_pooled",
        "glide_tuned_macro.standard_error": "tuned.standard_error",
        "truescore_tuned.point": "tuned.estimate_pooled",
        "truescore_tuned.standard_error": "tuned.standard_error",
        "truescore_tuned.lambda": "tuned.lambda",
    },
    ("prediction_powered_mean_cross_fitted",): {"ppi_py_interval_divisor_n": "interval"},
    ("confidence_sequence_bounded",): {
        "betting_grid_1000": "predictable_mixture_empirical_bernstein_intersected",
        "conjugate_mixture_empirical_bernstein_v_opt_10": (
            "predictable_mixture_empirical_bernstein_intersected"
        ),
        "predmix_hoeffding_intersected": "predictable_mixture_empirical_bernstein_intersected",
        "betting_wealth_at_middle": "beta_binomial_e_value_at_half_uniform_prior",
    },
    ("time_uniform_boundary",): {
        "gamma_exponential_c_1": "two_sided_each_tail",
        "polynomial_stitching": "two_sided_each_tail",
    },
    ("mean_by_group_simultaneous",): {
        "common_variance_means.lower": "lower",
        "common_variance_means.upper": "upper",
        "own_variance_normal_means.lower": "lower",
        "own_variance_normal_means.upper": "upper",
        "common_variance_all_pairs.lower": "all_pairs_own_variance.lower",
        "common_variance_all_pairs.upper": "all_pairs_own_variance.upper",
        "common_variance_against_overall.lower": "against_overall_own_variance.lower",
        "common_variance_against_overall.upper": "against_overall_own_variance.upper",
    },
    ("difference_by_group",): {
        "multcomp_interval_lower": "lower",
        "multcomp_interval_upper": "upper",
        "multcomp_critical": "critical_value_normal",
    },
    ("probabilities_binary", "probabilities_two_models"): {
        "netcal_ece_equal_width": "ece_equal_width_right_closed",
        "ece_equal_width_left_closed": "ece_equal_width_right_closed",
        "uc_ece_15_equal_mass": "ece_equal_width_right_closed",
        "relplot_smooth_ece": "ece_equal_width_right_closed",
        "uc_plugin_l2": "debiased_l2_15_equal_count_bins",
        "murphy.reliability": "corp_brier.miscalibration",
        "murphy.resolution": "corp_brier.discrimination",
        "rms_val_prob.Slope": "slope",
    },
    ("probabilities_several_classes",): {
        "netcal_top_label_ece": "top_label_ece_equal_width",
        "uc_top_label_ece": "top_label_ece_equal_width",
    },
    ("pass_at_k",): {"function_of_the_paper": "per_item"},
    ("long_run_variance",): {
        "se_newey_west_automatic_bandwidth": "se_newey_west",
        "automatic_bandwidth": "lag",
        "se_andrews_quadratic_spectral": "se_newey_west",
        "statsmodels_uniform_kernel": "se_newey_west",
    },
    ("diebold_mariano",): {
        "absolute_acf.statistic": "absolute_acf_instead.statistic",
        "absolute_acf.p_value": "absolute_acf_instead.p_value",
        "absolute_acf.p_less": "absolute_acf_instead.p_less",
        "squared_acf.statistic": "squared_acf_instead.statistic",
        "squared_acf.p_value": "squared_acf_instead.p_value",
        "squared_acf.p_less": "squared_acf_instead.p_less",
    },
    ("agreement",): {
        "irrcac_krippendorff_standard_error": "alpha_standard_error",
        "statsmodels_kappa.standard_error_if_zero": "kappa.standard_error",
        "statsmodels_kappa.lower": "kappa.lower",
        "statsmodels_kappa.upper": "kappa.upper",
    },
    ("fleiss_kappa",): {"randolph_kappa": "fleiss_kappa"},
    # what the vectors themselves have among what is expected, as what not to do
    ("pass_at_k_benchmark",): {
        "1.plug_in_biased": "1.mean",
        "5.plug_in_biased": "5.mean",
        "10.plug_in_biased": "10.mean",
    },
    ("paired_models_with_runs",): {
        "standard_error_unpaired_runs_as_items_wrong": "standard_error_over_items"
    },
}
"""By method or id: what others answer, and our number that it must not be."""

NO_TRAP: Final[dict[str, tuple[str, ...]]] = {
    "it is a text, or they have no number either": (
        *("names", "conjugate_mixture_error", "R_error", "warning"),
        *("refused", "power_error", "statsmodels_kappa"),
    ),
    "all agree on it": (
        *("estimate_lambda_1", "murphy.uncertainty", "rms_val_prob.Brier", "rms_val_prob.S:z"),
        *("rms_val_prob.S:p", "statsmodels_kappa.kappa", "statsmodels_kappa.standard_error"),
        *("common_variance_means.estimate", "own_variance_normal_means.estimate"),
        *("common_variance_all_pairs.estimate", "common_variance_against_overall.estimate"),
    ),
    "all agree where the weight of the judge need not be clipped or exists": (
        *("glide_tuned.estimate", "glide_tuned.standard_error"),
        "ppi_py_divisor_n.lambda_tuned_unclipped",
    ),
    "it follows from a number beside it that is a trap": (
        *("rms_val_prob.Intercept", "critical", "truescore_tuned.interval"),
        *("glide_tuned_not_clipped.interval", "glide_tuned_macro.interval"),
    ),
    "results have no such quantity, or it is rounded": (
        *("p_value_greater_than_zero_lambda_1", "correlation_of_judge", "effective_sample_size"),
        *("netcal_mce", "netcal_ace", "C (ROC)", "Emax", "E90", "Eavg"),
    ),
}
"""Why a key of ``elsewhere`` is no trap, and the ends of such keys."""

WITHOUT_WEIGHT: Final = {
    "ppi_py_divisor_n.estimate_tuned",
    *("truescore_tuned.point", "truescore_tuned.lambda", "truescore_tuned.standard_error"),
}
"""Keys of those who give the judge no weight, so that the answer is that of the labels."""

AGREED: Final[dict[str, set[str]]] = {
    "ppi_judge_against_labels": WITHOUT_WEIGHT,
    "ppi_useless_judge_one_value": WITHOUT_WEIGHT,
    # no probability is 0 or 1, so no row is left out
    "prob_over_confident": {"rms_val_prob.Slope"},
    "prob_well_calibrated": {"rms_val_prob.Slope"},
    # one probability for all is one bin
    "prob_constant": {
        "netcal_ece_equal_width",
        "ece_equal_width_left_closed",
        "uc_ece_15_equal_mass",
        "murphy.reliability",
        "murphy.resolution",
    },
    "prob_ties_rounded": {"uc_ece_15_equal_mass"},
    # no probability is on the edge of a bin
    "prob_three_classes": {"netcal_top_label_ece"},
    "prob_two_models": {"a.netcal_ece_equal_width", "a.ece_equal_width_left_closed"},
    "pass_at_k": {"function_of_the_paper"},  # k is not above n
    "pass_at_k_benchmark": {"1.plug_in_biased"},  # the bias begins with k = 2
    "time_white": {"se_newey_west_automatic_bandwidth"},  # 3.1 lags, cut to 3
}
"""By id: keys of ``TRAPS`` whose numbers are ours, because on these data both conventions agree."""

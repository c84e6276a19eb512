"""Weighted cross-validation and importance weights of very many small data sets at once."""

from thetahat_replications.batches.kernel_mean_matching import estimate_kernel_mean_matching_weights
from thetahat_replications.batches.problems import Problems
from thetahat_replications.batches.selection import SelectedPenalties, select
from thetahat_replications.batches.weights import (
    estimate_gaussian_ratios,
    estimate_weights_one_by_one,
)

__all__ = [
    "Problems",
    "SelectedPenalties",
    "estimate_gaussian_ratios",
    "estimate_kernel_mean_matching_weights",
    "estimate_weights_one_by_one",
    "select",
]

"""Weighted cross-validation and importance weights of very many small data sets at once."""

from replications.batches.coefficients import LinearRisk
from replications.batches.kernel_mean_matching import kernel_mean_matching_weights
from replications.batches.kliep import kliep_weights
from replications.batches.problems import Problems
from replications.batches.selection import SelectedPenalties, select
from replications.batches.weights import gaussian_ratios, weights_one_by_one

__all__ = [
    "LinearRisk",
    "Problems",
    "SelectedPenalties",
    "gaussian_ratios",
    "kernel_mean_matching_weights",
    "kliep_weights",
    "select",
    "weights_one_by_one",
]

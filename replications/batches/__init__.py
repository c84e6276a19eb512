"""Selection for another population on very many small data sets, as arrays and not in loops."""

from replications.batches.likelihood import likeliest
from replications.batches.matching import matched
from replications.batches.problems import Problems
from replications.batches.selection import Selected, select
from replications.batches.weights import gaussian_ratios, one_by_one

__all__ = [
    "Problems",
    "Selected",
    "gaussian_ratios",
    "likeliest",
    "matched",
    "one_by_one",
    "select",
]

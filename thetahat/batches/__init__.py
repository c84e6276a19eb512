"""Selection for another population on very many small data sets, as arrays and not in loops."""

from thetahat.batches.likelihood import likeliest
from thetahat.batches.matching import matched
from thetahat.batches.problems import Problems
from thetahat.batches.selection import Selected, select
from thetahat.batches.weighing import gaussian_ratios, one_by_one

__all__ = [
    "Problems",
    "Selected",
    "gaussian_ratios",
    "likeliest",
    "matched",
    "one_by_one",
    "select",
]

"""Selection for another population: weighted cross-validation over a grid, risk by risk."""

from thetahat.shifting.choosing import least
from thetahat.shifting.plain import PlainSelection, plain_scores, plain_selection
from thetahat.shifting.ridge_scores import ridge_coefficients, ridge_scores

__all__ = [
    "PlainSelection",
    "least",
    "plain_scores",
    "plain_selection",
    "ridge_coefficients",
    "ridge_scores",
]

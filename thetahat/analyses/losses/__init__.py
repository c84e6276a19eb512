"""The evaluation of losses: choices, variances, intervals, tests, verdicts and plans."""

from thetahat.analyses.losses.checks import check, list_fitting_methods, other_than_zero_one
from thetahat.analyses.losses.choices import Choices, Chosen, Gate
from thetahat.analyses.losses.evaluation import evaluate
from thetahat.analyses.losses.method_selection import EVERY_TEST
from thetahat.analyses.losses.rules import RULES
from thetahat.corrections import CORRECTIONS

__all__ = [
    "CORRECTIONS",
    "EVERY_TEST",
    "RULES",
    "Choices",
    "Chosen",
    "Gate",
    "check",
    "evaluate",
    "list_fitting_methods",
    "other_than_zero_one",
]

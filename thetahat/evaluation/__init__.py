"""From the losses of all models to the result tree: choices, recommendation, verdicts, plans."""

from thetahat.evaluation.checks import check, other_than_zero_one, those_that_fit
from thetahat.evaluation.choices import Choices, Chosen
from thetahat.evaluation.corrections import CORRECTIONS
from thetahat.evaluation.rules import RULES
from thetahat.evaluation.selections import EVERY_TEST
from thetahat.evaluation.tree import evaluate

__all__ = [
    "CORRECTIONS",
    "EVERY_TEST",
    "RULES",
    "Choices",
    "Chosen",
    "check",
    "evaluate",
    "other_than_zero_one",
    "those_that_fit",
]

"""From the losses of all models to the result tree: choices, recommendation, verdicts, plans."""

from thetahat.evaluation.checks import check
from thetahat.evaluation.choices import Choices, Chosen
from thetahat.evaluation.corrections import CORRECTIONS
from thetahat.evaluation.recommendation import RULES
from thetahat.evaluation.tree import evaluate

__all__ = ["CORRECTIONS", "RULES", "Choices", "Chosen", "check", "evaluate"]

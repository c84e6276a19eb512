"""Advice before the work: which scheme fits the data and the question, and what it will show."""

from thetahat.advice.advising import advise
from thetahat.advice.result import Advice
from thetahat.advice.situation import Situation

__all__ = ["Advice", "Situation", "advise"]

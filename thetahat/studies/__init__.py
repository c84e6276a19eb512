"""Studies: many data sets from a known population, and what estimators make of each."""

from thetahat.studies.base import Findings, Records, Study
from thetahat.studies.claims import Claim, decide
from thetahat.studies.figures import Axis, Figure, Series
from thetahat.studies.tables import Number, Table

__all__ = [
    "Axis",
    "Claim",
    "Figure",
    "Findings",
    "Number",
    "Records",
    "Series",
    "Study",
    "Table",
    "decide",
]

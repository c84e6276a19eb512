"""Studies: many data sets from a known population, and what estimators make of each."""

from thetahat.analyses.studies.base import Findings, Records, Study
from thetahat.analyses.studies.claims import Claim, decide
from thetahat.analyses.studies.figures import Axis, Figure, Series
from thetahat.analyses.studies.tables import Number, Table

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

"""Studies: many data sets from a known population, and what estimators make of each."""

from thetahat.analyses.studies.base import Records, Study, StudyFindings
from thetahat.analyses.studies.claims import StudyClaim, decide
from thetahat.analyses.studies.figures import FigureAxis, FigureSeries, StudyFigure
from thetahat.analyses.studies.tables import MonteCarloNumber, StudyTable

__all__ = [
    "FigureAxis",
    "FigureSeries",
    "MonteCarloNumber",
    "Records",
    "Study",
    "StudyClaim",
    "StudyFigure",
    "StudyFindings",
    "StudyTable",
    "decide",
]

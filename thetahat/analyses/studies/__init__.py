"""Studies: estimators on many data sets from a population whose truth is known.

A study is a ``Study`` (``base``): ``run`` computes repetitions, ``finish`` turns their records into
tables, figures and claims. ``general`` is the study that a request describes by its population,
draw and estimators. Presets (``presets``) are studies written in Python.
"""

from thetahat.analyses.studies.base import Records, Study, StudyFindings
from thetahat.analyses.studies.claims import ClaimCase, ClaimRow, RelativeBound, decide, judge
from thetahat.analyses.studies.result import (
    FigureAxis,
    FigureSeries,
    StudyClaim,
    StudyFigure,
    StudyTable,
    make_series,
    make_series_of_numbers,
    make_table,
)
from thetahat.values.monte_carlo_number import MonteCarloNumber, make_exact

__all__ = [
    "ClaimCase",
    "ClaimRow",
    "FigureAxis",
    "FigureSeries",
    "MonteCarloNumber",
    "Records",
    "RelativeBound",
    "Study",
    "StudyClaim",
    "StudyFigure",
    "StudyFindings",
    "StudyTable",
    "decide",
    "judge",
    "make_exact",
    "make_series",
    "make_series_of_numbers",
    "make_table",
]

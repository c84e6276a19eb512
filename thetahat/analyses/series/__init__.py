"""Series: losses that arrive in batches, looked at after each, until something is decided."""

from thetahat.analyses.series.batches import Batch
from thetahat.analyses.series.design import Expected, SeriesDesign, Unit
from thetahat.analyses.series.plans import SeriesPlan, plan_series
from thetahat.analyses.series.statements import Statement, judge_requirement
from thetahat.analyses.series.steps import SequentialLook, SeriesState, add_batch, begin_series

__all__ = [
    "Batch",
    "Expected",
    "SequentialLook",
    "SeriesDesign",
    "SeriesPlan",
    "SeriesState",
    "Statement",
    "Unit",
    "add_batch",
    "begin_series",
    "judge_requirement",
    "plan_series",
]

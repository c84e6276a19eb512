"""All figures of a result."""

from __future__ import annotations

from typing import Final

from service.figures.by_source import build_by_source
from service.figures.differences import build_differences
from service.figures.figure import Figure, Result
from service.figures.forest import build_forest
from service.figures.study import build_study

BUILDERS: Final = (build_forest, build_differences, build_by_source, build_study)


def list_figures(result: Result) -> tuple[Figure, ...]:
    """Return the figures of a result, in the order in which they are read.

    Parameters
    ----------
    result : mapping
        The JSON of a result.
    """
    return tuple(figure for build in BUILDERS for figure in build(result))

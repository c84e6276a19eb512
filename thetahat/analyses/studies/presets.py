"""The interface of presets, which are studies written in Python, and how they are found.

A preset is a frozen dataclass whose fields are the parameters that a request may override; their
defaults are the values of the source. ``plan`` returns a ``Study``. Packages offer their presets by
an entry point of the group ``thetahat.presets``; ``docs/studies.md`` says how to write one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any, ClassVar, Final, Protocol

from thetahat.analyses.studies.base import Study
from thetahat.registry import MethodInfo, Registry
from thetahat.tables.data import Data

GROUP: Final = "thetahat.presets"
"""The entry point group; each entry point names a ``Registry`` of presets."""


@cache
def collect_presets() -> Registry[type[Preset]]:
    """Return every preset of the installed packages by wire name.

    ``thetahat`` itself has none; the package ``replications`` offers those of this project.
    """
    by_name: dict[str, Any] = {}
    for entry_point in entry_points(group=GROUP):
        by_name.update(entry_point.load())
    return Registry("presets", by_name)


class Preset(Protocol):
    """A frozen dataclass whose fields are the preset's parameters."""

    info: ClassVar[MethodInfo]
    repetitions: ClassVar[int]
    """The default number of repetitions: that of the source, or what the claims need."""
    roles: ClassVar[Mapping[str, str]]
    """The data sets that the preset can use: by role, a sentence that describes them. All are
    optional: without a data set the preset uses a generator and adds a caution."""

    def plan(self, data: Mapping[str, Data], seed: int) -> Study:
        """Return the study of these data, or raise ``EvaluationError`` if they do not fit.

        Parameters
        ----------
        data : mapping of str to Data
            The data sets of the request, by role.
        seed : int
            The job's seed: all random numbers come from ``make_random_stream(seed, "study",
            index)``.
        """
        ...

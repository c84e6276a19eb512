"""Presets: results of published papers that a study computes again, and how they are found.

A preset is a frozen dataclass whose fields are what a request may override, each with the
source's own value as its default. ``plan`` turns it into a ``Study`` (see ``base``), whose
repetitions are spread over the workers and whose ``finish`` writes tables, figures and
claims. How to add one: ``docs/studies.md``.
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
"""Entry point group; each entry point names a ``Registry`` of presets."""


@cache
def presets() -> Registry[type[Preset]]:
    """Return every preset of the installed packages by wire name.

    The library ships none: ``replications`` offers its own through the entry point group
    ``thetahat.presets``, and other packages may do the same.
    """
    found: dict[str, Any] = {}
    for entry_point in entry_points(group=GROUP):
        found.update(entry_point.load())
    return Registry("presets", found)


class Preset(Protocol):
    """A frozen dataclass whose fields are the preset's parameters."""

    info: ClassVar[MethodInfo]
    repetitions: ClassVar[int]  # that the source has, or that its claims need
    roles: ClassVar[Mapping[str, str]]
    """What data sets it can use, by role, each with a sentence that says what for. None has to be
    given: without one a preset runs on a generator and says so in its cautions."""

    def plan(self, data: Mapping[str, Data], seed: int) -> Study:
        """Return the study of these data; what does not fit raises ``EvaluationError``.

        Parameters
        ----------
        data : mapping of str to Data
            By role, those that the request gives.
        seed : int
            The job's seed: all random numbers come from ``stream(seed, "study", index)``.
        """
        ...

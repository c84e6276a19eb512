"""What a preset is.

A preset is a frozen dataclass whose fields are what a request may override, each with the
source's own value as its default. ``plan`` turns it into a ``Study`` (``thetahat.studies.base``),
whose repetitions are spread over the workers and whose ``finish`` writes tables, figures and
claims. How to add one: ``docs/studies.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol

from thetahat.data import Data
from thetahat.registry import MethodInfo
from thetahat.studies.base import Study


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

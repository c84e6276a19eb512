"""What the pieces of a learning curve gave, read one learner at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from service.jobs.kinds._learners_told import told_by
from service.jobs.parts import failure_in
from thetahat.resampling import unpack
from thetahat.resampling.outcomes import Outcomes, joined
from thetahat.types import IntArray

Parts = Sequence[Mapping[str, Any]]
Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AtSize:
    """One learner at one size.

    Parameters
    ----------
    outcomes : Outcomes
        Of all splits; their training sizes are those that were learnt from.
    whole : ndarray of int
        (J,) rows of the whole training parts.
    """

    outcomes: Outcomes
    whole: IntArray

    @property
    def over_whole_parts(self) -> Outcomes:
        """The outcomes with the sizes of the whole training parts, as ``Point`` says."""
        places = replace(self.outcomes.places, n_train=self.whole)
        return replace(self.outcomes, places=places)


@dataclass(slots=True)
class OfLearner:
    """What one learner gave.

    Parameters
    ----------
    sizes : dict of int to AtSize
        In order; those at which every split ran.
    failures : dict of int to dict
        ``code``, ``message`` and ``loc`` by size.
    again : dict of int to list
        By design, what extra fits gave.
    """

    sizes: dict[int, AtSize] = field(default_factory=dict)
    failures: dict[int, dict[str, Any]] = field(default_factory=dict)
    again: dict[int, list[Arrays]] = field(default_factory=dict)


def of_learner(name: str, parts: Parts, outputs: Sequence[Arrays]) -> OfLearner:
    """Read the pieces of one learner."""
    found = OfLearner()
    pieces: dict[int, list[Arrays]] = {}
    for at, part in enumerate(parts):
        if part["learner"] != name:
            continue
        output, size = outputs[at], part["size"]
        failure = failure_in(output, name)
        if failure is not None:
            found.failures.setdefault(size, failure)
        elif "design" in part:
            found.again.setdefault(part["design"], []).append(told_by(output, [name]).ran[name])
        else:
            pieces.setdefault(size, []).append(output)
    for size, of_one in sorted(pieces.items()):
        if size not in found.failures:
            found.sizes[size] = AtSize(
                outcomes=joined([unpack(output) for output in of_one]),
                whole=np.concatenate([output["n_whole"] for output in of_one]),
            )
    return found

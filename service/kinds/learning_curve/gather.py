"""What the pieces of a learning curve gave, read one bundle of learners at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from service.kinds.base import ChunkOutput
from service.kinds.fitting.outcomes import told_by
from thetahat.cross_validation import unpack
from thetahat.cross_validation.outcomes import Outcomes, joined
from thetahat.values.types import IntArray

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


@dataclass(frozen=True, slots=True)
class BundleOutputs:
    """Learners that are run together, and the outputs of their chunks."""

    names: tuple[str, ...]
    outputs: Sequence[ChunkOutput]


def of_bundle(bundle: BundleOutputs) -> dict[str, OfLearner]:
    """Read the pieces of learners that are run together."""
    found = {name: OfLearner() for name in bundle.names}
    pieces: dict[str, dict[int, list[Arrays]]] = {name: {} for name in bundle.names}
    for output in bundle.outputs:
        part = output.payload
        told, size = told_by(output.read(), bundle.names), part["size"]
        for name, failure in told.failures.items():
            found[name].failures.setdefault(size, failure)
        for name, arrays in told.ran.items():
            if "design" in part:
                found[name].again.setdefault(part["design"], []).append(arrays)
            else:
                pieces[name].setdefault(size, []).append(arrays)
    for name, one in found.items():
        one.sizes = {
            size: AtSize(
                outcomes=joined([unpack(arrays) for arrays in of_size]),
                whole=np.concatenate([arrays["n_whole"] for arrays in of_size]),
            )
            for size, of_size in sorted(pieces[name].items())
            if size not in one.failures
        }
    return found

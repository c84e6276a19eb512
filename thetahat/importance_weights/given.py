"""Weights that came with the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.importance_weights._checks import LARGEST
from thetahat.importance_weights.base import Samples, Weighing
from thetahat.registry import MethodInfo
from thetahat.traits import WeightTraits


@dataclass(frozen=True, slots=True)
class Given:
    """The weights in the source's own weight column, unchanged.

    For a sampling design whose probabilities are known (section 3.1 of the source), or for weights
    that were estimated elsewhere. Weights that are known only up to a factor have a mean other than
    1: use them with the self-normalised risk, not with the weighted or the controlled risk.

    Degenerate cases: weights that are all zero, negative or not finite are refused.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="given",
        title="Weights of the source's own column",
        summary="The weights that come with the source rows, unchanged.",
        formula=r"\hat{w}(x_i) = w_i",
        references=("kouw2019",),
        assumptions=(
            "The weights are the ratio of the target's density to the source's, with mean 1 "
            "over the source."
        ),
        errs=(
            "As the given weights do. A constant factor in them scales the weighted risk by "
            "that factor; the self-normalised risk does not depend on it."
        ),
        weights=WeightTraits(are_given=True),
    )

    def estimate(self, samples: Samples, rng: np.random.Generator) -> Weighing:
        """Check the column and give it back; nothing is drawn."""
        del rng
        if samples.given is None:
            raise InvalidParameter(
                "the weights `given` need a weight for each source row", loc=("source", "weight")
            )
        fit = (samples.given >= 0) & (samples.given <= LARGEST)
        if not fit.all():
            row = int(np.argmin(fit))
            raise InvalidParameter(
                f"weight {row} is {samples.given[row]}; weights must be finite, not negative and "
                f"at most {LARGEST:g}",
                loc=("source", "weight", row),
                value=str(samples.given[row]),
            )
        if not samples.given.any():
            raise InvalidParameter("all weights are zero", loc=("source", "weight"), value=0.0)
        return Weighing(values=samples.given)


METHOD = Given

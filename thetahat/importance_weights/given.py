"""Weights from the data's own weight column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.importance_weights.base import MAX_MAGNITUDE, ImportanceWeights, Samples
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
        title="Weights of the source's own column",
        summary="The weights that come with the source rows, unchanged.",
        formula=r"\hat{w}(x_i) = w_i",
        references=("kouw2019",),
        assumptions=(
            "The weights are the ratio of the target's density to the source's, with mean 1 "
            "over the source."
        ),
        errs=(
            "The error is that of the weights themselves. A constant factor in them scales the "
            "weighted risk by that factor; the self-normalised risk does not depend on it."
        ),
        weights=WeightTraits(are_supplied=True),
    )

    def estimate(self, samples: Samples, rng: np.random.Generator) -> ImportanceWeights:
        """Return the weight column after checking it; ``rng`` is not used."""
        del rng
        if samples.known_weights is None:
            raise InvalidParameter(
                "The weights `given` need a weight for each source row.", loc=("source", "weight")
            )
        is_valid = (samples.known_weights >= 0) & (samples.known_weights <= MAX_MAGNITUDE)
        if not is_valid.all():
            row = int(np.argmin(is_valid))
            raise InvalidParameter(
                f"The weight in row {row} is {samples.known_weights[row]}. Weights must be finite, "
                f"not negative and at most {MAX_MAGNITUDE:g}.",
                loc=("source", "weight", row),
                value=str(samples.known_weights[row]),
            )
        if not samples.known_weights.any():
            raise InvalidParameter("All weights are zero.", loc=("source", "weight"), value=0.0)
        return ImportanceWeights(values=samples.known_weights)

"""Weights for the fits and for the risks: estimated once, or inside each training part."""

from __future__ import annotations

from dataclasses import dataclass

from thetahat.seeds import stream
from thetahat.shifting.shift import Shift
from thetahat.types import Caution, FloatArray
from thetahat.weights import Weighing, WeightEstimator


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShiftWeights:
    """The weights of one evaluation.

    Parameters
    ----------
    weighing : Weighing
        From the whole source; the refit uses it.
    validation : ndarray of float
        (n,) weight of each row's validation loss.
    of_fits : tuple of ndarray or None
        (K,) of (n,) weights, of which the fit without fold k takes those of its training part;
        None where all fits take ``weighing``.
    of_target : ndarray of float or None
        (m,) the weights' function at the target rows, where there is one.
    cautions : tuple of Caution
        What to know of how they were estimated.
    """

    weighing: Weighing
    validation: FloatArray
    of_fits: tuple[FloatArray, ...] | None = None
    of_target: FloatArray | None = None
    cautions: tuple[Caution, ...] = ()

    def of_fit(self, k: int) -> FloatArray:
        """(n,) weights for the fit without fold k."""
        return self.weighing.values if self.of_fits is None else self.of_fits[k]

    def second_moment(self) -> tuple[float, float] | None:
        """Return the mean of the weights over the target and its variance; None if not known.

        The mean of the density ratio over the target is the mean of its square over the source.
        """
        if self.of_target is None or len(self.of_target) < 2:
            return None
        mean = float(self.of_target.mean())
        return mean, float(self.of_target.var(ddof=1) / len(self.of_target))


def weights_on_all(method: WeightEstimator, shift: Shift, seed: int) -> ShiftWeights:
    """Estimate the weights from all source and target rows, as the source text does.

    The validation rows have a part in their own weights and, through the weights, in the fits.

    Source: kouw2019, section 5.2.
    """
    weighing = method.estimate(shift.samples(), stream(seed, "weights"))
    return ShiftWeights(weighing=weighing, validation=weighing.values, of_target=weighing.of_target)

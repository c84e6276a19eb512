"""How often ``better`` and ``worse`` are said of equal models with skewed losses, and power."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np

from thetahat.values.types import FloatArray
from thetahat_replications.edges.margins_of_skewed_losses import DESIGNS as OF_MARGINS
from thetahat_replications.edges.margins_of_skewed_losses import build_bases
from thetahat_replications.edges.simulated_intervals import SHIFT, compute_power_of_bounds
from thetahat_replications.edges.table import TableRow, format_share

TAIL: Final = 0.025
SIZES: Final = (10, 20, 50, 200)

Draw = Callable[[np.random.Generator, tuple[int, int]], FloatArray]


def _draw_lognormals(new: float, old: float) -> Draw:
    """Return differences of lognormal losses of mean 1 and these sigmas, correlated by .5."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        common = rng.standard_normal(shape)
        losses = []
        for sigma in (new, old):
            scores = math.sqrt(0.5) * (common + rng.standard_normal(shape))
            losses.append(np.exp(sigma * scores - sigma**2 / 2))
        return losses[0] - losses[1]

    return draw


DESIGNS: Final[Mapping[str, Draw]] = {
    "normal": OF_MARGINS["normal"],
    "t with 3 degrees": OF_MARGINS["t with 3 degrees"],
    "two lognormal losses, sigma 1 and 1": _draw_lognormals(1.0, 1.0),
    "two lognormal losses, sigma 1 and .5": _draw_lognormals(1.0, 0.5),
    "exponential": OF_MARGINS["exponential, worse"],
    "lognormal": OF_MARGINS["lognormal, worse"],
    "rarely (.2) large": OF_MARGINS["rarely (.2) worse"],
    "rarely (.05) large": OF_MARGINS["rarely (.05) worse"],
}
"""Losses of the new model less those of the old one, with a mean of 0."""

TITLE: Final = "Better, of skewed losses"
ABOUT: Final = f"""
Two models are equally good on a test set of n instances, so that `better` and `worse` are false,
and each may be said in at most {100 * TAIL:g} % of samples. Most differences are skewed: on few
instances the new model is much worse than the old one. Verdicts rest on Student's t. *Both* asks
for the same of t after Hall's transformation, where the skewness is clear; a verdict that fails it
has the caution `skewed_differences`. The last columns are the power, as a share of that of the
normal test that knows the standard deviation, where the new model is better, and where it is worse,
by {SHIFT:g} standard deviations of the mean. {{repetitions}} samples a row.

Of skewed differences `better` is said too often by t. To ask for both would not mend it with 20
instances or fewer, would take up to two thirds of the power, and the interval of the difference
beside the verdict would deny it. So the verdict is kept, and the caution names it.
"""
COLUMNS: Final = (
    "differences | n | better, t | better, both | worse, t | worse, both | "
    "power of better, t | power of better, both | power of worse, t | power of worse, both"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often each word is said wrongly, and how often rightly."""
    for number, (name, draw) in enumerate(DESIGNS.items()):
        for n in SIZES:
            rng = np.random.default_rng([seed, number, n])
            samples = draw(rng, (repetitions, n))
            shifts = (0.0, SHIFT * float(samples.std()) / math.sqrt(n))
            # axes: the true difference, the word (better, worse), the rule
            counts = np.zeros((2, 2, 2))
            for sample in samples:
                for j, basis in enumerate(build_bases(sample)):
                    for i, shift in enumerate(shifts):
                        for k in (False, True):
                            p = basis.compute_p_value_of_not_worse(shift, higher_is_better=k)
                            counts[i, int(k), j] += p < TAIL
            wrong, found = counts / repetitions
            yield (
                name,
                n,
                *(format_share(float(each), repetitions) for each in wrong.ravel()),
                *(found / compute_power_of_bounds(SHIFT, 1 - TAIL)).ravel().tolist(),
            )

"""Which share of the target has a source row near it."""

from __future__ import annotations

import numpy as np

from thetahat.cautions import COVERAGE_OF_A_SAMPLE, Caution
from thetahat.importance_weights._distances import nearest_distances
from thetahat.importance_weights.base import Samples
from thetahat.values.types import FloatArray

MOST_ROWS = 3000
"""Rows of a sample that are compared; of a larger one so many are drawn."""
_SHARE = 0.95


def share_covered(samples: Samples, rng: np.random.Generator) -> tuple[float, tuple[Caution, ...]]:
    """Share of the target rows whose nearest source row is as near as source rows are.

    Near is a distance that 95 % of the source rows have to their nearest other source row, in
    features divided by their pooled standard deviation. Without a shift about 95 % are covered.
    """
    source, target = _standardised(samples)
    drawn = [rows if len(rows) <= MOST_ROWS else _drawn(rows, rng) for rows in (source, target)]
    reach = float(np.quantile(nearest_distances(drawn[0]), _SHARE, method="higher"))
    covered = float((nearest_distances(drawn[1], drawn[0]) <= reach).mean())
    if max(len(source), len(target)) <= MOST_ROWS:
        return covered, ()
    return covered, (COVERAGE_OF_A_SAMPLE(n=MOST_ROWS),)


def _standardised(samples: Samples) -> tuple[FloatArray, FloatArray]:
    pooled = np.concatenate([samples.source, samples.target])
    centred = pooled - pooled.mean(axis=0)
    scale = centred.std(axis=0)
    standard = np.divide(centred, scale, out=np.zeros_like(centred), where=scale > 0)
    return standard[: samples.n], standard[samples.n :]


def _drawn(rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    return rows[np.sort(rng.choice(len(rows), MOST_ROWS, replace=False))]

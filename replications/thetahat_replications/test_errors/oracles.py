r"""The power of a test that knows the standard deviation: what other tests are compared with.

The oracle rejects where the estimated difference is more than 1.96 standard deviations from 0. Its
power at a true difference :math:`\delta` is :math:`\Phi(|\delta|/\sigma - 1.96) +
\Phi(-|\delta|/\sigma - 1.96)`, with the standard deviation :math:`\sigma` of the estimate about the
truth, over the samples of a cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from thetahat.errors import EvaluationError
from thetahat.values.types import FloatArray, Target
from thetahat_replications.edges.simulated_intervals import compute_oracle_power
from thetahat_replications.test_errors.designs import Cell, list_cells
from thetahat_replications.test_errors.repetitions import ALPHA, make_seed, run_experiment
from thetahat_replications.test_errors.simulation import Records, concatenate, find_cells, wrap
from thetahat_replications.test_errors.tables import find_truth

Row = dict[str, Any]


def draw_differences(seed: int, repetitions: int) -> dict[str, Records]:
    """Return what the oracle needs of the samples of the study, and nothing else, by cell."""
    return {
        cell.name: concatenate(
            [_draw(cell, make_seed(seed, cell.name, index)) for index in range(repetitions)]
        )
        for cell in list_cells()
    }


def _draw(cell: Cell, seed: int) -> Records:
    """Return the estimated and, of fitted models, the true difference; NaN of a refused sample."""
    try:
        experiment = run_experiment(cell, seed, models=("a", "d"))
    except EvaluationError:
        return wrap({"mean/d": math.nan})
    models, truths = experiment.table.models, experiment.truths
    record = {"mean/d": models["d"].moments.macro_mean - models["a"].moments.macro_mean}
    if truths is not None:
        record["truth/d"] = truths["d"] - truths["a"]
    return wrap(record)


def list_oracles(records: Mapping[str, Records]) -> Iterator[Row]:
    """Yield the power by cell, and by target if its true difference is known."""
    for cell, of_cell in find_cells(records):
        means = of_cell["mean/d"]
        for target in Target:
            truths = find_truth(cell, of_cell, "d", target)
            if truths is not None and target is not Target.NEW_POPULATION:
                yield {
                    "design": cell.design.name,
                    "loss": cell.loss,
                    "n": cell.n,
                    "trained": cell.trained,
                    "target": target.value,
                    "power": round(_compute_power(means, truths), 4),
                }


def _compute_power(means: FloatArray, truths: FloatArray) -> float:
    known = ~np.isnan(means) & ~np.isnan(truths)
    deviation = float(np.std((means - truths)[known], ddof=1))
    shifts = np.abs(truths[known]) / deviation
    return float(np.mean(compute_oracle_power(shifts, 1 - ALPHA)))

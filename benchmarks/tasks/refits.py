"""The .632+ bootstrap estimate of error, beside a loop over scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.tree import DecisionTreeRegressor

from benchmarks import learning
from benchmarks.rows import Bench, BenchmarkRow
from thetahat.learners.base import Learner
from thetahat.learners.ridge import Ridge
from thetahat.losses.base import Predictions
from thetahat.losses.squared import Squared
from thetahat.pipelines import build, read_learner_spec
from thetahat.refit_estimators._extra_fits import RefitTask, join_losses, run_design
from thetahat.refit_estimators._no_information import compute_no_information_error
from thetahat.refit_estimators._resamples import ResamplesDesign, _list_resamples
from thetahat.refit_estimators.bootstrap_632_plus import Bootstrap632Plus
from thetahat.schemes._class_draws import RowsToDraw
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    rng = np.random.default_rng(1)
    tree = {"name": "DecisionTreeRegressor", "params": {"random_state": 0}}
    sizes = ((50, 3), (100, 3)) if bench.short else ((300, 10), (1000, 10), (2000, 50))
    cases: tuple[tuple[str, Learner, Any, int, Any], ...] = (
        ("ridge", Ridge(), TheirRidge(), 200, sizes),
        ("decision tree", build(read_learner_spec(tree), "regression"),
         DecisionTreeRegressor(random_state=0), 50, sizes[:2]),
    )  # fmt: skip
    for name, learner, peer, resamples, of_learner in cases:
        method = Bootstrap632Plus(n_resamples=20 if bench.short else resamples)
        for n, p in of_learner:
            data, X = learning.draw_data(rng, n, p)
            yield bench.compare(
                task=f".632+ estimate of {name}",
                use="Error of a learner on these data, by fits on resamples.",
                size=n,
                unit="rows",
                setting=f"{p} features, {method.n_resamples} resamples",
                ours=partial(_estimate, method, data, learner),
                peer="scikit-learn, a loop over the same resamples",
                peer_call=partial(_estimate_by_loop, method, peer, data, X),
                tolerance=1e-7,
                flops=2.0 * n * p**2 * method.n_resamples,
            )
    for n in (100, 300) if bench.short else (300, 1000, 5000):
        y, predictions = rng.normal(size=(2, n))
        yield bench.compare(
            task="error without information",
            use="Error where outcomes and predictions are unrelated, part of .632+.",
            size=n,
            unit="rows",
            ours=partial(compute_no_information_error, Squared(), y, Predictions(predictions)),
            peer="numpy, the mean over all pairs",
            peer_call=partial(_mean_of_pairs, y, predictions),
            tolerance=1e-10,
            bytes_read=16.0 * n,
        )


def _mean_of_pairs(y: FloatArray, predictions: FloatArray) -> float:
    return float(np.square(np.subtract.outer(y, predictions)).mean())


def _estimate(method: Bootstrap632Plus, data: Data, learner: Learner) -> float:
    learning.forget_learnt()
    _list_resamples.cache_clear()
    task = RefitTask("m", learner, data, Squared())
    part, _ = run_design(task, method.design, learning.SEED, 0, method.n_resamples + 1)
    result = method.estimate(join_losses(data, learning.SEED, [part])).estimate
    assert result is not None
    return result


def _estimate_by_loop(method: Bootstrap632Plus, peer: Any, data: Data, X: FloatArray) -> float:
    """Return what a loop over the definition gives (efron1997)."""
    y, n = data.y, data.n
    fitted = peer.fit(X, y).predict(X)
    apparent = np.square(y - fitted).mean()
    gamma = y.var() + fitted.var() + (y.mean() - fitted.mean()) ** 2
    total, times = np.zeros(n), np.zeros(n)
    for resample in range(1, method.n_resamples + 1):
        design = ResamplesDesign(method.n_resamples)
        counts = design.draw(RowsToDraw(n), learning.SEED, resample)[0]
        bag = np.repeat(np.arange(n), counts)
        losses = np.square(y - peer.fit(X[bag], y[bag]).predict(X))
        total += np.where(counts == 0, losses, 0.0)
        times += counts == 0
    out = min(float(np.mean(total[times > 0] / times[times > 0])), gamma)
    share = min(max((out - apparent) / (gamma - apparent), 0.0), 1.0)
    weight = 0.632 / (1 - 0.368 * share)
    return float((1 - weight) * apparent + weight * out)

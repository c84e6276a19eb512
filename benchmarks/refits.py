"""The .632+ bootstrap estimate of error beside a loop over scikit-learn, in one run, as ratios.

CPU time of this process, one BLAS thread; the difference of the estimates too. Both take the same
200 resamples, and test every fit on all rows. The error without information stands beside the
mean over all pairs that defines it.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.tree import DecisionTreeRegressor

from benchmarks.clock import clock
from thetahat.cross_validation import fast_path as at_once
from thetahat.learners.base import Learner
from thetahat.learners.ridge import Ridge
from thetahat.losses.base import Predictions
from thetahat.losses.squared import Squared
from thetahat.pipelines import build, learner_spec
from thetahat.refit_estimators import RefitTask, join_losses, run_design
from thetahat.refit_estimators._no_information import compute_no_information_error
from thetahat.refit_estimators._resamples import ResamplesDesign, _bags
from thetahat.refit_estimators.bootstrap_632_plus import Bootstrap632Plus
from thetahat.schemes._class_draws import RowsToDraw
from thetahat.tables.data import Data, build_data
from thetahat.values.types import FloatArray

METHOD = Bootstrap632Plus(n_resamples=200)
SEED = 1


def draw_data(n: int, p: int) -> tuple[Data, FloatArray]:
    """Return n rows of p correlated features, with values that depend on them."""
    rng = np.random.default_rng(n + p)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p))) + 5.0
    y = X @ rng.normal(size=p) / p**0.5 + rng.normal(size=n)
    return build_data({f"x{j}": X[:, j] for j in range(p)}, y, "regression"), X


def ours(data: Data, learner: Learner) -> float:
    at_once._of_all_rows.cache_clear()  # noqa: SLF001 - each evaluation begins without it
    _bags.cache_clear()
    learning = RefitTask("m", learner, data, Squared())
    part, _ = run_design(learning, METHOD.design, SEED, 0, METHOD.n_resamples + 1)
    result = METHOD.estimate(join_losses(data, SEED, [part])).estimate
    assert result is not None
    return result


def theirs(make: Callable[[], Any], data: Data, X: FloatArray) -> float:
    """Return what a loop over the definition gives (efron1997)."""
    y, n = data.y, data.n
    fitted = make().fit(X, y).predict(X)
    apparent = np.square(y - fitted).mean()
    gamma = y.var() + fitted.var() + (y.mean() - fitted.mean()) ** 2
    total, times = np.zeros(n), np.zeros(n)
    for resample in range(1, METHOD.n_resamples + 1):
        counts = ResamplesDesign(METHOD.n_resamples).draw(RowsToDraw(n), SEED, resample)[0]
        bag = np.repeat(np.arange(n), counts)
        losses = np.square(y - make().fit(X[bag], y[bag]).predict(X))
        total += np.where(counts == 0, losses, 0.0)
        times += counts == 0
    out = min(float(np.mean(total[times > 0] / times[times > 0])), gamma)
    share = min(max((out - apparent) / (gamma - apparent), 0.0), 1.0)
    weight = 0.632 / (1 - 0.368 * share)
    return float((1 - weight) * apparent + weight * out)


def show(what: str, peer: tuple[float, Any], own: tuple[float, Any]) -> None:
    print(
        f"{what:44s} peer {peer[0] * 1e3:9.1f} ms  ours {own[0] * 1e3:9.2f} ms  "
        f"ratio {peer[0] / own[0]:7.1f}  difference {abs(peer[1] - own[1]):.1e}",
        flush=True,
    )


def ridge() -> None:
    for n, p in ((1000, 10), (2000, 50), (10_000, 50)):
        data, X = draw_data(n, p)
        ours(data, Ridge())
        own = clock(partial(ours, data, Ridge()))
        peer = clock(partial(theirs, TheirRidge, data, X), 1)
        show(f"ridge, n = {n}, p = {p}", peer, own)


def tree() -> None:
    data, X = draw_data(1000, 10)
    spec = {"name": "DecisionTreeRegressor", "params": {"random_state": 0}}
    learner = build(learner_spec(spec), "regression")
    own = clock(lambda: ours(data, learner), 1)
    peer = clock(lambda: theirs(lambda: DecisionTreeRegressor(random_state=0), data, X), 1)
    show("decision tree, n = 1000, p = 10", peer, own)


def no_information() -> None:
    rng = np.random.default_rng(3)
    y, predictions = rng.normal(size=5000), rng.normal(size=5000)
    own = clock(lambda: compute_no_information_error(Squared(), y, Predictions(predictions)), 20)
    peer = clock(lambda: float(np.square(np.subtract.outer(y, predictions)).mean()), 3)
    show("error without information, n = 5000", peer, own)


PARTS = {"ridge": ridge, "tree": tree, "no_information": no_information}


def main() -> None:
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()

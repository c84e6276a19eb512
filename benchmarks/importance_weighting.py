"""Weighted cross-validation of many small data sets beside a loop over everything, as a ratio.

The setting is the source's synthetic one: 50 source and 1000 target rows of two features, five
folds, 200 penalties, both risks with beta inside the folds, the oracle and the final target risks.
The loop solves for every data set, fold and penalty, and predicts 1000 target rows each time; it
is timed on a few data sets. CPU time of this process, one BLAS thread, the same run. ``--full``
does 100 000 data sets with known weights and with estimated ones; ``--repetitions N`` does N.
``--matching`` does kernel mean matching of 1000, 3000 and 5000 rows at several widths instead.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.clock import clock
from replications.batches import (
    Problems,
    SelectedPenalties,
    gaussian_ratios,
    kernel_mean_matching_weights,
    select,
)
from thetahat.analyses.studies.repetitions import repetition_generator
from thetahat.generators.gaussian_shift import GaussianShift, ShiftedSamples
from thetahat.importance_weights import Samples
from thetahat.importance_weights.kernel_mean_matching import KernelMeanMatching
from thetahat.weighted_risks import RiskEstimator
from thetahat.weighted_risks.controlled import Controlled
from thetahat.weighted_risks.weighted import Weighted

SETTING = GaussianShift(n_features=2, scale=0.75**0.5)
PENALTIES = np.logspace(-3, 6, 200)
FOLD = np.arange(50) % 5
RISKS: dict[str, RiskEstimator] = {
    "weighted": Weighted(),
    "controlled": Controlled(beta_from="fold"),
}
GRAIN = 50

Loop = tuple[dict[str, np.ndarray], dict[str, float]]


def drawn(first: int) -> ShiftedSamples:
    return SETTING.draw_many(repetition_generator(1, first), GRAIN, 50, 1000)


def at_once(samples: ShiftedSamples, weights: np.ndarray) -> SelectedPenalties:
    problems = Problems(
        X=samples.source,
        y=samples.labels,
        weights=weights,
        fold=FOLD,
        target=samples.target,
        target_y=samples.target_labels,
    )
    return select(problems, PENALTIES, RISKS)


def by_loops(X: np.ndarray, y: np.ndarray, w: np.ndarray, Z: np.ndarray, u: np.ndarray) -> Loop:
    """Return curves and final target risks of one data set, as a plain script would have it."""
    curves = {name: np.zeros(len(PENALTIES)) for name in (*RISKS, "target")}
    identity = np.eye(X.shape[1])
    for j, penalty in enumerate(PENALTIES):
        for k in range(5):
            test = k == FOLD
            train = ~test
            weighted = X[train].T * w[train]
            theta = np.linalg.solve(weighted @ X[train] + penalty * identity, weighted @ y[train])
            weighted_loss = (X[test] @ theta - y[test]) ** 2 * w[test]
            covariance = np.cov(weighted_loss, w[test])
            beta = covariance[0, 1] / covariance[1, 1]
            share = float(np.mean(test))
            curves["weighted"][j] += share * weighted_loss.mean()
            curves["controlled"][j] += share * (weighted_loss - beta * (w[test] - 1)).mean()
            curves["target"][j] += ((Z @ theta - u) ** 2).mean() / 5
    final = {}
    for name, curve in curves.items():
        penalty = PENALTIES[np.argmin(curve)]
        theta = np.linalg.solve((X.T * w) @ X + penalty * identity, (X.T * w) @ y)
        final[name] = float(((Z @ theta - u) ** 2).mean())
    return curves, final


def run(count: int, read_weights: Callable[[ShiftedSamples], np.ndarray]) -> tuple[float, int]:
    """CPU seconds of that many data sets, drawing included, and how many were done from rows."""
    start, n_plain = time.process_time(), 0
    for first in range(0, count, GRAIN):
        samples = drawn(first)
        n_plain += int(at_once(samples, read_weights(samples)).from_rows.sum())
    return time.process_time() - start, n_plain


def known(samples: ShiftedSamples) -> np.ndarray:
    return SETTING.weights(samples.source)


def fitted(samples: ShiftedSamples) -> np.ndarray:
    return gaussian_ratios(samples.source, samples.target)


def by_kernels(samples: ShiftedSamples) -> np.ndarray:
    return kernel_mean_matching_weights(samples.source, samples.target, np.random.default_rng(1))


def matching() -> None:
    for n in (1000, 3000, 5000):
        drawn = SETTING.draw_many(repetition_generator(2, 0), 1, n, n)
        samples = Samples(drawn.source[0], drawn.target[0])
        for width in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0):
            method = KernelMeanMatching(width=width)
            estimate = partial(method.estimate, samples, np.random.default_rng(1))
            seconds, found = clock(estimate, 1)
            print(
                f"kernel mean matching, {n} rows, width {width:4.2f}: {seconds:6.2f} s, "
                f"{int((found.values > 0).sum())} weights above 0, conditions of the optimum "
                f"violated by {found.details['largest_violation']:.0e} of the largest term"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--loops", type=int, default=5, help="data sets that the loop does")
    parser.add_argument("--matching", action="store_true")
    asked = parser.parse_args()
    if asked.matching:
        matching()
        return
    count = 100_000 if asked.full else asked.repetitions

    samples = drawn(0)
    weights = known(samples)
    loop_seconds, loops = clock(
        lambda: [
            by_loops(
                samples.source[r],
                samples.labels[r],
                weights[r],
                samples.target[r],
                samples.target_labels[r],
            )
            for r in range(asked.loops)
        ],
        1,
    )
    per_loop = loop_seconds / asked.loops
    run(200, known)  # what is imported late is imported
    one_seconds, _ = clock(
        lambda: at_once(
            ShiftedSamples(
                samples.source[:1],
                samples.labels[:1],
                samples.target[:1],
                samples.target_labels[:1],
            ),
            weights[:1],
        ),
        1,
    )
    found = at_once(samples, weights)
    gap = max(
        np.abs(found.curves[name][r] - curve).max()
        for r, (curves, _) in enumerate(loops)
        for name, curve in curves.items()
    )
    final_gap = max(
        abs(found.target_risks[name][r] - value)
        for r, (_, final) in enumerate(loops)
        for name, value in final.items()
    )
    print(f"loop, per data set         {per_loop * 1e3:9.2f} ms (mean of {asked.loops})")
    print(
        f"ours, one data set alone   {one_seconds * 1e3:9.2f} ms  "
        f"ratio {per_loop / one_seconds:.0f}"
    )
    print(f"largest difference of a curve {gap:.1e}, of a final target risk {final_gap:.1e}")
    by_kernels(drawn(0))
    ways = {"known weights": known, "fitted normals": fitted, "kernel mean matching": by_kernels}
    for what, read_weights in ways.items():
        seconds, n_plain = run(count, read_weights)
        print(
            f"ours, {count} data sets, {what}: {seconds:.2f} s, "
            f"{seconds / count * 1e6:.0f} us each with drawing, "
            f"ratio {per_loop * count / seconds:.0f}, {n_plain} from rows"
        )


if __name__ == "__main__":
    main()

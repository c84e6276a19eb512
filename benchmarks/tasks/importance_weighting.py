"""Weighted cross-validation of many small data sets, and weights by kernel mean matching."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.rows import Bench, BenchmarkRow
from thetahat.analyses.studies.repetitions import make_repetition_generator
from thetahat.generators.gaussian_shift import GaussianShift, ShiftedSamples
from thetahat.importance_weights import Samples
from thetahat.importance_weights.base import ImportanceWeights
from thetahat.importance_weights.kernel_mean_matching import KernelMeanMatching
from thetahat_replications.batches import (
    Problems,
    SelectedPenalties,
    estimate_gaussian_ratios,
    estimate_kernel_mean_matching_weights,
    select,
)
from thetahat_replications.batches.coefficients import control_by_fold, weight_losses

SETTING = GaussianShift(n_features=2, scale=0.75**0.5)
PENALTIES = np.logspace(-3, 6, 200)
FOLD = np.arange(50) % 5
RISKS = {"weighted": weight_losses, "controlled": control_by_fold}
AT_ONCE = 50
"""Data sets that are computed together."""
USE = (
    "A study of covariate shift: 50 source and 1000 target rows of two features, five folds, 200"
    " penalties, both risks, in as many data sets."
)


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    ways: tuple[tuple[str, Callable[[ShiftedSamples], np.ndarray]], ...] = (
        ("known weights", _known),
        ("weights by two normals", lambda s: estimate_gaussian_ratios(s.source, s.target)),
        ("weights by kernel mean matching", _by_kernels),
    )
    for name, read_weights in ways:
        for count in (1, 2) if bench.short else (1, 50, 500):
            # The script does the first data set only, always with known weights.
            yield bench.compare(
                task=f"weighted selection, {name}",
                use=USE,
                size=count,
                unit="data sets",
                setting="drawing included",
                ours=partial(_select_many, count, read_weights),
                peer="numpy, loops as the source's script, weights known",
                peer_call=partial(_first_by_loops, PENALTIES),
                peer_share=1 / count,
                difference=_compare_curves if name == "known weights" else None,
                tolerance=1e-9,
                flops=count * 5 * 2.0 * 1000 * 3 * 3,
            )
    for n in (100, 200) if bench.short else (200, 1000, 2000):
        drawn = SETTING.draw_many(make_repetition_generator(2, 0), 1, n, n)
        samples = Samples(drawn.source[0], drawn.target[0])
        for width in (0.1, 1.0):
            method = KernelMeanMatching(width=width)
            yield bench.compare(
                task="kernel mean matching",
                use="Weights of source rows by the match of kernel means, without densities.",
                size=n,
                unit="rows",
                setting=f"width {width}",
                ours=partial(method.estimate, samples, np.random.default_rng(1)),
                flops=n**3 / 3,
                note=_describe_weights,
            )


def _known(samples: ShiftedSamples) -> np.ndarray:
    return SETTING.weights(samples.source)


def _by_kernels(samples: ShiftedSamples) -> np.ndarray:
    return estimate_kernel_mean_matching_weights(
        samples.source, samples.target, np.random.default_rng(1)
    )


def _draw(first: int) -> ShiftedSamples:
    return SETTING.draw_many(make_repetition_generator(1, first), AT_ONCE, 50, 1000)


def _select_many(
    count: int, read_weights: Callable[[ShiftedSamples], np.ndarray]
) -> SelectedPenalties:
    """Return the selection in the first data sets, after those of all of them."""
    selections = []
    for first in range(0, count, AT_ONCE):
        drawn = _draw(first)
        few = min(AT_ONCE, count - first)
        samples = ShiftedSamples(
            drawn.source[:few], drawn.labels[:few], drawn.target[:few], drawn.target_labels[:few]
        )
        problems = Problems(
            X=samples.source,
            y=samples.labels,
            weights=read_weights(samples),
            fold=np.tile(FOLD, (few, 1)),
            target=samples.target,
            target_y=samples.target_labels,
        )
        selections.append(select(problems, PENALTIES, RISKS))
    return selections[0]


def _first_by_loops(penalties: np.ndarray) -> dict[str, np.ndarray]:
    """Return the curves of the first data set, as a plain script would have them."""
    samples = _draw(0)
    X, y, Z, u = (
        samples.source[0], samples.labels[0], samples.target[0], samples.target_labels[0]
    )  # fmt: skip
    w = _known(samples)[0]
    curves = {name: np.zeros(len(penalties)) for name in (*RISKS, "target")}
    identity = np.eye(X.shape[1])
    for j, penalty in enumerate(penalties):
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
    return curves


def _compare_curves(ours: SelectedPenalties, theirs: dict[str, np.ndarray]) -> float:
    return max(float(np.abs(ours.curves[name][0] - curve).max()) for name, curve in theirs.items())


def _describe_weights(estimate: ImportanceWeights) -> str:
    return (
        f"{int((estimate.values > 0).sum())} weights above 0, conditions of the optimum violated"
        f" by {estimate.details['largest_violation']:.0e} of the largest term"
    )

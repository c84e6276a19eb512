"""Learners that predict all splits from one pass over the data, beside a fit of each split.

Each of these ways of computing is kept only while it takes at most half of the time of the fits, at
sizes that users have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from benchmarks import learning
from benchmarks.rows import Bench, BenchmarkRow
from thetahat.cross_validation import build_rows
from thetahat.learners import LEARNERS
from thetahat.learners.base import FastLearner, Learner
from thetahat.schemes.base import Split
from thetahat.schemes.repeated_k_fold import RepeatedKFold
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray

LEAST_RATIO: Final = 2.0
"""What a way of computing must gain over the ordinary one to be worth its code."""
N_FEATURES: Final = 20
TOLERANCE: Final = 1e-6
"""Of outputs: values of a regression, else probabilities."""
REASON: Final = (
    "Measured apart from this run: 200 rows in fifty splits take two or three milliseconds either "
    "way, most of them for lists of rows and for outcomes; the same code gains 40 times and more "
    "in leave-one-out, and four times with 5000 rows."
)
USE: Final = (
    "Shows what is gained by the code that serves all splits at once over a fit of the same "
    "learner to each training part. The data have 20 features."
)


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    rng = np.random.default_rng(1)
    for name in LEARNERS:
        learner = LEARNERS[name]()
        if not isinstance(learner, FastLearner):
            continue
        for n in (100,) if bench.short else (200, 1000, 5000):
            data = _draw_data(rng, learner, n)
            rows = build_rows(data)
            folds = list(RepeatedKFold(n_folds=10, n_repeats=5).splits(rows, learning.SEED))
            yield _compare(bench, name, "five times ten folds", data, learner, folds)
        for n in (50,) if bench.short else (100, 300, 1000):
            data = _draw_data(rng, learner, n)
            yield _compare(bench, name, "leave-one-out", data, learner, learning.split_rows(data))


def _draw_data(rng: np.random.Generator, learner: Learner, n: int) -> Data:
    n_classes = 3 if "classification" in learner.tasks else 0
    data, _ = learning.draw_data(rng, n, N_FEATURES, n_classes)
    return data


def _compare(  # noqa: PLR0913 - what is compared, and on what
    bench: Bench,
    name: str,
    scheme: str,
    data: Data,
    learner: Learner,
    splits: Iterable[Split],
) -> BenchmarkRow:
    row = bench.compare(
        task=f"fast paths, {scheme}",
        use=USE,
        size=data.n,
        unit="rows",
        setting=name,
        ours=partial(_predict_together, data, learner, splits),
        peer="a fit of each split",
        peer_call=partial(_fit_each, data, learner, splits),
        tolerance=TOLERANCE,
    )
    return replace(row, least_ratio=LEAST_RATIO, reason=REASON)


def _predict_together(data: Data, learner: Learner, splits: Iterable[Split]) -> FloatArray:
    outcomes = learning.run_learner(data, learner, copy(splits))
    return np.asarray(outcomes.output if outcomes.probabilities is None else outcomes.probabilities)


def _fit_each(data: Data, learner: Learner, splits: Iterable[Split]) -> FloatArray:
    rng, predicted = np.random.default_rng(0), []
    for split in copy(splits):
        fitted = learner.fit(
            data.features.rows(split.train),
            data.y[split.train],
            weights=None,
            n_classes=data.n_classes,
            rng=rng,
        )
        of_split = fitted.predict(data.features.rows(split.test))
        predicted.append(
            of_split.output if of_split.probabilities is None else of_split.probabilities
        )
    return np.concatenate(predicted)

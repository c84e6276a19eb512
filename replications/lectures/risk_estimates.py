"""The lecture's estimators of risk on one sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from replications.lectures.classifiers import GeneSums, said
from thetahat.refit_estimators._bootstrap_632 import Error632Plus
from thetahat.values.types import FloatArray, IntArray

FOLDS: Final = {"two_fold": 2, "five_fold": 5, "ten_fold": 10}
SPLITS: Final = {"split_third": 1 / 3, "split_half": 1 / 2}
LEAVE_ONE_OUT: Final = "leave_one_out"
PLUS: Final = "bootstrap_632_plus"
ESTIMATORS: Final = (*FOLDS, LEAVE_ONE_OUT, *SPLITS, PLUS)
FEWEST_OF_CLASS: Final = 2
"""Rows of a class in a training part, without which nothing is said of its spread."""


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """(n, p) rows with their classes, all that there is."""

    X: FloatArray
    y: IntArray

    def sizes(self) -> IntArray:
        """(2,) rows of each class."""
        return np.bincount(self.y, minlength=2)

    def drawn_of_class(self, n: int) -> IntArray:
        """(2,) rows of each class in a sample of n, in the population's shares."""
        second = round(n * float(self.y.mean()))
        return np.array([n - second, second])

    def draw(self, n: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Return the rows of a sample in random order, and the others."""
        shares = self.drawn_of_class(n)
        drawn = [rng.permutation(np.flatnonzero(self.y == c))[: shares[c]] for c in (0, 1)]
        rows = rng.permutation(np.concatenate(drawn))
        absent = np.ones(len(self.y), dtype=np.bool_)
        absent[rows] = False
        return rows, np.flatnonzero(absent)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A sample, the rows that stand for all others, and the columns chosen in each training part.

    A training part is (n,) how often each row is in it.
    """

    X: FloatArray
    y: IntArray
    unseen: FloatArray
    unseen_y: IntArray
    sums: GeneSums
    n_genes: int
    chosen: dict[bytes, IntArray] = field(default_factory=dict)

    @classmethod
    def of(cls, population: Population, rows: IntArray, others: IntArray, n_genes: int) -> Sample:
        """Take some rows of a population as the sample."""
        X, y = population.X[rows], population.y[rows]
        unseen, unseen_y = population.X[others], population.y[others]
        return cls(X, y, unseen, unseen_y, GeneSums.of(X, y), n_genes)

    @property
    def n(self) -> int:
        """Rows of the sample."""
        return len(self.y)

    def said_of(
        self, name: str, counts: FloatArray, of: FloatArray, rng: np.random.Generator
    ) -> IntArray:
        """(m,) classes that a classifier fitted on a training part gives to other rows."""
        key = counts.tobytes()
        if key not in self.chosen:
            self.chosen[key] = self.sums.best(counts, self.n_genes)
        columns = self.chosen[key]
        train = np.repeat(np.arange(self.n), counts.astype(np.intp))
        return said(name, self.X[np.ix_(train, columns)], self.y[train], of[:, columns], rng)

    def true_error(self, name: str, counts: FloatArray, rng: np.random.Generator) -> float:
        """Error on the rows that were not drawn."""
        wrong = self.said_of(name, counts, self.unseen, rng) != self.unseen_y
        return float(wrong.mean())

    def error(
        self, name: str, counts: FloatArray, test: IntArray, rng: np.random.Generator
    ) -> FloatArray:
        """(m,) 0/1 loss on some rows of the sample."""
        wrong = self.said_of(name, counts, self.X[test], rng) != self.y[test]
        return np.asarray(wrong, dtype=np.float64)


def risk_estimates(
    sample: Sample, classifiers: Sequence[str], n_resamples: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Return ``truth``, ``split_third_truth`` and every estimate, (classifiers,) each.

    All classifiers see the same folds, splits and resamples.
    """
    names = ("truth", "split_third_truth", *ESTIMATORS)
    found = {name: np.empty(len(classifiers)) for name in names}
    folds = {name: drawn_folds(sample.y, v, rng) for name, v in FOLDS.items()}
    folds[LEAVE_ONE_OUT] = np.arange(sample.n)
    splits = {name: drawn_split(sample.y, share, rng) for name, share in SPLITS.items()}
    resamples = drawn_resamples(sample.y, n_resamples, rng)
    whole = np.ones(sample.n)
    for at, name in enumerate(classifiers):
        found["truth"][at] = sample.true_error(name, whole, rng)
        for scheme, fold in folds.items():
            found[scheme][at] = cross_validated(sample, name, fold, rng)
        for scheme, counts in splits.items():
            found[scheme][at] = sample.error(name, counts, np.flatnonzero(counts == 0), rng).mean()
            if scheme == "split_third":
                found["split_third_truth"][at] = sample.true_error(name, counts, rng)
        found[PLUS][at] = plus(sample, name, resamples, rng)
    return found


def cross_validated(sample: Sample, name: str, fold: IntArray, rng: np.random.Generator) -> float:
    """Mean of the folds' error rates."""
    rates = []
    for v in range(int(fold.max()) + 1):
        test = fold == v
        counts = (~test).astype(np.float64)
        rates.append(float(sample.error(name, counts, np.flatnonzero(test), rng).mean()))
    return float(np.mean(rates))


def drawn_folds(y: IntArray, v: int, rng: np.random.Generator) -> IntArray:
    """(n,) fold of each row at random, in equal parts; drawn again where a class is too rare."""
    while True:
        fold = rng.permutation(np.arange(len(y)) % v)
        if all(_can_be_learnt(y[fold != k]) for k in range(v)):
            return np.asarray(fold)


def drawn_split(y: IntArray, share: float, rng: np.random.Generator) -> FloatArray:
    """(n,) 1 for each row to train on, 0 for a random share to test on; likewise."""
    while True:
        counts = np.ones(len(y))
        counts[rng.permutation(len(y))[: round(share * len(y))]] = 0
        if _can_be_learnt(y[counts > 0]):
            return counts


def _can_be_learnt(y: IntArray) -> bool:
    return int(np.bincount(y, minlength=2).min()) >= FEWEST_OF_CLASS


def drawn_resamples(y: IntArray, count: int, rng: np.random.Generator) -> list[FloatArray]:
    """Return resamples, each (n,) how often a row is in it; one too poor in a class goes back."""
    n = len(y)
    found: list[FloatArray] = []
    while len(found) < count:
        drawn = np.bincount(rng.integers(n, size=n), minlength=n).astype(np.float64)
        if _can_be_learnt(y[drawn > 0]) and (drawn == 0).any():
            found.append(drawn)
    return found


def plus(
    sample: Sample, name: str, resamples: Sequence[FloatArray], rng: np.random.Generator
) -> float:
    """.632+ with the error out of the bag averaged over rows."""
    y = sample.y
    output = sample.said_of(name, np.ones(sample.n), sample.X, rng)
    total, times = np.zeros(sample.n), np.zeros(sample.n)
    for counts in resamples:
        out = np.flatnonzero(counts == 0)
        total[out] += sample.error(name, counts, out, rng)
        times[out] += 1
    seen = times > 0
    ones, ones_said = float(y.mean()), float(output.mean())
    return Error632Plus(
        apparent=float((output != y).mean()),
        out_of_bag=float((total[seen] / times[seen]).mean()),
        no_information=ones * (1 - ones_said) + (1 - ones) * ones_said,
    ).estimate

"""The lecture's estimators of the risk on one sample of a finite population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from thetahat.refit_estimators._bootstrap_632 import Error632Plus
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.lectures.classifiers import GeneSums, fit_and_predict

FOLDS: Final = {"two_fold": 2, "five_fold": 5, "ten_fold": 10}
SPLITS: Final = {"split_third": 1 / 3, "split_half": 1 / 2}
LEAVE_ONE_OUT: Final = "leave_one_out"
PLUS: Final = "bootstrap_632_plus"
ESTIMATORS: Final = (*FOLDS, LEAVE_ONE_OUT, *SPLITS, PLUS)
MIN_ROWS_OF_CLASS: Final = 2
"""Different rows of each class in a training part with which a classifier is fitted."""


@dataclass(frozen=True, slots=True, eq=False)
class FinitePopulation:
    """The (n, p) rows of a population, with their classes."""

    X: FloatArray
    y: IntArray

    def class_sizes(self) -> IntArray:
        """Return the (2,) numbers of rows of each class."""
        return np.bincount(self.y, minlength=2)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Return the rows of a sample in random order, and the other rows.

        Numbers of rows by class vary. If they were fixed, the classes of test rows would depend on
        those of training rows, and a split would not be unbiased for what it fitted.
        """
        order = rng.permutation(len(self.y))
        return order[:n], np.sort(order[n:])


@dataclass(frozen=True, slots=True, eq=False)
class GeneSample:
    """A sample, the rows that were not drawn, and the genes chosen in each training part.

    A training part is an (n,) array of how often each row is in it.
    """

    X: FloatArray
    y: IntArray
    unseen: FloatArray
    unseen_y: IntArray
    sums: GeneSums
    n_genes: int
    genes_by_part: dict[bytes, IntArray] = field(default_factory=dict)

    @classmethod
    def from_population(
        cls, population: FinitePopulation, rows: IntArray, others: IntArray, n_genes: int
    ) -> GeneSample:
        """Return the sample with these rows of a population."""
        X, y = population.X[rows], population.y[rows]
        unseen, unseen_y = population.X[others], population.y[others]
        return cls(X, y, unseen, unseen_y, GeneSums.from_rows(X, y), n_genes)

    @property
    def n(self) -> int:
        """Rows of the sample."""
        return len(self.y)

    def predict(
        self, name: str, counts: FloatArray, tested: FloatArray, rng: np.random.Generator
    ) -> IntArray:
        """Return the (m,) predicted classes of other rows by a classifier of a training part.

        With fewer than ``MIN_ROWS_OF_CLASS`` rows of a class in the part it is the other class.
        """
        sizes = np.bincount(self.y, weights=np.minimum(counts, 1), minlength=2)
        if sizes.min() < MIN_ROWS_OF_CLASS:
            return np.full(len(tested), int(sizes[1] > sizes[0]))
        key = counts.tobytes()
        if key not in self.genes_by_part:
            self.genes_by_part[key] = self.sums.choose_genes(counts, self.n_genes)
        genes = self.genes_by_part[key]
        train = np.repeat(np.arange(self.n), counts.astype(np.intp))
        X = self.X[np.ix_(train, genes)]
        return fit_and_predict(name, X, self.y[train], tested[:, genes], rng)

    def compute_true_error(self, name: str, counts: FloatArray, rng: np.random.Generator) -> float:
        """Return the error rate on the rows that were not drawn."""
        wrong = self.predict(name, counts, self.unseen, rng) != self.unseen_y
        return float(wrong.mean())

    def losses(
        self, name: str, counts: FloatArray, test: IntArray, rng: np.random.Generator
    ) -> FloatArray:
        """Return the (m,) 0/1 losses on some rows of the sample."""
        wrong = self.predict(name, counts, self.X[test], rng) != self.y[test]
        return np.asarray(wrong, dtype=np.float64)


def estimate_risks(
    sample: GeneSample, classifiers: Sequence[str], n_resamples: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Return ``truth``, ``split_third_truth`` and every estimate, each (classifiers,).

    All classifiers get the same folds, splits and resamples.
    """
    names = ("truth", "split_third_truth", *ESTIMATORS)
    risks = {name: np.empty(len(classifiers)) for name in names}
    folds = {name: draw_folds(sample.n, v, rng) for name, v in FOLDS.items()}
    folds[LEAVE_ONE_OUT] = np.arange(sample.n)
    splits = {name: draw_split(sample.n, share, rng) for name, share in SPLITS.items()}
    resamples = draw_resamples(sample.n, n_resamples, rng)
    whole = np.ones(sample.n)
    for at, name in enumerate(classifiers):
        risks["truth"][at] = sample.compute_true_error(name, whole, rng)
        for scheme, fold in folds.items():
            risks[scheme][at] = average_fold_errors(sample, name, fold, rng)
        for scheme, counts in splits.items():
            test = np.flatnonzero(counts == 0)
            risks[scheme][at] = sample.losses(name, counts, test, rng).mean()
            if scheme == "split_third":
                risks["split_third_truth"][at] = sample.compute_true_error(name, counts, rng)
        risks[PLUS][at] = estimate_632_plus(sample, name, resamples, rng)
    return risks


def average_fold_errors(
    sample: GeneSample, name: str, fold: IntArray, rng: np.random.Generator
) -> float:
    """Return the mean of the folds' error rates."""
    rates = []
    for v in range(int(fold.max()) + 1):
        test = fold == v
        counts = (~test).astype(np.float64)
        rates.append(float(sample.losses(name, counts, np.flatnonzero(test), rng).mean()))
    return float(np.mean(rates))


def draw_folds(n: int, v: int, rng: np.random.Generator) -> IntArray:
    """Return the (n,) random fold of each row."""
    return np.asarray(rng.permutation(np.arange(n) % v))


def draw_split(n: int, share: float, rng: np.random.Generator) -> FloatArray:
    """Return (n,) 1 for training rows and 0 for a random share of test rows."""
    counts = np.ones(n)
    counts[rng.permutation(n)[: round(share * n)]] = 0
    return counts


def draw_resamples(n: int, count: int, rng: np.random.Generator) -> list[FloatArray]:
    """Return resamples with rows left out, as (n,) counts of the rows."""
    resamples: list[FloatArray] = []
    while len(resamples) < count:
        drawn = np.bincount(rng.integers(n, size=n), minlength=n).astype(np.float64)
        if (drawn == 0).any():
            resamples.append(drawn)
    return resamples


def estimate_632_plus(
    sample: GeneSample, name: str, resamples: Sequence[FloatArray], rng: np.random.Generator
) -> float:
    """Return the .632+ estimate, with the out-of-bag error averaged over rows."""
    y = sample.y
    predicted = sample.predict(name, np.ones(sample.n), sample.X, rng)
    total, times = np.zeros(sample.n), np.zeros(sample.n)
    for counts in resamples:
        out_of_bag = np.flatnonzero(counts == 0)
        total[out_of_bag] += sample.losses(name, counts, out_of_bag, rng)
        times[out_of_bag] += 1
    was_out = times > 0
    share, predicted_share = float(y.mean()), float(predicted.mean())
    return Error632Plus(
        apparent=float((predicted != y).mean()),
        out_of_bag=float((total[was_out] / times[was_out]).mean()),
        no_information=share * (1 - predicted_share) + (1 - share) * predicted_share,
    ).estimate

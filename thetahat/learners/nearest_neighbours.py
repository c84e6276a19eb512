"""Nearest neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.learners._training_parts import read_weights
from thetahat.learners.base import FastLearner, OrdinaryFit, OverPath, OverSplits
from thetahat.learners.fast.neighbours.over_splits import (
    TOO_FEW_IN_DATA,
    NeighbourPath,
    NeighbourSplits,
)
from thetahat.learners.fast.neighbours.search import Search
from thetahat.losses.base import Predictions
from thetahat.parameter_checks import MAX_ROWS, check_range
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Voters:
    """Targets and weights of the neighbours' votes.

    ``n_classes`` is 0 for a regression; ``by_distance`` gives nearer rows larger votes.
    """

    y: np.ndarray
    weights: FloatArray
    n_classes: int
    by_distance: bool

    def vote(self, rows: IntArray, squares: FloatArray) -> Predictions:
        """Return the predictions from (q, k) neighbours at these squared distances."""
        if self._have_one_vote:
            return self._count_votes(rows)
        counts = self.weights[rows]
        if self.by_distance:
            at_point = squares == 0
            distances = np.sqrt(np.where(at_point, 1.0, squares))
            # If training rows are at distance 0, only they vote.
            some = at_point.any(axis=1, keepdims=True)
            counts = counts * np.where(some, at_point, 1 / distances)
        total, predictions = counts.sum(axis=1), self.y[rows]
        if not self.n_classes:
            return Predictions((counts * predictions).sum(axis=1) / total)
        # Votes are compared before the division, because sums of whole numbers tie exactly.
        votes = np.column_stack(
            [(counts * (predictions == code)).sum(axis=1) for code in range(self.n_classes)]
        )
        return Predictions(np.argmax(votes, axis=1), probabilities=votes / total[:, None])

    @property
    def _have_one_vote(self) -> bool:
        """Whether every neighbour has one vote."""
        return bool(self.n_classes and not self.by_distance and (self.weights == 1).all())

    def _count_votes(self, rows: IntArray) -> Predictions:
        """Count the votes of (q, k) neighbours with one vote each."""
        n_queries, k = rows.shape
        cells = self.y[rows] + self.n_classes * np.arange(n_queries)[:, None]
        weights_by_class = np.bincount(cells.reshape(-1), minlength=self.n_classes * n_queries)
        votes = weights_by_class.reshape(n_queries, self.n_classes)
        return Predictions(np.argmax(votes, axis=1), probabilities=votes / k)

    def votes(
        self, rows: IntArray, squares: FloatArray, numbers: Sequence[int]
    ) -> list[Predictions]:
        """Return the predictions for each of several numbers of neighbours.

        If each row has one vote, votes are counted once, from the nearest to the farthest row.
        """
        if not self._have_one_vote:
            return [self.vote(rows[:, :k], squares[:, :k]) for k in numbers]
        predictions = self.y[rows]
        last = np.minimum(numbers, rows.shape[1]) - 1
        votes = np.empty((len(last), len(rows), self.n_classes))
        for code in range(self.n_classes):
            votes[:, :, code] = np.cumsum(predictions == code, axis=1)[:, last].T
        shares = votes / (last + 1.0)[:, None, None]
        outputs = np.argmax(votes, axis=2)
        return [Predictions(o, probabilities=p) for o, p in zip(outputs, shares, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The training rows with positive weight, prepared for search."""

    search: Search
    k: int
    voters: Voters

    def predict(self, features: Features) -> Predictions:
        """Predict from the nearest rows of each instance."""
        rows, squares = self.search.nearest(features.complete_matrix(), self.k)
        return self.voters.vote(rows, squares)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestNeighbours(FastLearner):
    """Predicts by a vote of the classes, or the mean of the values, of the nearest training rows.

    :math:`N_k(x)` are the k training rows nearest to x by Euclidean distance and :math:`v_i` is the
    row's weight, divided by its distance if ``votes`` is ``distance``.

    Parameters
    ----------
    k : int
        Number of neighbours, at least 1.
    votes : {"equal", "distance"}
        Whether all neighbours have equal votes, or nearer ones larger votes. If rows lie at
        distance 0, only they vote.

    Of rows at equal distances, those with the lowest row numbers are taken. Distances are summed
    from the differences of the features, so rows far from 0 are ranked as accurately as others.
    Under cross-validation each row's neighbours among all rows are listed once, with some to spare;
    if the list of a row does not suffice for a training part, its neighbours are searched there.

    If features are not in comparable units, put ``standardise`` first in ``prepare``.

    Deviations: the source has one neighbour and no weights.

    Degenerate cases: a row of weight 0 is no neighbour; of classes with equal votes the
    first is predicted; fewer rows than neighbours are refused.
    """

    k: int = 5
    votes: Literal["equal", "distance"] = "equal"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Nearest neighbours",
        summary=(
            "The k training rows nearest by Euclidean distance vote, or their mean is taken; of "
            "rows equally far those with the lowest row numbers count."
        ),
        formula=(
            r"\hat p_c(x) = \sum_{i \in N_k(x)} v_i [y_i = c] / \sum_{i \in N_k(x)} v_i, \quad "
            r"\hat y(x) = \sum_{i \in N_k(x)} v_i y_i / \sum_{i \in N_k(x)} v_i"
        ),
        references=("cover1967",),
        assumptions="Numeric features in comparable units; few of them.",
        errs=(
            "A feature in large units decides alone; in many dimensions all rows are about "
            "equally far, and the prediction nears that of the whole training part."
        ),
    )
    tasks: ClassVar[frozenset[str]] = frozenset({"classification", "regression"})
    compares_rows: ClassVar[bool] = True
    why_no_scores: ClassVar[str] = (
        "The neighbours of many rows are of one class, and the log odds of a share of 0 or 1 are "
        "infinite."
    )
    path_parameter: ClassVar[str] = "k"

    def __post_init__(self) -> None:
        check_range("k", self.k, 1, MAX_ROWS)

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> Neighbours:
        """Store the rows with positive weight."""
        del rng
        X, w = features.complete_matrix(), read_weights(weights, len(y))
        kept = w > 0
        n_kept = int(np.count_nonzero(kept))
        if n_kept < self.k:
            raise InsufficientData(
                f"The training part has {n_kept} rows with weight, and {self.k} neighbours are "
                "asked for. Use fewer neighbours or fewer folds.",
                loc=("k",),
                value=self.k,
            )
        voters = Voters(y[kept], w[kept], n_classes, self.votes == "distance")
        return Neighbours(Search(X[kept]), self.k, voters)

    def prepare_splits(
        self, features: Features, y: np.ndarray, w: FloatArray, n_classes: int
    ) -> OverSplits | OrdinaryFit:
        """Prepare the search; lists are searched on demand."""
        X = features.complete_matrix()
        if np.count_nonzero(w) < self.k:
            return TOO_FEW_IN_DATA
        voters = Voters(y, w, n_classes, self.votes == "distance")
        return NeighbourSplits(X, w > 0, self.k, voters.vote)

    def prepare_path(
        self,
        values: Sequence[int],
        features: Features,
        y: np.ndarray,
        w: FloatArray,
        n_classes: int,
    ) -> OverPath | OrdinaryFit:
        """Prepare one search for all numbers of neighbours."""
        X = features.complete_matrix()
        most = max((k for k in values if k <= np.count_nonzero(w)), default=0)
        if not most:
            return TOO_FEW_IN_DATA
        voters = Voters(y, w, n_classes, self.votes == "distance")
        return NeighbourPath(NeighbourSplits(X, w > 0, most, voters.vote), values, voters.votes)

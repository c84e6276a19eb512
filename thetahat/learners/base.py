"""The interface of learners, and of their optional ways to predict many splits at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray


class Fitted(Protocol):
    """A fitted model."""

    def predict(self, features: Features) -> Predictions:
        """Predict the instances of ``features``: class codes with probabilities, or values.

        ``output`` is (n,) class codes for a classification, values for a regression;
        ``probabilities``, where the model gives them, is (n, n_classes) over all classes of the
        data, 0 for a class that the training part did not have.
        """
        ...


class Learner(Protocol):
    """A frozen dataclass whose fields are the learner's parameters."""

    info: ClassVar[MethodInfo]
    tasks: ClassVar[frozenset[str]]  # of "classification", "regression"
    takes_weights: ClassVar[bool]

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> Fitted:
        """Fit to the training part only.

        ``y`` is (n,) codes 0 to ``n_classes - 1`` for a classification, and some of them may be
        absent here; float64 values and ``n_classes`` 0 for a regression.
        """
        ...


@dataclass(frozen=True, slots=True)
class OrdinaryFit:
    """The reason why a fast path is not used and the split is fitted in the ordinary way.

    Parameters
    ----------
    reason : str
        A clause for people, in which no split is named: ``"a column is not numeric"``.
    """

    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The rows of one split.

    Parameters
    ----------
    train, test : ndarray of int
        Row numbers, ascending; in ``train`` a row stands as often as it is learnt from.
    left_out : ndarray of int or None
        The rows that are not in ``train``, ascending; None where some row stands there twice.
    """

    train: IntArray
    test: IntArray
    left_out: IntArray | None

    @property
    def is_complement(self) -> bool:
        """Whether the training part has each row outside the test part exactly once."""
        if self.left_out is None or self.left_out is self.test:
            return self.left_out is not None
        return np.array_equal(self.left_out, self.test)

    @property
    def n_train(self) -> int:
        """Length of ``train``."""
        return len(self.train)

    @property
    def is_leave_one_out(self) -> bool:
        """Whether the test part is one row and the training part has every other row once."""
        if self.left_out is None or len(self.left_out) != 1 or len(self.test) != 1:
            return False
        return bool(self.left_out[0] == self.test[0])


class LeftOutSplit(Part):
    """A split whose training part is all rows that are not tested, listed on access.

    Parameters
    ----------
    test : ndarray of int
        As ``Part`` has it.
    n_train : int
        How many rows are not tested.
    listed : callable
        Returns them.
    """

    __slots__ = ("_listed", "_n_train")
    _listed: Callable[[], IntArray]
    _n_train: int

    def __init__(self, test: IntArray, n_train: int, listed: Callable[[], IntArray]) -> None:
        object.__setattr__(self, "test", test)
        object.__setattr__(self, "left_out", test)
        object.__setattr__(self, "_n_train", n_train)
        object.__setattr__(self, "_listed", listed)

    @property
    def train(self) -> IntArray:
        """Row numbers, ascending."""
        return self._listed()

    @property
    def n_train(self) -> int:
        """Length of ``train``."""
        return self._n_train


class OverSplits(Protocol):
    """Quantities computed once from all rows, from which any split can be predicted.

    One that can say at once what it predicts for each of many rows, when that row alone is left
    out, has ``each_left_out(rows)``, which returns the predictions of these rows and (n_rows,)
    whether each may be used; ``predict`` is asked for the others. One that gains from several
    splits at once has ``predict_all(parts)``, which returns what ``predict`` does for each.
    """

    def predict(self, part: Part) -> Predictions | OrdinaryFit:
        """Predict the test part as an ordinary fit would to 1e-8, or return the reason why not.

        The answer depends on all rows and on this split alone, never on splits asked for before:
        splits may be asked for in any order and in any number of processes.
        """
        ...


class FastLearner(Learner, Protocol):
    """A learner that can predict many splits without fitting each of them.

    It draws no random numbers, and it gives no cautions. One that compares all rows with one
    another has ``compares_rows``, which is True.
    """

    def over_splits(
        self, features: Features, y: np.ndarray, *, weights: FloatArray | None, n_classes: int
    ) -> OverSplits | OrdinaryFit:
        """Compute the quantities that serve every split from all rows; arguments as for ``fit``."""
        ...


class OverPath(Protocol):
    """Quantities computed once from all rows for learners that differ in one parameter.

    One that can say at once what they predict for each of many rows, when that row alone is left
    out, has ``each_left_out(rows)``, which returns the predictions of L * n_rows and (L, n_rows)
    whether each may be used.
    """

    def predict(self, part: Part) -> tuple[Predictions, np.ndarray]:
        """Predict the test part as L ordinary fits would, to 1e-8.

        Returns
        -------
        predictions : Predictions
            Of L * n_test rows: those of the first learner, then those of the next.
        fits : ndarray of bool
            (L,) whether those of each may be used; any value stands where not. As for
            ``OverSplits``, the answer depends on all rows and on this split alone.
        """
        ...


class PathErrors(Protocol):
    """The same for regressions, with prediction errors instead of predictions.

    In place of an ``OverPath``, where the predictions less the truth are what comes out first:
    they are written where the losses will stand.
    """

    def errors(self, parts: Sequence[Part], into: Sequence[FloatArray]) -> Iterator[np.ndarray]:
        """Write the prediction errors (prediction minus target) of each test part, part after part.

        Parameters
        ----------
        into : sequence of ndarray of float
            (L, n_test) for each part, to be written to.

        Yields
        ------
        ndarray of bool
            (L, 1) or (1, 1) whether those of each learner may be used, when a part is written. As
            for ``OverSplits``, an answer depends on all rows and on its split alone.
        """
        ...

    def errors_left_out(self, rows: slice, into: FloatArray) -> np.ndarray:
        """Write the leave-one-out prediction error of each row.

        Parameters
        ----------
        rows : slice
            Of n rows; ``into`` is (L, n).

        Returns
        -------
        ndarray of bool
            (L, n) or (1, 1) whether they may be used.
        """
        ...


class PathLearner(FastLearner, Protocol):
    """A learner for which many values of one parameter cost little more than one value.

    ``path_parameter`` is the name of that field.
    """

    path_parameter: ClassVar[str]

    def over_path(
        self,
        values: Sequence[Any],
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
    ) -> OverPath | PathErrors | OrdinaryFit:
        """Compute from all rows what serves every split and each of L parameter values.

        This learner's own value does not matter; the other arguments are as ``fit`` has them.
        """
        ...

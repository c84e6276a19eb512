"""The interface of learners, and of their optional fast predictions of many splits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from thetahat.errors import EvaluationError
from thetahat.learners._training_parts import read_weights
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray


class Fitted(Protocol):
    """A fitted model."""

    def predict(self, features: Features) -> Predictions:
        """Predict the instances of ``features``: class codes with probabilities, or values.

        ``output`` is (n,) class codes for a classification, values for a regression;
        ``probabilities``, if the model has them, is (n, n_classes) over all classes of the
        data, 0 for a class that the training part did not have.
        """
        ...


class Learner(Protocol):
    """A frozen dataclass whose fields are the learner's parameters."""

    info: ClassVar[MethodInfo]
    tasks: ClassVar[frozenset[str]]  # of "classification", "regression"
    takes_weights: ClassVar[bool]  # True for every learner of the library

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
    """The reason why a fast path is not used and the split is fitted in the ordinary way."""

    reason: str
    """A clause without the split's name: ``"a column is not numeric"``."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The rows of one split."""

    train: IntArray
    test: IntArray
    """Row numbers of both, ascending; ``train`` repeats a row that is learnt from several times."""
    left_out: IntArray | None
    """The rows that are not in ``train``, ascending; None if ``train`` repeats a row."""

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


class LeftOutSplit(Part):
    """A split whose training part is all rows outside the test part, listed on access.

    Parameters
    ----------
    test : ndarray of int
        Row numbers, ascending.
    n_train : int
        Number of rows outside the test part.
    listed : callable
        Returns the rows outside the test part.
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


T = TypeVar("T")


class ManySplits(Generic[T]):
    """Quantities computed once from all rows, from which any split can be predicted.

    A subclass has ``predict`` or, if several splits at once are faster, ``predict_all``. A subclass
    with fast leave-one-out predictions has ``each_left_out`` and says so in ``leaves_rows_out``.

    The predictions of a split depend on all rows and on this split alone, never on earlier calls:
    splits may be predicted in any order and in any number of processes.
    """

    __slots__ = ()
    leaves_rows_out: ClassVar[bool] = False

    def predict(self, part: Part) -> T:
        """Predict the test part as an ordinary fit would to 1e-8, or return the reason why not."""
        return self.predict_all([part])[0]

    def predict_all(self, parts: Sequence[Part]) -> list[T]:
        """Return the values of ``predict`` for several splits."""
        return [self.predict(part) for part in parts]

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return leave-one-out predictions of these rows, and whether each may be used.

        ``predict`` is called for the others. Of L learners: L * n_rows predictions, and (L, n_rows)
        whether they may be used.
        """
        raise NotImplementedError


class OverSplits(ManySplits[Predictions | OrdinaryFit]):
    """The quantities of one learner."""

    __slots__ = ()


class OverPath(ManySplits[tuple[Predictions, np.ndarray]]):
    """The quantities of L learners that differ in one parameter.

    ``predict`` returns L * n_test predictions, those of the first learner, then those of the next;
    and (L,) whether the predictions of each learner may be used. The others have arbitrary values.
    """

    __slots__ = ()


class FastLearner:
    """Base class of learners that can predict many splits without fitting each of them.

    Such a learner draws no random numbers, and its fast path has no cautions. It defines
    ``prepare_splits`` and, with a ``path_parameter``, ``prepare_path``.
    """

    __slots__ = ()
    takes_weights: ClassVar[bool] = True
    compares_rows: ClassVar[bool] = False
    """Whether all rows are compared with one another."""
    is_rotation_invariant: ClassVar[bool] = False
    """Whether predictions stay the same when the features are rotated. If they also stay the same
    when a constant is added to each feature, the learner has a field ``intercept`` that is True."""
    path_parameter: ClassVar[str | None] = None
    """The field of which many values cost little more than one, by ``over_path``."""

    def over_splits(
        self, features: Features, y: np.ndarray, *, weights: FloatArray | None, n_classes: int
    ) -> OverSplits | OrdinaryFit:
        """Compute the quantities that serve every split from all rows; arguments as for ``fit``.

        What the learner refuses is left to the ordinary fits: their exceptions name the split, and
        a training part may lack what is wrong with all rows.
        """
        try:
            w = read_weights(weights, len(y))
            return self.prepare_splits(features, y, w, n_classes)
        except EvaluationError as error:
            return OrdinaryFit(error.message)

    def over_path(
        self,
        values: Sequence[Any],
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
    ) -> OverPath | OrdinaryFit:
        """Compute them for several values of ``path_parameter``; its own value is ignored."""
        try:
            w = read_weights(weights, len(y))
            return self.prepare_path(values, features, y, w, n_classes)
        except EvaluationError as error:
            return OrdinaryFit(error.message)

    def prepare_splits(
        self, features: Features, y: np.ndarray, w: FloatArray, n_classes: int
    ) -> OverSplits | OrdinaryFit:
        """Return the result of ``over_splits`` from (n,) weights that are not all zero.

        It may raise an ``EvaluationError``.
        """
        raise NotImplementedError

    def prepare_path(
        self,
        values: Sequence[Any],
        features: Features,
        y: np.ndarray,
        w: FloatArray,
        n_classes: int,
    ) -> OverPath | OrdinaryFit:
        """Return the result of ``over_path``; as ``prepare_splits``."""
        raise NotImplementedError

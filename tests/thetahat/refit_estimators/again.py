"""Small data and learners for methods that fit again, and the fits that a design asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cross_validation import build_rows
from thetahat.learners import LEARNERS
from thetahat.learners.base import Learner
from thetahat.losses import LOSSES
from thetahat.losses.base import Predictions
from thetahat.refit_estimators import RefitDesign, RefitLosses
from thetahat.refit_estimators._extra_fits import RefitTask, join_losses, run_design
from thetahat.registry import MethodInfo
from thetahat.schemes.base import Rows
from thetahat.tables.data import Data, build_data
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


def regression_of(y: np.ndarray, **columns: np.ndarray) -> Data:
    """Data with one feature that says nothing, or those given."""
    return build_data(columns or {"x": np.zeros(len(y))}, y, "regression")


def fitted(
    design: RefitDesign,
    data: Data,
    learner: Learner | None = None,
    *,
    loss: str = "squared",
    seed: int,
) -> RefitLosses:
    """Return the fits of a design in one part; the mean of the targets is the learner's default."""
    learning = RefitTask("m", learner or LEARNERS["mean"](), data, LOSSES[loss]())
    arrays, _ = run_design(learning, design, seed, 0, design.n_splits(build_rows(data)))
    return join_losses(data, seed, [arrays])


def fixed_losses(design: RefitDesign, losses: np.ndarray, seed: int) -> RefitLosses:
    """Return the fits of a model that learns nothing, from its (n,) losses."""
    rows = Rows(n=len(losses))
    return RefitLosses(
        rows=rows, seed=seed, losses=tuple(losses[s.test] for s in design.splits(rows, seed))
    )


@dataclass(frozen=True)
class Fixed:
    """A model that learns nothing: it always says the same."""

    value: float = 0.0

    info: ClassVar[MethodInfo] = MethodInfo(name="fixed", title="Fixed", summary="One value.")
    tasks: ClassVar[frozenset[str]] = frozenset({"regression"})
    takes_weights: ClassVar[bool] = True

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> Fixed:
        del features, y, weights, n_classes, rng
        return self

    def predict(self, features: Features) -> Predictions:
        return Predictions(output=np.full(features.n, self.value))


@dataclass(frozen=True)
class Remembered:
    """The target of the nearest instance that was learnt."""

    x: FloatArray
    y: np.ndarray

    def predict(self, features: Features) -> Predictions:
        nearest = np.abs(features.columns[0][:, None] - self.x[None, :]).argmin(axis=1)
        return Predictions(output=self.y[nearest])


@dataclass(frozen=True)
class Nearest:
    """It fits its training data perfectly."""

    info: ClassVar[MethodInfo] = MethodInfo(name="nearest", title="Nearest", summary="Memory.")
    tasks: ClassVar[frozenset[str]] = frozenset({"regression", "classification"})
    takes_weights: ClassVar[bool] = True

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> Remembered:
        del weights, n_classes, rng
        return Remembered(features.columns[0], y)

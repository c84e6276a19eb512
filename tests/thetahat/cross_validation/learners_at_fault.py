"""Learners that fail in every way a learner can, and data to run them on."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from thetahat.cautions import Caution
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data, build_data
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True)
class ScriptedModel:
    """A fitted model that predicts with a function, and may have cautions."""

    say: Callable[[Features], Predictions]
    cautions: tuple[Caution, ...] = ()

    def predict(self, features: Features) -> Predictions:
        return self.say(features)


@dataclass(frozen=True)
class Faulty:
    """A learner made of functions."""

    say: Callable[[Features], Predictions]
    at_fit: Callable[[np.random.Generator], None] = lambda _rng: None
    cautions: tuple[Caution, ...] = ()

    tasks: ClassVar[frozenset[str]] = frozenset({"classification", "regression"})
    takes_weights: ClassVar[bool] = True
    info: ClassVar[MethodInfo] = MethodInfo(name="faulty", title="Faulty", summary="Fails.")

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> ScriptedModel:
        del features, y, weights, n_classes
        self.at_fit(rng)
        return ScriptedModel(self.say, self.cautions)


class Weightless(Faulty):
    """Takes no weights."""

    takes_weights: ClassVar[bool] = False


class Hard(Faulty):
    """Gives no probabilities."""

    gives_probabilities: ClassVar[bool] = False


def raising(error: BaseException) -> Callable[[np.random.Generator], None]:
    """Return a fit that raises."""

    def fit(_rng: np.random.Generator) -> None:
        raise error

    return fit


def warning(message: str) -> Callable[[np.random.Generator], None]:
    """Return a fit that warns."""
    return lambda _rng: warnings.warn(message, RuntimeWarning, stacklevel=1)


def zeros(features: Features) -> Predictions:
    """Say 0 of everything."""
    return Predictions(np.zeros(features.n))


def some_data(task: str = "regression", n: int = 12, **roles: Any) -> Data:
    """Return a small data set of three sources."""
    rng = np.random.default_rng(20_261_126)
    features = {"a": rng.normal(size=n), "b": rng.poisson(2.0, size=n)}
    words = np.array(["book", "dvd", "toy"], dtype=object)
    target = rng.normal(size=n) if task == "regression" else np.arange(n) % 2
    return build_data(features, target, task, source=words[np.arange(n) % 3], **roles)

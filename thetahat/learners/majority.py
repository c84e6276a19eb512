"""The baseline of a classification: the most common class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.learners._training_parts import ConstantModel, class_weights, read_weights
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Majority:
    """Predicts the most common class of the training part.

    A classifier that does no better has learnt nothing from its features.

    Degenerate cases: of classes that are equally common, the first (in the order of
    ``Data.classes``) is predicted. Under leave-one-out, two classes of equal size are always
    predicted wrongly, because leaving a row out makes the other class the more common one.
    Log odds are infinite, and are no decision values, if one of two classes is absent.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Commonest class",
        summary=(
            "The baseline of a classification: it predicts the commonest training class, gives "
            "the class shares as probabilities and their log odds as decision values, and does not "
            "look at the features."
        ),
        formula=r"\hat y = \arg\max_c \sum_{i: y_i = c} w_i",
        references=("hastie2009",),
        assumptions="None.",
        errs="Under leave-one-out with classes of equal size its error is 1, not one half.",
    )
    tasks: ClassVar[frozenset[str]] = frozenset({"classification"})
    takes_weights: ClassVar[bool] = True
    gives_scores: ClassVar[bool] = True

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> ConstantModel:
        """Fit the model: count the rows of each class."""
        del features, rng
        totals = class_weights(y, read_weights(weights, len(y)), n_classes)
        score = None
        if n_classes == 2 and totals.min() > 0:
            score = math.log(totals[1]) - math.log(totals[0])
        return ConstantModel(int(np.argmax(totals)), totals / totals.sum(), score)

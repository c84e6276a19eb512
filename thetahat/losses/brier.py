"""The Brier score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.losses._checks import check_shares, check_two, get_probabilities
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, Label

FORMS = ("multi_class", "binary")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brier:
    r"""Squared distance between predicted probabilities and the truth.

    The formula is that of the form ``multi_class``. The form ``binary`` takes the second class
    alone, :math:`e_i = (\hat p_{i1} - [y_i = 1])^2`, which is half as much for two classes. The
    source of ``multi_class`` is brier1950; gneiting2007 shows that the score is proper.
    Probabilities are not rescaled.

    Degenerate cases: most learners give probability 0 to a class that was not in the training data,
    and the instances of such a class lose at most 2 (1 in the binary form).

    Parameters
    ----------
    form : str
        ``multi_class``, the source's, between 0 and 2, for any number of classes; or ``binary``,
        between 0 and 1, for two.
    """

    form: Literal["multi_class", "binary"] = "multi_class"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Brier score",
        summary=(
            "The squared distance between the predicted probabilities and the truth. Its mean is "
            "least for the true probabilities."
        ),
        formula=r"e_i = \sum_c (\hat p_{ic} - [y_i = c])^2",
        references=("brier1950", "gneiting2007"),
        assumptions="The learner gives class probabilities that sum to 1.",
        errs=(
            "For a rare class it hardly distinguishes a small probability from one ten times as "
            "small, though the mistakes may cost as much."
        ),
    )
    task: ClassVar[str | None] = "classification"
    uses: ClassVar[str] = "probabilities"

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise InvalidParameter(
                f"form must be 'multi_class' or 'binary', and is {self.form!r}.",
                loc=("form",),
                value=self.form,
            )

    @property
    def value_range(self) -> tuple[float, float]:
        """Up to 2 over all classes, up to 1 for one of two."""
        return (0.0, 2.0 if self.form == "multi_class" else 1.0)

    def for_classes(self, classes: tuple[Label, ...]) -> Brier:
        """Refuse the binary form for other than two classes."""
        self._check_form(len(classes))
        return self

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) losses; ``y_true`` are codes of the probabilities' columns."""
        probabilities = get_probabilities(y_true, predictions, self.info.name)
        self._check_form(probabilities.shape[1])
        check_shares(probabilities)
        if self.form == "binary":
            return np.asarray((probabilities[:, 1] - (y_true == 1)) ** 2, dtype=np.float64)
        truth = np.zeros(probabilities.shape)
        truth[np.arange(len(y_true)), y_true] = 1
        return np.asarray(((probabilities - truth) ** 2).sum(axis=1), dtype=np.float64)

    def _check_form(self, n_classes: int) -> None:
        if self.form == "binary":
            check_two("brier", n_classes, "Its form multi_class takes any number")

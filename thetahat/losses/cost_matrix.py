"""Losses from a table of costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.losses._checks import check_paired
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.tables.labels import make_label_key, normalise_label_key
from thetahat.traits import LossTraits
from thetahat.values.types import FloatArray, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class CostMatrix:
    """Cost of each decision under each true class.

    Degenerate cases: costs of 1 off the diagonal and 0 on it are the zero-one loss.

    Parameters
    ----------
    costs : mapping or sequence
        By true class, by decided class: ``{"ill": {"well": 10}, "well": {"ill": 1}}``, where a
        right decision that is left out costs 0. Or rows of numbers, a row per true class and a
        column per decision, with ``classes`` beside them. A cost may be negative: a gain.
    classes : sequence of label or None
        (C,) what the rows and columns of ``costs`` are, where they are rows of numbers. Labels are
        matched by how they are written, so 1 and ``"1"`` are one class.
    """

    costs: dict[str, dict[str, float]] | list[list[float]]
    classes: list[Label] | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Costs by class and decision",
        summary=(
            "The cost that the table has for the true class and the predicted class. Its mean is "
            "the cost per instance."
        ),
        formula=r"e_i = C_{y_i, \hat y_i}",
        references=("elkan2001",),
        assumptions=(
            "The costs are known, the costs of different instances add up, and classes are as "
            "frequent in the data as in use."
        ),
        errs=(
            "Where a class is rarer or more frequent in the data than in use, the mean cost is "
            "wrong accordingly. Errors of the table are not seen."
        ),
        loss=LossTraits(can_be_zero_one=True),
    )
    task: ClassVar[str | None] = "classification"
    uses: ClassVar[str] = "output"

    def __post_init__(self) -> None:
        labels = self._list_labels()
        bad = np.argwhere(~np.isfinite(self._build_table(labels)))
        if len(bad):
            truth, decision = (int(i) for i in bad[0])
            named = isinstance(self.costs, dict)
            raise InvalidParameter(
                f"The cost of deciding {labels[decision]!r} where {labels[truth]!r} is true must "
                "be there, and a finite number.",
                loc=("costs", labels[truth], labels[decision])
                if named
                else ("costs", truth, decision),
            )

    @property
    def value_range(self) -> tuple[float, float]:
        """The smallest and the largest cost in the table."""
        table = self._build_table(self._list_labels())
        return (float(table.min()), float(table.max()))

    def for_classes(self, classes: tuple[Label, ...]) -> CostMatrix:
        """Return the costs in the order of the class codes; raise for a class without costs."""
        labels = self._list_labels()
        place = {normalise_label_key(label, classes): i for i, label in enumerate(labels)}
        missing = [label for label in classes if make_label_key(label) not in place]
        if missing:
            raise InvalidParameter(
                f"There are no costs for class {make_label_key(missing[0])!r}; they are for "
                f"{', '.join(place)}.",
                loc=("loss", "params", "costs"),
                value=missing[0],
            )
        order = [place[make_label_key(label)] for label in classes]
        table = self._build_table(labels)[np.ix_(order, order)]
        return CostMatrix(costs=table.tolist(), classes=list(classes))

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) costs; ``y_true`` are codes, in the order of the table's classes."""
        check_paired(y_true, predictions)
        table = self._build_table(self._list_labels())
        return np.asarray(table[y_true, predictions.output], dtype=np.float64)

    def _list_labels(self) -> list[str]:
        """Return the classes as text, in the order of the table."""
        if isinstance(self.costs, dict):
            if self.classes is not None:
                raise InvalidParameter(
                    "Classes go with rows of numbers; costs by class name them.", loc=("classes",)
                )
            decisions = (decision for row in self.costs.values() for decision in row)
            labels = list(dict.fromkeys([*self.costs, *decisions]))
        else:
            labels = [str(label) for label in self.classes or ()]
            _check_square(self.costs, len(labels))
        if len(labels) < 2 or len(set(labels)) != len(labels):
            raise InvalidParameter(
                f"costs are of two or more different classes, and these are {labels}.",
                loc=("costs",) if self.classes is None else ("classes",),
                value=labels,
            )
        return labels

    def _build_table(self, labels: list[str]) -> FloatArray:
        """Return (C, C) costs; NaN for a missing one."""
        if not isinstance(self.costs, dict):
            return np.array(self.costs, dtype=np.float64)
        table = np.full((len(labels), len(labels)), math.nan)
        np.fill_diagonal(table, 0.0)
        place = {label: i for i, label in enumerate(labels)}
        for truth, row in self.costs.items():
            for decision, cost in row.items():
                table[place[truth], place[decision]] = cost
        return table


def _check_square(rows: Sequence[Sequence[float]], n_classes: int) -> None:
    if len(rows) != n_classes:
        raise InvalidParameter(
            f"Rows of numbers need classes, one for each: there are {len(rows)} rows and "
            f"{n_classes} classes.",
            loc=("classes",),
            value=n_classes,
        )
    for i, row in enumerate(rows):
        if len(row) != n_classes:
            raise InvalidParameter(
                f"Row {i} has {len(row)} costs, and there are {n_classes} classes.",
                loc=("costs", i),
                value=len(row),
            )

"""The data of a cross-validation: features, target, and the source, cluster and so on of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.tables.columns import (
    Raw,
    encode_classes,
    parse_features,
    parse_labels,
    parse_numbers,
    parse_time_column,
)
from thetahat.tables.features import Features
from thetahat.tables.sparse import SparseColumns
from thetahat.values.types import FloatArray, Label

CLASSIFICATION = "classification"
REGRESSION = "regression"
TASKS = (CLASSIFICATION, REGRESSION)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Data:
    """Rows for training and testing; ``build_data`` checks the columns and builds it.

    Parameters
    ----------
    features : Features
        The columns that a learner uses; values may be missing.
    y : ndarray
        (n,) intp codes into ``classes`` for a classification, float64 for a regression.
    task : str
        ``classification`` or ``regression``.
    classes : tuple of label
        (C,) sorted; empty for a regression.
    source, fold, cluster, time : ndarray or None
        (n,) labels and times; a learner does not see them.
    weight : ndarray of float or None
        (n,) non-negative weight of each row in a fit.
    """

    features: Features
    y: np.ndarray
    task: str
    classes: tuple[Label, ...] = ()
    source: np.ndarray | None = None
    fold: np.ndarray | None = None
    cluster: np.ndarray | None = None
    time: np.ndarray | None = None
    weight: FloatArray | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def n_classes(self) -> int:
        """C, or 0 for a regression."""
        return len(self.classes)


def build_data(  # noqa: PLR0913 - one argument per role that a column can have
    features: Mapping[str, Raw | SparseColumns],
    target: Raw,
    task: str,
    *,
    source: Raw | None = None,
    fold: Raw | None = None,
    cluster: Raw | None = None,
    time: Raw | None = None,
    weight: Raw | None = None,
) -> Data:
    """Return checked ``Data`` from raw columns.

    The ``loc`` of an exception is the role of the column and the row, such as ``("target", 3)`` or
    ``("features", "age", 3)``; rows count from 0.

    Raises
    ------
    InvalidParameter
        Columns of different length; a missing or infinite target or weight, a negative weight,
        weights that are all zero; an infinite feature; a missing label; an unknown task.
    InsufficientData
        Fewer than two rows, one class, no features.
    """
    if task not in TASKS:
        raise InvalidParameter(
            f"task must be {' or '.join(TASKS)}; got {task!r}", loc=("task",), value=task
        )
    if not features:
        raise InsufficientData("the data have no features", loc=("features",))
    n = len(target)
    if n < 2:
        raise InsufficientData(
            f"at least 2 rows are needed; the data have {n}", loc=("target",), value=n
        )
    roles = {"source": source, "fold": fold, "cluster": cluster, "time": time, "weight": weight}
    for role, column in roles.items():
        if column is not None and len(column) != n:
            _refuse_length(role, len(column), n)
    for name, feature in features.items():
        length = feature.n if isinstance(feature, SparseColumns) else len(feature)
        if length != n:
            _refuse_length(f"feature {name!r}", length, n, ("features", name))

    y, classes = _target(target, task)
    wide = tuple(c for c in features.values() if isinstance(c, SparseColumns))
    columns = parse_features(
        {name: c for name, c in features.items() if not isinstance(c, SparseColumns)}
    )
    return Data(
        features=Features(tuple(columns), tuple(columns.values()), wide=wide),
        y=y,
        task=task,
        classes=classes,
        source=None if source is None else parse_labels(source, "source"),
        fold=None if fold is None else parse_labels(fold, "fold"),
        cluster=None if cluster is None else parse_labels(cluster, "cluster"),
        time=None if time is None else parse_time_column(time, "time"),
        weight=None if weight is None else _weights(weight),
    )


def _target(target: Raw, task: str) -> tuple[np.ndarray, tuple[Label, ...]]:
    if task == REGRESSION:
        return parse_numbers(target, "target"), ()
    codes, classes = encode_classes(target, "target", fractions=True)
    _check_not_values(target, codes, classes)
    if len(classes) < 2:
        raise InsufficientData(
            f"every row has class {classes[0]!r}; a classification needs two classes",
            loc=("target",),
            value=classes[0],
        )
    return codes, classes


def _check_not_values(target: Raw, codes: np.ndarray, classes: tuple[Label, ...]) -> None:
    """Raise ``InvalidParameter`` for fractions that rarely repeat: they belong to a regression."""
    if len(classes) <= len(codes) // 2 or not isinstance(classes[0], float):
        return
    row = next(i for i, code in enumerate(codes) if not float(classes[code]).is_integer())
    raise InvalidParameter(
        f"the target is {target[row]} in row {row} and has {len(classes)} different values in "
        f"{len(codes)} rows, so these are not classes; use the task 'regression', or replace the "
        "numbers by classes",
        loc=("target", row),
        value=float(target[row]),
    )


def _weights(weight: Raw) -> FloatArray:
    weights = parse_numbers(weight, "weight")
    negative = weights < 0
    if negative.any():
        row = int(np.argmax(negative))
        raise InvalidParameter(
            f"the weight is {weights[row]} in row {row}; weights must not be negative",
            loc=("weight", row),
            value=float(weights[row]),
        )
    if not weights.any():
        raise InvalidParameter("all weights are zero", loc=("weight",), value=0.0)
    return weights


def _refuse_length(
    what: str, length: int, n: int, loc: tuple[str | int, ...] | None = None
) -> None:
    raise InvalidParameter(
        f"the {what} column has {length} rows and the target has {n}",
        loc=(what,) if loc is None else loc,
        value=length,
    )

"""The data of a cross-validation: features, target, and the source, cluster and so on of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.tables.columns import (
    MatrixColumns,
    RawColumn,
    encode_classes,
    parse_feature_table,
    parse_labels,
    parse_numbers,
    parse_time_column,
)
from thetahat.tables.features import Features
from thetahat.tables.sparse import SparseColumns
from thetahat.values.left_out_rows import (
    KeptRows,
    LeftOut,
    MissingRows,
    SmallSourceRows,
    choose_rows,
    fill_missing,
    find_missing,
    refuse_missing,
)
from thetahat.values.types import FloatArray, IntArray, Label

CLASSIFICATION = "classification"
REGRESSION = "regression"
TASKS = (CLASSIFICATION, REGRESSION)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Data:
    """Rows for training and testing; ``build_data`` checks the columns and builds it."""

    features: Features
    """The columns that a learner uses; values may be missing."""
    y: np.ndarray
    """(n,) intp codes into ``classes`` for a classification, float64 for a regression."""
    task: str
    """``classification`` or ``regression``."""
    classes: tuple[Label, ...] = ()
    """(C,) sorted; empty for a regression."""
    source: np.ndarray | None = None
    fold: np.ndarray | None = None
    cluster: np.ndarray | None = None
    time: np.ndarray | None = None
    """(n,) labels and times; a learner does not see them."""
    weight: FloatArray | None = None
    """(n,) non-negative weight of each row in a fit."""
    left_out: LeftOut | None = None
    """The rows of the file or request that are not among these; None if there are none."""

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def n_classes(self) -> int:
        """C, or 0 for a regression."""
        return len(self.classes)

    def row_numbers(self, rows: IntArray) -> IntArray:
        """Return the numbers that these rows have in the file or request.

        A sample that a study draws from the data has numbers of its own, since a row may be in it
        several times.
        """
        numbers = self.features.row_numbers
        return rows if numbers is None or self.left_out is None else numbers[rows]


def build_data(  # noqa: PLR0913 - one argument per role that a column can have
    features: Mapping[str, RawColumn | SparseColumns],
    target: RawColumn,
    task: str,
    *,
    source: RawColumn | None = None,
    fold: RawColumn | None = None,
    cluster: RawColumn | None = None,
    time: RawColumn | None = None,
    weight: RawColumn | None = None,
    missing: MissingRows | None = None,
    small_sources: SmallSourceRows = "keep",
) -> Data:
    """Return checked ``Data`` from raw columns.

    Parameters
    ----------
    missing : {"refuse", "leave_out"} or None
        Whether rows without a value in a column other than a feature are left out. None refuses
        them without naming this option, for callers that do not offer it.
    small_sources : {"keep", "leave_out"}
        Whether sources with a single row, of those that are not left out, are left out.

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
            f"task must be {' or '.join(TASKS)}; got {task!r}.", loc=("task",), value=task
        )
    if not features:
        raise InsufficientData("The data have no features.", loc=("features",))
    n = len(target)
    if n < 2:
        raise InsufficientData(
            f"At least 2 rows are needed. The data have {n}.", loc=("target",), value=n
        )
    roles = {"source": source, "fold": fold, "cluster": cluster, "time": time, "weight": weight}
    for role, column in roles.items():
        if column is not None and len(column) != n:
            _refuse_length(role, len(column), n)
    one_matrix = isinstance(features, MatrixColumns) and len(features.matrix) == n
    for name, feature in () if one_matrix else features.items():
        length = feature.n if isinstance(feature, SparseColumns) else len(feature)
        if length != n:
            _refuse_length(f"feature {name!r}", length, n, ("features", name))
    if small_sources == "leave_out" and source is None:
        raise InvalidParameter(
            "The option small_sources leaves out sources with a single row, and no source is "
            "named. Name the source of each row, or set small_sources to 'keep'.",
            loc=("small_sources",),
            value=small_sources,
        )
    columns = {"target": target, **{role: c for role, c in roles.items() if c is not None}}
    lacking = {} if missing is None else {role: find_missing(c) for role, c in columns.items()}
    if missing == "refuse":
        refuse_missing(lacking)
    data = _parse_columns(
        features,
        {
            role: fill_missing(role, c, lacking[role]) if missing == "leave_out" else c
            for role, c in columns.items()
        },
        task,
    )
    by_source = data.source if small_sources == "leave_out" else None
    kept = choose_rows(n, lacking, by_source)
    data = data if kept is None else _keep_rows(data, kept)
    _check_classes(data)
    return data


def name_matrix_columns(
    columns: Mapping[str, np.ndarray | SparseColumns],
) -> Mapping[str, RawColumn | SparseColumns]:
    """Return the columns with those of each (n, p) array ``X`` as ``X0``, ``X1``, ...

    A single array that owns its values becomes the table of the data without a copy: the caller
    has just read it and does not change it.
    """
    wide = {name: c for name, c in columns.items() if isinstance(c, np.ndarray) and c.ndim == 2}
    if not wide:
        return columns
    if len(columns) == 1:
        ((name, matrix),) = wide.items()
        names = [f"{name}{j}" for j in range(matrix.shape[1])]
        return MatrixColumns(matrix, names, is_private=matrix.flags.owndata)
    named: dict[str, RawColumn | SparseColumns] = {}
    for name, column in columns.items():
        if name in wide:
            named |= {f"{name}{j}": values for j, values in enumerate(wide[name].T)}
        else:
            named[name] = column
    return named


def _parse_columns(
    features: Mapping[str, RawColumn | SparseColumns], roles: Mapping[str, RawColumn], task: str
) -> Data:
    """Return the data of columns of one length, without a check that there are two classes."""
    y, classes = _encode_target(roles["target"], task)
    wide: tuple[SparseColumns, ...] = ()
    raw: Mapping[str, RawColumn]
    if isinstance(features, MatrixColumns):
        raw = features
    else:
        wide = tuple(c for c in features.values() if isinstance(c, SparseColumns))
        raw = {name: c for name, c in features.items() if not isinstance(c, SparseColumns)}
    labels = {
        role: parse_labels(roles[role], role)
        for role in ("source", "fold", "cluster")
        if role in roles
    }
    return Data(
        features=Features(tuple(raw), parse_feature_table(raw), wide=wide),
        y=y,
        task=task,
        classes=classes,
        source=labels.get("source"),
        fold=labels.get("fold"),
        cluster=labels.get("cluster"),
        time=parse_time_column(roles["time"], "time") if "time" in roles else None,
        weight=_read_weights(roles["weight"]) if "weight" in roles else None,
    )


def _keep_rows(data: Data, kept: KeptRows) -> Data:
    """Return the data of the kept rows, with the classes that these rows have."""
    rows, left_out = kept.index, kept.left_out
    if len(rows) < 2:
        raise InsufficientData(
            f"At least 2 rows are needed, and {left_out.n_remaining} remains after "
            f"{left_out.n_rows} rows were left out. {_describe(left_out)}.",
            loc=("target",),
            value=left_out.n_remaining,
        )
    y, classes = data.y[rows], data.classes
    if data.task == CLASSIFICATION:
        present, y = np.unique(y, return_inverse=True)
        classes = tuple(classes[code] for code in present)
    weight = None if data.weight is None else data.weight[rows]
    if weight is not None and not weight.any():
        raise InvalidParameter(
            f"All weights are zero after {left_out.n_rows} rows were left out. "
            f"{_describe(left_out)}.",
            loc=("weight",),
            value=0.0,
        )
    return replace(
        data,
        features=data.features.rows(rows),
        y=y.astype(data.y.dtype),
        classes=classes,
        source=None if data.source is None else data.source[rows],
        fold=None if data.fold is None else data.fold[rows],
        cluster=None if data.cluster is None else data.cluster[rows],
        time=None if data.time is None else data.time[rows],
        weight=weight,
        left_out=left_out,
    )


def _check_classes(data: Data) -> None:
    """Raise ``InsufficientData`` for a classification with a single class."""
    if data.task == REGRESSION or data.n_classes >= 2:
        return
    after = (
        ""
        if data.left_out is None
        else f" after {data.left_out.n_rows} rows were left out. {_describe(data.left_out)}"
    )
    raise InsufficientData(
        f"Every row has class {data.classes[0]!r}; a classification needs two classes{after}.",
        loc=("target",),
        value=data.classes[0],
    )


def _describe(left_out: LeftOut) -> str:
    return " ".join(caution.message for caution in left_out.cautions())


def _encode_target(target: RawColumn, task: str) -> tuple[np.ndarray, tuple[Label, ...]]:
    if task == REGRESSION:
        return parse_numbers(target, "target"), ()
    codes, classes = encode_classes(target, "target", fractions=True)
    _check_not_values(target, codes, classes)
    return codes, classes


def _check_not_values(target: RawColumn, codes: np.ndarray, classes: tuple[Label, ...]) -> None:
    """Raise ``InvalidParameter`` for fractions that rarely repeat: they belong to a regression."""
    if len(classes) <= len(codes) // 2 or not isinstance(classes[0], float):
        return
    row = next(i for i, code in enumerate(codes) if not float(classes[code]).is_integer())
    raise InvalidParameter(
        f"The target is {target[row]} in row {row} and has {len(classes)} different values in "
        f"{len(codes)} rows, so these are not classes. Use the task 'regression', or replace the "
        "numbers by classes.",
        loc=("target", row),
        value=float(target[row]),
    )


def _read_weights(weight: RawColumn) -> FloatArray:
    weights = parse_numbers(weight, "weight")
    negative = weights < 0
    if negative.any():
        row = int(np.argmax(negative))
        raise InvalidParameter(
            f"The weight is {weights[row]} in row {row}. Weights must not be negative.",
            loc=("weight", row),
            value=float(weights[row]),
        )
    if not weights.any():
        raise InvalidParameter("All weights are zero.", loc=("weight",), value=0.0)
    return weights


def _refuse_length(
    column: str, length: int, n: int, loc: tuple[str | int, ...] | None = None
) -> None:
    raise InvalidParameter(
        f"The number of rows of the {column} is {length}, and the target has {n}.",
        loc=(column,) if loc is None else loc,
        value=length,
    )

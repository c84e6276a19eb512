"""The two samples of an importance-weighted selection, with labels and folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import numpy as np

from service.kinds.base import DatasetFile
from service.kinds.fields.sample import Sample, SampleInput, placed, sample_of
from service.kinds.importance_weighting.request import ImportanceRequest
from thetahat.analyses.importance_weighting import Shift
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat.tables.columns import Raw, encode_classes, parse_class_labels, parse_numbers
from thetahat.tables.data import Data, build_data
from thetahat.tables.features import Features
from thetahat.values.types import IntArray, Label


def shift_of(given: ImportanceRequest, datasets: Mapping[UUID, DatasetFile], seed: int) -> Shift:
    """Read both samples; the target's features are the source's, by name where both have names."""
    labelled = sample_of(given.source, ("source",), datasets)
    has_names = given.source.dataset is not None or given.source.features is not None
    names = labelled.names if has_names else None
    other = sample_of(given.target, ("target",), datasets, names)
    if given.target.features is not None and names is not None and other.names != names:
        raise InvalidParameter(
            f"the target's features are {', '.join(other.names)[:200]} and the source's "
            f"{', '.join(labelled.names)[:200]}",
            loc=("target", "features"),
        )
    if other.X.shape[1] != labelled.X.shape[1]:
        raise InvalidParameter(
            f"the source has {labelled.X.shape[1]} features and the target {other.X.shape[1]}",
            loc=("target",),
            value=other.X.shape[1],
        )
    if labelled.y is None:
        where = ("y",) if given.source.dataset is None else ("columns", "target")
        raise InvalidParameter("the source needs labels to learn from", loc=("source", *where))
    with placed(("source",), _form(given.source)):
        data = _data(labelled, given.task)
    with placed(("target",), _form(given.target)):
        target_y = _labels(other, data)
    fold_labels: tuple[Label, ...] = tuple(range(given.n_folds))
    if labelled.fold is None:
        fold = _drawn(given.n_folds, data.n, seed)
    else:
        with placed(("source",), _form(given.source)):
            fold, fold_labels = _folds(labelled.fold)
    features = Features(labelled.names, tuple(np.ascontiguousarray(other.X.T)))
    return Shift(
        source=data,
        target=features,
        target_y=target_y,
        fold=fold,
        fold_labels=fold_labels,
        given=labelled.weight,
    )


def _form(given: SampleInput) -> str:
    return "X" if given.dataset is None else "columns"


def _data(sample: Sample, task: str) -> Data:
    columns: dict[str, Any] = dict(zip(sample.names, sample.X.T, strict=True))
    y: Any = sample.y
    try:
        return build_data(columns, y, task, source=sample.source)
    except (InvalidParameter, InsufficientData) as error:
        if error.loc and error.loc[0] == "target":
            error.loc = ("y", *error.loc[1:])
        raise


def _labels(sample: Sample, source: Data) -> np.ndarray | None:
    """(m,) target labels as codes of the source's classes, or values; None without labels."""
    if sample.y is None:
        return None
    if source.task == "regression":
        return parse_numbers(sample.y, "y")
    code = {label: at for at, label in enumerate(source.classes)}
    labels = parse_class_labels(sample.y, "y").tolist()
    for row, label in enumerate(labels):
        if label not in code:
            known = ", ".join(str(c) for c in source.classes)[:200]
            raise InvalidParameter(
                f"the label in row {row} is {label!r}, which is none of the source's: {known}",
                loc=("y", row),
                value=label,
            )
    return np.array([code[label] for label in labels], dtype=np.intp)


def _folds(given: Raw) -> tuple[IntArray, tuple[Label, ...]]:
    codes, labels = encode_classes(given, "fold")
    if len(labels) < 2:
        raise InsufficientData("all rows are of one fold; two are needed", loc=("fold",))
    return codes, labels


def _drawn(n_folds: int, n: int, seed: int) -> IntArray:
    """(n,) random folds of equal size to within one."""
    fold = np.empty(n, dtype=np.intp)
    for split in KFold(n_folds=n_folds).splits(Rows(n=n), seed):
        fold[split.test] = split.block
    return fold

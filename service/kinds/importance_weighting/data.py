"""The two samples of an importance-weighted selection, with labels and folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import numpy as np

from service.kinds.base import DatasetFile
from service.kinds.fields.locations import located_errors
from service.kinds.fields.sample import SampleTable, read_samples, sample_paths
from service.kinds.importance_weighting.request import ImportanceWeightingRequest
from thetahat.analyses.importance_weighting import Shift
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat.tables.columns import Raw, encode_classes, parse_class_labels, parse_numbers
from thetahat.tables.data import Data, build_data
from thetahat.tables.features import Features
from thetahat.values.types import IntArray, Label


def shift_of(
    given: ImportanceWeightingRequest, datasets: Mapping[UUID, DatasetFile], seed: int
) -> Shift:
    """Read both samples; the target's features are the source's, by name where both have names."""
    source, target = read_samples(given.source, given.target, datasets)
    source_paths = sample_paths(given.source, ("source",))
    if source.y is None:
        raise InvalidParameter("the source needs labels to learn from", loc=source_paths["y"])
    with located_errors({**source_paths, "target": source_paths["y"]}, within=("source",)):
        data = _build_data(source, given.task)
    with located_errors(sample_paths(given.target, ("target",)), within=("target",)):
        target_y = _encode_labels(target, data)
    fold_labels: tuple[Label, ...] = tuple(range(given.n_folds))
    if source.fold is None:
        fold = _drawn(given.n_folds, data.n, seed)
    else:
        with located_errors(source_paths, within=("source",)):
            fold, fold_labels = _folds(source.fold)
    features = Features(source.names, tuple(np.ascontiguousarray(target.X.T)))
    return Shift(
        source=data,
        target=features,
        target_y=target_y,
        fold=fold,
        fold_labels=fold_labels,
        known_weights=source.weight,
    )


def _build_data(sample: SampleTable, task: str) -> Data:
    columns: dict[str, Any] = dict(zip(sample.names, sample.X.T, strict=True))
    y: Any = sample.y
    return build_data(columns, y, task, source=sample.source)


def _encode_labels(sample: SampleTable, source: Data) -> np.ndarray | None:
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

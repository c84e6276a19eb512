"""The two samples of an importance-weighted selection, with labels and folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np

from thetahat.analyses.importance_weighting.samples import SourceAndTarget
from thetahat.error_paths import located_errors
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat.tables.columns import RawColumn, encode_classes, parse_class_labels, parse_numbers
from thetahat.tables.data import Data, build_data
from thetahat.tables.features import Features
from thetahat.values.left_out_rows import LeftOutOfSamples
from thetahat.values.types import IntArray, Label
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.sample import (
    SampleTable,
    build_sample_paths,
    describe_left_out,
    explain_errors_about_kept_rows,
    read_samples,
)
from thetahat_service.kinds.importance_weighting.request import ImportanceWeightingRequest


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SamplesRead:
    """Both samples of a request, and the rows that are left out of them."""

    shift: SourceAndTarget
    """The samples, without the rows that are left out."""
    source: SampleTable
    """The source as it was read."""
    left_out: LeftOutOfSamples | None
    """What is left out; None if nothing is."""

    @property
    def source_rows(self) -> IntArray:
        """(n,) numbers of the source's rows in the request or data set."""
        kept = self.source.kept
        return np.arange(self.shift.n) if kept is None else kept.index


def read_shift(
    request: ImportanceWeightingRequest, datasets: Mapping[UUID, DatasetFile], seed: int
) -> SamplesRead:
    """Return both samples, with the target's features in the source's order."""
    source, target = read_samples(
        request.source,
        request.target,
        datasets,
        request,
        are_classes=request.task == "classification",
    )
    source_paths = build_sample_paths(request.source, ("source",))
    if source.y is None:
        raise InvalidParameter(
            "The source has no labels, and learners are fitted to them; the source needs y.",
            loc=source_paths["y"],
        )
    located_source = located_errors(
        {**source_paths, "target": source_paths["y"]}, within=("source",)
    )
    with located_source, explain_errors_about_kept_rows(source):
        data = _build_data(source, request.task)
    located_target = located_errors(
        build_sample_paths(request.target, ("target",)), within=("target",)
    )
    with located_target, explain_errors_about_kept_rows(target):
        target_y = _encode_labels(target, data)
    fold_labels: tuple[Label, ...] = tuple(range(request.n_folds))
    if source.fold is None:
        fold = _draw_folds(request.n_folds, data.n, seed)
    else:
        located_source = located_errors(source_paths, within=("source",))
        with located_source, explain_errors_about_kept_rows(source):
            fold, fold_labels = _encode_folds(source.fold)
    features = Features(source.names, tuple(np.ascontiguousarray(target.X.T)))
    shift = SourceAndTarget(
        source=data,
        target=features,
        target_y=target_y,
        fold=fold,
        fold_labels=fold_labels,
        known_weights=source.weight,
    )
    return SamplesRead(shift=shift, source=source, left_out=describe_left_out(source, target))


def _build_data(sample: SampleTable, task: str) -> Data:
    columns: dict[str, Any] = dict(zip(sample.names, sample.X.T, strict=True))
    y: Any = sample.y
    return build_data(columns, y, task, source=sample.source)


def _encode_labels(sample: SampleTable, source: Data) -> np.ndarray | None:
    """Return (m,) codes of the target's labels, or their values; None if it has no labels."""
    if sample.y is None:
        return None
    if source.task == "regression":
        return parse_numbers(sample.y, "y")
    code = {label: at for at, label in enumerate(source.classes)}
    labels = parse_class_labels(sample.y, "y").tolist()
    for row, label in enumerate(labels):
        if label not in code:
            listed = ", ".join(str(c) for c in source.classes)[:200]
            raise InvalidParameter(
                f"The label in row {row} is {label!r}, which the source does not have. The "
                f"source's labels are: {listed}.",
                loc=("y", row),
                value=label,
            )
    return np.array([code[label] for label in labels], dtype=np.intp)


def _encode_folds(labels_by_row: RawColumn) -> tuple[IntArray, tuple[Label, ...]]:
    codes, labels = encode_classes(labels_by_row, "fold")
    if len(labels) < 2:
        raise InsufficientData(
            "All rows are in one fold; at least two folds are needed.", loc=("fold",)
        )
    return codes, labels


def _draw_folds(n_folds: int, n: int, seed: int) -> IntArray:
    """Return (n,) random fold numbers; fold sizes differ by at most one."""
    fold = np.empty(n, dtype=np.intp)
    for split in KFold(n_folds=n_folds).splits(Rows(n=n), seed):
        fold[split.test] = split.block
    return fold

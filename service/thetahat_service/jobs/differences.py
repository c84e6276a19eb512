"""The instances on which two models differ most, from the losses that an evaluation keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from thetahat.similar_names import suggest_name
from thetahat_service.data import arrow_functions as pc
from thetahat_service.errors import FieldError, InvalidRequest, PartsNotKept
from thetahat_service.kinds.loss_columns import read_description
from thetahat_service.schemas.evaluation import InstanceDifferenceRead, InstanceDifferencesRead


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceQuery:
    """Which instances are read."""

    a: str | None
    b: str | None
    """The models; None for the first ones of the file."""
    search: str
    """What the label of an instance, its block or its cluster contains; empty for all."""
    offset: int
    limit: int
    """Instances before the page, and its length."""


def read_differences(path: Path, query: InstanceQuery) -> InstanceDifferencesRead:
    """Return a page of the instances on which two models differ, the largest difference first.

    ``path`` is the file of losses.
    """
    schema = pq.read_schema(path)
    described = read_description(schema)
    columns: dict[str, str] = described["models"]
    a, b = _choose_models(columns, query.a, query.b)
    labels = [name for name in ("instance", "block", "cluster") if name in schema.names]
    table = pq.read_table(path, columns=[*labels, *dict.fromkeys((columns[a], columns[b]))])
    if "instance" in labels:
        codes = table["instance"].combine_chunks().dictionary_encode().indices.to_numpy()
    else:
        codes = np.arange(table.num_rows)
    _, first, place, n_rows = np.unique(
        codes, return_index=True, return_inverse=True, return_counts=True
    )
    means = [
        np.bincount(place, weights=table[columns[name]].to_numpy()) / n_rows for name in (a, b)
    ]
    difference = means[0] - means[1]
    order = np.lexsort((first, -np.abs(difference)))
    order = order[np.isfinite(difference[order])]
    if query.search:
        order = order[_find(table, labels, first, query.search)[order]]
    end = query.offset + query.limit
    shown = order[query.offset : end]
    rows = table.select(labels).take(first[shown]).to_pylist()
    return InstanceDifferencesRead(
        a=a,
        b=b,
        better=described["better"],
        total=len(order),
        items=[
            InstanceDifferenceRead(
                instance=row.get("instance", int(first[each]) + 1),
                block=row["block"],
                cluster=row.get("cluster"),
                a=float(means[0][each]),
                b=float(means[1][each]),
                difference=float(difference[each]),
            )
            for row, each in zip(rows, shown, strict=True)
        ],
        next=end if end < len(order) else None,
    )


def _choose_models(columns: Mapping[str, str], a: str | None, b: str | None) -> tuple[str, str]:
    """Return two different models of an evaluation; refuse others."""
    names = list(columns)
    if len(names) < 2:
        raise PartsNotKept("The evaluation has one model, so no two of them differ.")
    first = a if a is not None else next(name for name in names if name != b)
    second = b if b is not None else next(name for name in names if name != first)
    for field, name in (("a", first), ("b", second)):
        if name not in columns:
            fault = f"There is no model {name!r}{suggest_name(name, names)}."
            raise InvalidRequest(fault, (FieldError(("query", field), fault, name),))
    if first == second:
        fault = f"The models a and b are both {first!r}. Name two different ones."
        raise InvalidRequest(fault, (FieldError(("query", "b"), fault, second),))
    return first, second


def _find(table: Any, labels: list[str], first: np.ndarray, search: str) -> np.ndarray:
    """Return which instances have a label that contains a text, whatever its case."""
    found = np.zeros(len(first), dtype=bool)
    for name in labels:
        texts = pc.take(pc.cast(table[name], pa.string()), pa.array(first))
        has_it = pc.match_substring(texts, search, ignore_case=True)
        found |= np.asarray(pc.coalesce(has_it, pa.scalar(False)))
    return found

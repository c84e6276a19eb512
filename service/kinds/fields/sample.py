"""A sample with its features, labels and weights: inline, or columns of a data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from pydantic import Field

from service.data.reading import read_columns, read_features
from service.kinds.base import DatasetFile
from service.kinds.fields.layout import require_columns, require_numbers
from service.kinds.fields.methods import Method, entry_of
from service.schemas.base import Schema
from thetahat.errors import EvaluationError, InvalidParameter, Loc
from thetahat.importance_weights import are_given
from thetahat.tables.columns import Raw, parse_features, parse_numbers, read_columns_of_rows
from thetahat.tables.features import Features
from thetahat.tables.sparse import SparseColumns
from thetahat.values.types import FloatArray

ROLES = ("target", "weight", "source", "fold")
_FIELDS = {"target": "y"}
"""What a role is called inline, where it has another name."""


class SampleColumns(Schema):
    """Which column of a data set plays which part."""

    features: list[str] | None = Field(
        None, min_length=1, description="Left out: every column that plays no other part."
    )
    target: str | None = Field(None, description="The label or value that is predicted.")
    weight: str | None = Field(None, description="For the weights `given`.")


class SampleInput(Schema):
    """Exactly one of ``X`` and ``dataset``."""

    X: list[list[Any]] | None = Field(None, min_length=1, description="One row per instance.")
    y: list[Any] | None = Field(None, min_length=1)
    weight: list[Any] | None = Field(None, description="For the weights `given`.")
    features: list[str] | None = Field(None, description="Names of the columns of X.")
    dataset: UUID | None = None
    columns: SampleColumns | None = None


class LabelledColumns(SampleColumns):
    """The columns of a sample that is learnt from."""

    source: str | None = Field(None, description="Where a row is from; each has a risk of its own.")
    fold: str | None = Field(None, description="Left out: folds are drawn.")


class LabelledInput(SampleInput):
    """Exactly one of ``X`` with ``y`` and ``dataset``."""

    source: list[Any] | None = Field(None, description="Where each row is from.")
    fold: list[Any] | None = Field(None, description="Left out: folds are drawn.")
    columns: LabelledColumns | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What a sample turned out to hold.

    Parameters
    ----------
    X : ndarray of float
        (n, p) complete.
    names : tuple of str
        (p,) what the columns are called.
    y : sequence or None
        (n,) raw labels or values.
    weight : ndarray of float or None
        (n,) finite.
    source, fold : sequence or None
        (n,) raw labels.
    """

    X: FloatArray
    names: tuple[str, ...]
    y: Raw | None = None
    weight: FloatArray | None = None
    source: Raw | None = None
    fold: Raw | None = None


def check_sample(given: SampleInput, loc: Loc, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse none or both of the forms, and columns that are not there."""
    if (given.X is None) == (given.dataset is None):
        raise InvalidParameter("give either X or a dataset", loc=loc)
    if given.dataset is None:
        if given.columns is not None:
            raise InvalidParameter("columns are those of a dataset", loc=(*loc, "columns"))
        return
    for name in ("y", "weight", "source", "fold", "features"):
        if getattr(given, name, None) is not None:
            raise InvalidParameter(
                f"with a dataset, name the column of {name} in columns", loc=(*loc, name)
            )
    columns = given.columns or SampleColumns()
    roles = {role: getattr(columns, role, None) for role in ROLES}
    wanted: dict[Loc, str | None] = {(*loc, "columns", role): roles[role] for role in ROLES}
    features = columns.features or []
    for i, name in enumerate(features):
        wanted[*loc, "columns", "features", i] = name
        if name in features[:i] or name in roles.values():
            raise InvalidParameter(
                f"{name!r} has another part already", loc=(*loc, "columns", "features", i)
            )
    require_columns(datasets[given.dataset], wanted)
    require_numbers(datasets[given.dataset], {(*loc, "columns", "weight"): roles["weight"]})


def check_weight_given(method: Method, source: SampleInput) -> None:
    """Refuse the weights ``given`` where the source has none."""
    if not are_given(entry_of(method).name):
        return
    if source.dataset is None and source.weight is None:
        raise InvalidParameter(
            "the weights 'given' are those in source.weight, one for each row, and there are none",
            loc=("source", "weight"),
        )
    if source.dataset is not None and (source.columns is None or source.columns.weight is None):
        raise InvalidParameter(
            "the weights 'given' are a column of the source: name it in source.columns.weight",
            loc=("source", "columns", "weight"),
        )


def sample_of(
    given: SampleInput,
    loc: Loc,
    datasets: Mapping[UUID, DatasetFile],
    features: Sequence[str] | None = None,
) -> Sample:
    """Read a sample; ``features`` are the columns to take where the request names none.

    A refusal's place is in the request, such as ``("source", "X", 3)``.
    """
    with placed(loc, "X" if given.dataset is None else "columns"):
        if given.dataset is None:
            names = given.features
            roles = {role: getattr(given, _FIELDS.get(role, role), None) for role in ROLES}
            return _sample(read_columns_of_rows(given.X or [], names), roles)
        file, columns = datasets[given.dataset], given.columns or SampleColumns()
        taken = [name for role in ROLES if (name := getattr(columns, role, None)) is not None]
        known = [str(c["name"]) for c in file.columns if c["name"] not in taken]
        wanted = columns.features or (known if features is None else list(features))
        missing = [name for name in wanted if name not in known]
        if missing:
            raise InvalidParameter(
                f"the source has a column {missing[0]!r} and this data set has none; name the "
                "features of both",
                loc=("columns",),
                value=missing[0],
            )
        others = read_columns(file, list(dict.fromkeys(taken)))
        roles = {role: others.get(getattr(columns, role, None) or "") for role in ROLES}
        return _sample(read_features(file, wanted), roles)


def _sample(columns: Mapping[str, Raw | SparseColumns], roles: Mapping[str, Raw | None]) -> Sample:
    wide = tuple(c for c in columns.values() if isinstance(c, SparseColumns))
    plain = parse_features({k: c for k, c in columns.items() if not isinstance(c, SparseColumns)})
    found = Features(tuple(plain), tuple(plain.values()), wide=wide)
    X = _matrix(found)
    for role, values in roles.items():
        field = _FIELDS.get(role, role)
        if values is not None and len(values) != len(X):
            raise InvalidParameter(
                f"{field} has {len(values)} entries for {len(X)} rows", loc=(field,)
            )
    names = tuple(found.column_name(j) for j in range(found.width))
    weight = None if (given := roles["weight"]) is None else parse_numbers(given, "weight")
    return Sample(X, names, roles["target"], weight, roles["source"], roles["fold"])


def _matrix(found: Features) -> FloatArray:
    """Return the (n, p) features; text and missing values are refused by column and row."""
    for name, column in zip(found.names, found.columns, strict=True):
        if column.dtype.kind != "f":
            raise InvalidParameter(
                f"column {name!r} is not numeric, and distances and densities need numbers; leave "
                "it out of the features",
                loc=("features", name),
            )
        missing = np.isnan(column)
        if missing.any():
            row = int(np.argmax(missing))
            raise InvalidParameter(
                f"column {name!r} has no value in row {row}; leave out the column or the rows that "
                "are not complete",
                loc=("features", name, row),
            )
    return found.matrix()


@contextmanager
def placed(outer: Loc, features: str) -> Iterator[None]:
    """Put a refusal's place, which is a role and a row, where the request has it."""
    try:
        yield
    except EvaluationError as error:
        role, rest = (error.loc[0], error.loc[1:]) if error.loc else ("", ())
        if role in {"y", "weight", "source", "fold"} and features == "columns":
            role, rest = features, ({"y": "target"}.get(str(role), role), *rest)
        elif role == "features":
            role = features
        error.loc = (*outer, role, *rest) if role else outer
        raise

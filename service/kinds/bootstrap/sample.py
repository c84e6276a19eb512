"""A sample whose statistic is resampled, and resamples of its values, as a request has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import numpy as np
from pydantic import Field

from service.data.reading import read_columns
from service.kinds.base import DatasetFile
from service.kinds.fields.layout import require_numbers
from service.schemas.base import Schema
from service.schemas.numbers import number_array, shown
from thetahat.errors import EvaluationError, InvalidParameter, Loc
from thetahat.numerics.bootstrap.given_resamples import GivenResamples, rows_of
from thetahat.statistics import Sample
from thetahat.statistics.base import Takes
from thetahat.tables.columns import parse_numbers
from thetahat.values.types import FloatArray, IntArray


class SampleInput(Schema):
    """Two columns of the same rows, or two samples: the statistic says which."""

    x: list[Any]
    y: list[Any] | None = Field(None, description="Labels, for an auc.")


class StatisticColumns(Schema):
    """Which columns of the data set hold the sample."""

    x: str
    y: str | None = None


AnySample = list[Any] | SampleInput | None


def check_form(
    given: AnySample,
    dataset: UUID | None,
    columns: StatisticColumns | None,
    datasets: Mapping[UUID, DatasetFile],
) -> None:
    """Refuse none or both of sample and dataset, and columns that are not there."""
    if (given is None) == (dataset is None):
        raise InvalidParameter("give either a sample or a dataset", loc=("sample",))
    if (columns is None) != (dataset is None):
        raise InvalidParameter("a dataset needs columns, and columns a dataset", loc=("columns",))
    if dataset is not None and columns is not None:
        wanted: dict[Loc, str | None] = {
            ("columns", "x"): columns.x,
            ("columns", "y"): columns.y,
        }
        require_numbers(datasets[dataset], wanted)


def sample_of(
    given: AnySample,
    dataset: UUID | None,
    columns: StatisticColumns | None,
    datasets: Mapping[UUID, DatasetFile],
) -> Sample:
    """Read the sample; what is wrong with it is told by its place in the request."""
    with placed(given):
        if dataset is not None and columns is not None:
            names = [name for name in (columns.x, columns.y) if name is not None]
            read = read_columns(datasets[dataset], names)
            y = None if columns.y is None else parse_numbers(read[columns.y], "y")
            return Sample(parse_numbers(read[columns.x], "x"), y)
        if isinstance(given, SampleInput):
            y = None if given.y is None else number_array(given.y, ("y",))
            return Sample(number_array(given.x, ("x",)), y)
        return Sample(number_array(given, ("x",)))


@contextmanager
def placed(given: AnySample) -> Iterator[None]:
    """Put a refusal's place, which is x or y and a row, where the request has it."""
    try:
        yield
    except EvaluationError as error:
        if isinstance(given, list):
            error.loc = ("sample", *error.loc[1:])
        else:
            error.loc = ("columns" if given is None else "sample", *error.loc)
        raise


def given_resamples(
    given: list[Any], takes: Takes, sample: Sample, starts: IntArray
) -> GivenResamples:
    """Return the rows of resamples that are given by their values."""
    columns = [values for _, values in sample.parts()]
    rows = []
    for b, resample in enumerate(given):
        loc: Loc = ("resamples", b)
        parts, locs = _columns_of(resample, len(columns), loc)
        if takes == "two":
            ends = zip(parts, columns, locs, starts[:-1], strict=True)
            rows.append(np.concatenate([rows_of([p], [c], [where]) + a for p, c, where, a in ends]))
        else:
            rows.append(rows_of(parts, columns, locs))
    return GivenResamples(np.stack(rows), starts)


def _columns_of(resample: Any, width: int, loc: Loc) -> tuple[list[FloatArray], list[Loc]]:
    """Return a resample's columns, and where each stands."""
    if isinstance(resample, list) and width == 1:
        return [number_array(resample, loc)], [loc]
    names = ["x", "y"][:width]
    if not isinstance(resample, dict) or set(resample) != set(names):
        form = '{"x": [..], "y": [..]}' if width > 1 else "a list of numbers"
        raise InvalidParameter(f"a resample is {form} here", loc=loc, value=shown(resample))
    locs: list[Loc] = [(*loc, name) for name in names]
    return [
        number_array(resample[name], where) for name, where in zip(names, locs, strict=True)
    ], locs

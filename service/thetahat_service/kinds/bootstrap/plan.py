"""The plan of a bootstrap: sample, statistic, resamples and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import getitem
from typing import Any, Final, Generic, TypeAlias, TypeVar
from uuid import UUID

import numpy as np

from thetahat.analyses.bootstrap.intervals import METHODS, explain_misfit
from thetahat.analyses.bootstrap.resampling import DEFAULT_RESAMPLES, AnyResamples, check_size
from thetahat.analyses.losses import ChosenMethod
from thetahat.error_paths import located_errors
from thetahat.errors import InvalidParameter, Loc, UnsupportedCombination, shorten_value
from thetahat.numerics.bootstrap.listed_resamples import GivenResamples, find_rows
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.parameter_checks import check_level
from thetahat.statistics import Sample, Statistic
from thetahat.statistics.difference import Difference
from thetahat.statistics.vector_statistics import (
    EVERY_STATISTIC,
    VECTOR_STATISTICS,
    VectorSample,
    VectorStatistic,
)
from thetahat.tables.columns import parse_numbers
from thetahat.two_sample_tests import TWO_SAMPLE_TESTS, TwoSampleTest
from thetahat.values.types import FloatArray, IntArray
from thetahat_service.data.reading import read_columns
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.bootstrap.request import AnySample, BootstrapRequest, StatisticSample
from thetahat_service.kinds.fields.layout import list_named_columns, require_numbers
from thetahat_service.kinds.fields.methods import make_method_entry, parse_method, parse_methods
from thetahat_service.schemas.numbers import read_number_array

S = TypeVar("S", Statistic, VectorStatistic)
D = TypeVar("D", Sample, VectorSample)


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapPlan(Generic[S, D]):
    """A sample of one or of several columns, its resamples, and what is computed from them."""

    statistic: S
    """What is computed."""
    sample: D
    """The sample, which fits the statistic."""
    resamples: AnyResamples
    """Drawn from the rows, or as the request has them."""
    intervals: tuple[str, ...]
    """The intervals to build, of a vector for each component."""
    reasons: Mapping[str, str]
    """By interval that does not fit, why."""
    tests: tuple[ChosenMethod[TwoSampleTest], ...] = ()
    """The tests of the two samples."""
    test_reasons: Mapping[str, str] = field(default_factory=dict)
    """By test that does not fit, why."""


def is_of_vector(request: BootstrapRequest) -> bool:
    """Return whether the statistic of the request has several components."""
    return make_method_entry(request.statistic).name in VECTOR_STATISTICS


def check_request(request: BootstrapRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Check a request; an inline sample is read."""
    check_level(request.level)
    _parse_intervals(request)
    if request.resamples is not None and request.n_resamples is not None:
        raise InvalidParameter(
            "The request has both resamples and n_resamples, which is the number of resamples to "
            "draw. Leave one of them out.",
            loc=("n_resamples",),
        )
    if is_of_vector(request):
        _check_vector_request(request, datasets)
        return
    statistic = _parse_statistic(request)
    _check_named_tests(request, statistic)
    _check_form(request, datasets)
    if request.dataset is None:
        build_plan(request, datasets, seed=0)
        return
    n_rows = datasets[request.dataset].rows * (2 if statistic.takes == "two" else 1)
    _choose_intervals(request, statistic, n_rows)


def build_plan(
    request: BootstrapRequest, datasets: Mapping[UUID, DatasetFile], seed: int
) -> BootstrapPlan[Statistic, Sample]:
    """Read the sample and the resamples, and choose the intervals."""
    statistic = _parse_statistic(request)
    sample = _read_sample(request, datasets)
    with located_errors(_find_sample_paths(request), within=_find_sample_field(request)):
        statistic.build_functional(sample, fast=False)
    starts = statistic.strata(sample)
    columns = [values for _, values in sample.parts()]
    parts: _Parts = {(name,): values for name, values in zip("xy", columns, strict=False)}
    form = '{"x": [..], "y": [..]}' if len(parts) > 1 else "a list of numbers"
    offsets = starts[:-1] if statistic.takes == "two" else None
    resamples = _get_resamples(request, seed, starts, parts, form, offsets)
    intervals, reasons = _choose_intervals(request, statistic, int(starts[-1]))
    tests, test_reasons = _choose_tests(request, statistic, sample)
    return BootstrapPlan(statistic, sample, resamples, intervals, reasons, tests, test_reasons)


def build_vector_plan(
    request: BootstrapRequest, datasets: Mapping[UUID, DatasetFile], seed: int
) -> BootstrapPlan[VectorStatistic, VectorSample]:
    """Read the columns of the sample, and choose the intervals."""
    statistic = parse_method(VECTOR_STATISTICS, request.statistic, ("statistic",))
    with located_errors(_list_vector_paths(request), within=_find_sample_field(request)):
        sample = _read_vector_sample(request, datasets)
        functional = statistic.on(sample)
    n, q = sample.n, len(functional.shifts)
    n_resamples = _count_resamples(request)
    _check_work(n * q, n_resamples)
    starts: IntArray = np.array([0, n], dtype=np.intp)
    intervals, reasons = _choose_intervals(request, statistic, n, n_components=q)
    parts: _Parts = {("x", name): column for name, column in sample.columns.items()}
    if sample.y is not None:
        parts["y",] = sample.y
    names = ", ".join(f'"{name}": [..]' for name in sample.columns)
    response = "" if sample.y is None else ', "y": [..]'
    form = f'{{"x": {{{names}}}{response}}}'
    resamples = _get_resamples(request, seed, starts, parts, form)
    return BootstrapPlan(statistic, sample, resamples, intervals, reasons)


MOST_VECTOR_DRAWS: Final = 400_000_000
"""Largest number of rows times components times resamples: some seconds of one core."""


def _check_work(n_entries: int, n_resamples: int) -> None:
    """Refuse more resamples than can be computed in some seconds."""
    if n_entries * n_resamples > MOST_VECTOR_DRAWS:
        raise InvalidParameter(
            f"{n_resamples} resamples of this sample take too long: rows times components times "
            f"resamples may be at most {MOST_VECTOR_DRAWS}. Request at most "
            f"{MOST_VECTOR_DRAWS // n_entries} resamples.",
            loc=("n_resamples",),
            value=n_resamples,
        )


FEWEST_VECTOR_RESAMPLES: Final = 2
"""Without two of them the components have no covariance."""


def _check_vector_request(request: BootstrapRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    name = make_method_entry(request.statistic).name
    if request.tests is not None:
        raise UnsupportedCombination(
            f"{name} has several components, and takes no tests. Leave the field out.",
            loc=("tests",),
        )
    if request.resamples is not None and len(request.resamples) < FEWEST_VECTOR_RESAMPLES:
        raise InvalidParameter(
            f"{name} has several components, whose covariance needs at least "
            f"{FEWEST_VECTOR_RESAMPLES} resamples.",
            loc=("resamples",),
            value=len(request.resamples),
        )
    _check_form(request, datasets)
    if request.dataset is None:
        build_vector_plan(request, datasets, seed=0)
    else:
        parse_method(VECTOR_STATISTICS, request.statistic, ("statistic",))
        _check_names_of_columns(request)


def _check_names_of_columns(request: BootstrapRequest) -> None:
    """Refuse a data set's columns that are one name, or that name a column twice."""
    x = None if request.columns is None else request.columns.x
    if not isinstance(x, list):
        raise InvalidParameter(
            "A statistic with several components needs a list of columns in columns.x.",
            loc=("columns", "x"),
            value=x,
        )
    if len(set(x)) < len(x):
        raise InvalidParameter("columns.x names a column twice.", loc=("columns", "x"))


def _list_vector_paths(request: BootstrapRequest) -> dict[str, Loc]:
    return {name: (*_find_sample_field(request), name) for name in ("x", "y")}


def _read_vector_sample(
    request: BootstrapRequest, datasets: Mapping[UUID, DatasetFile]
) -> VectorSample:
    if request.dataset is not None and request.columns is not None:
        _check_names_of_columns(request)
        names, of_y = [*request.columns.x], request.columns.y
        read = names if of_y is None else [*names, of_y]
        values = read_columns(datasets[request.dataset], read)
        numbers = {name: parse_numbers(values[name], "x") for name in names}
        return VectorSample(numbers, None if of_y is None else parse_numbers(values[of_y], "y"))
    sample = request.sample
    if not isinstance(sample, StatisticSample) or not isinstance(sample.x, dict):
        raise InvalidParameter(
            'A statistic with several components needs named columns. Give the sample as {"x": '
            '{"NAME": [..], "NAME": [..]}}, and the response of a regression as y.',
            loc=("x",),
        )
    y = None if sample.y is None else read_number_array(sample.y, ("y",))
    columns = {name: read_number_array(values, ("x", name)) for name, values in sample.x.items()}
    return VectorSample(columns, y)


def _parse_statistic(request: BootstrapRequest) -> Statistic:
    statistic: Statistic = parse_method(EVERY_STATISTIC, request.statistic, ("statistic",))
    return statistic


def _count_resamples(request: BootstrapRequest) -> int:
    if request.resamples is not None:
        return len(request.resamples)
    return DEFAULT_RESAMPLES if request.n_resamples is None else request.n_resamples


# The sample ---------------------------------------------------------------------------------------


def _check_form(request: BootstrapRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse neither or both of sample and dataset, and columns that the data set does not have."""
    if (request.sample is None) == (request.dataset is None):
        raise InvalidParameter(
            "A bootstrap needs either a sample or a dataset. Give exactly one of them.",
            loc=("sample",),
        )
    if (request.columns is None) != (request.dataset is None):
        raise InvalidParameter(
            "A dataset needs columns, and columns need a dataset. Give both or neither.",
            loc=("columns",),
        )
    if request.dataset is not None and request.columns is not None:
        named = list_named_columns(request.columns, ("y", "x"))
        require_numbers(datasets[request.dataset], named)


def _find_sample_field(request: BootstrapRequest) -> Loc:
    return ("columns",) if request.sample is None else ("sample",)


def _find_sample_paths(request: BootstrapRequest) -> dict[str, Loc]:
    """Return the request's path of each column of the sample."""
    if isinstance(request.sample, list):
        return {"x": ("sample",), "y": ("sample",)}
    return {name: (*_find_sample_field(request), name) for name in ("x", "y")}


def _read_sample(request: BootstrapRequest, datasets: Mapping[UUID, DatasetFile]) -> Sample:
    paths = _find_sample_paths(request)
    with located_errors(paths):
        if request.dataset is not None and request.columns is not None:
            x, y = request.columns.x, request.columns.y
            if not isinstance(x, str):
                raise InvalidParameter(
                    "This statistic is of one column x. Give its name, and not a list.", loc=("x",)
                )
            values = read_columns(datasets[request.dataset], [x] if y is None else [x, y])
            return Sample(
                parse_numbers(values[x], "x"), None if y is None else parse_numbers(values[y], "y")
            )
        return Sample(*_read_inline(request.sample))


def _read_inline(sample: AnySample) -> tuple[FloatArray, FloatArray | None]:
    """Return the columns of a sample that the request holds; errors name ``x`` or ``y``."""
    if not isinstance(sample, StatisticSample):
        return read_number_array(sample, ("x",)), None
    y = None if sample.y is None else read_number_array(sample.y, ("y",))
    return read_number_array(sample.x, ("x",)), y


# The resamples ------------------------------------------------------------------------------------


_Parts: TypeAlias = dict[Loc, FloatArray]
"""The columns of a sample, by their path in each resample."""


def _get_resamples(  # noqa: PLR0913 - the sample, and how a request writes its resamples
    request: BootstrapRequest,
    seed: int,
    starts: IntArray,
    parts: _Parts,
    form: str,
    offsets: IntArray | None = None,
) -> AnyResamples:
    """Return resamples to draw, or the rows of the sample that each resample of a request holds.

    With ``offsets`` the parts are samples of their own, which begin at these rows.
    """
    if request.resamples is None:
        return HashedResamples(starts, seed, _count_resamples(request))
    rows = []
    for b, resample in enumerate(request.resamples):
        is_bare = isinstance(resample, list) and list(parts) == [("x",)]
        columns: _Parts = {(): parts["x",]} if is_bare else parts
        if not _has_parts(resample, list(columns)):
            raise InvalidParameter(
                f"Each resample of this sample must be {form}.",
                loc=("resamples", b),
                value=shorten_value(resample),
            )
        paths: list[Loc] = [("resamples", b, *path) for path in columns]
        read = [
            read_number_array(reduce(getitem, path, resample), at)
            for path, at in zip(columns, paths, strict=True)
        ]
        if offsets is None:
            rows.append(find_rows(read, list(columns.values()), paths))
        else:
            apart = [
                find_rows([part], [column], [path])
                for part, column, path in zip(read, columns.values(), paths, strict=True)
            ]
            rows.append(np.concatenate([r + a for r, a in zip(apart, offsets, strict=True)]))
    return GivenResamples(np.stack(rows), starts)


def _has_parts(resample: Any, paths: list[Loc]) -> bool:
    """Return whether a resample is an object, or objects in an object, with exactly these paths."""
    if paths == [()]:
        return True
    inner: dict[int | str, list[Loc]] = {}
    for path in paths:
        inner.setdefault(path[0], []).append(path[1:])
    return (
        isinstance(resample, dict)
        and set(resample) == set(inner)
        and all(_has_parts(resample[name], below) for name, below in inner.items())
    )


# The intervals ------------------------------------------------------------------------------------


def _parse_intervals(request: BootstrapRequest) -> tuple[str, ...]:
    """Return the names of the intervals that the request names."""
    names: list[str] = []
    for i, method in enumerate(request.intervals or ()):
        entry, path = make_method_entry(method), ("intervals", i)
        if entry.name not in METHODS:
            raise InvalidParameter(
                f"{entry.name!r} is not an interval of a bootstrap. Choose from "
                f"{', '.join(METHODS)}.",
                loc=path,
                value=entry.name,
            )
        if entry.params or entry.as_ is not None:
            raise InvalidParameter(
                f"The interval {entry.name} takes neither params nor 'as' in a bootstrap. Set the "
                "number of resamples with n_resamples.",
                loc=path,
            )
        if entry.name in names:
            raise InvalidParameter(
                f"The interval {entry.name!r} is named twice. Name it once.",
                loc=path,
                value=entry.name,
            )
        names.append(entry.name)
    return tuple(names)


def _choose_intervals(
    request: BootstrapRequest,
    statistic: Statistic | VectorStatistic,
    n_rows: int,
    n_components: int = 1,
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the intervals to build, and why others do not fit; a named one must fit."""
    if request.resamples is None:
        check_size(n_rows, _count_resamples(request), loc=("n_resamples",))
    n_draws = n_rows * n_components * _count_resamples(request)
    names = METHODS if request.intervals is None else _parse_intervals(request)
    misfits = {name: explain_misfit(name, statistic, n_draws) for name in METHODS}
    reasons = {name: reason for name in names if (reason := misfits[name]) is not None}
    if request.intervals is not None and reasons:
        name, reason = next(iter(reasons.items()))
        fitting = ", ".join(name for name in METHODS if misfits[name] is None)
        raise UnsupportedCombination(
            f"{reason.rstrip('.')}. Intervals that fit: {fitting}.",
            loc=("intervals", names.index(name)),
            value=name,
        )
    return tuple(name for name in names if name not in reasons), reasons


# The tests ----------------------------------------------------------------------------------------

MOST_TESTED_BY_DEFAULT: Final = 200_000
"""Rows of both samples up to which tests are computed that the request does not name: with 999
permutations some seconds."""


def _check_named_tests(request: BootstrapRequest, statistic: Statistic) -> None:
    """Refuse tests that the request names and that do not fit the statistic."""
    tests = parse_methods(TWO_SAMPLE_TESTS, request.tests or (), "tests")
    reason = _find_reason_against_test(tests[0].name, statistic) if tests else None
    if reason is not None:
        raise UnsupportedCombination(reason, loc=("tests", 0), value=tests[0].name)


def _choose_tests(
    request: BootstrapRequest, statistic: Statistic, sample: Sample
) -> tuple[tuple[ChosenMethod[TwoSampleTest], ...], dict[str, str]]:
    """Return the tests of the two samples, and why others do not fit; a named one must fit."""
    if request.tests is not None:
        chosen = parse_methods(TWO_SAMPLE_TESTS, request.tests, "tests")
        for test in chosen:
            reason = _find_size_reason(test.method, sample)
            if reason is not None:
                raise UnsupportedCombination(
                    reason, loc=("tests", test.place or 0), value=test.name
                )
        return chosen, {}
    if not isinstance(statistic, Difference):
        return (), {}
    misfits = {name: _find_reason_against_test(name, statistic) for name in TWO_SAMPLE_TESTS}
    reasons = {name: reason for name, reason in misfits.items() if reason is not None}
    if reasons:
        return (), reasons
    tests = []
    for test in parse_methods(TWO_SAMPLE_TESTS, tuple(TWO_SAMPLE_TESTS), "tests"):
        reason = _find_size_reason(test.method, sample, by_default=True)
        if reason is None:
            tests.append(test)
        else:
            reasons[test.key] = reason
    return tuple(tests), reasons


def _find_reason_against_test(name: str, statistic: Statistic) -> str | None:
    """Return why a test of two samples does not fit this statistic, or None if it does."""
    if not isinstance(statistic, Difference):
        return f"The test {name} compares two samples. Use the statistic difference."
    if statistic.paired:
        return (
            f"The test {name} is for independent samples, and these are pairs. Use the kind "
            "losses, which has tests of pairs."
        )
    if not statistic.is_of_means:
        return (
            f"The test {name} compares means, and the statistic is a difference of "
            f"{statistic.statistic}."
        )
    return None


def _find_size_reason(
    test: TwoSampleTest, sample: Sample, *, by_default: bool = False
) -> str | None:
    """Return why the samples are too small for a test, or too large unless it is named."""
    assert sample.y is not None  # noqa: S101 - the statistic has refused a single sample
    n, m = len(sample.x), len(sample.y)
    if by_default and n + m > MOST_TESTED_BY_DEFAULT:
        return (
            f"The test {test.info.name} takes long for {n + m} rows. Name it in tests to compute "
            "it anyway."
        )
    return test.inapplicable(n, m)

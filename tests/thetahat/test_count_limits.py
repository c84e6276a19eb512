"""Every count that a request can name has a largest value."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

import pytest

from tests.cases import each
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.families import collect_families
from thetahat.generators._size import DrawSize
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.generators.word_counts import WordCounts
from thetahat.parameter_checks import MAX_DRAWN, MAX_ROWS, MAX_SPLITS
from thetahat.pipelines import allowed_classes
from thetahat.pipelines.constraints import build_params_schema

# a class label, which may be a number; the rows that a plan of looks ends at, which cost nothing
NOT_COUNTS = frozenset({"positive", "rows"})
REQUIRED: dict[str, Any] = {"planned": {"rows": 1000}}
CLASSES = (
    allowed_classes.CLASSIFIERS,
    allowed_classes.REGRESSORS,
    allowed_classes.TRANSFORMERS,
    allowed_classes.VECTORISERS,
)


def list_counts() -> list[tuple[str, str, str, Any]]:
    counts = []
    for family, registry in collect_families().items():
        for name, method in registry.items():
            hints = typing.get_type_hints(method)
            for field in dataclasses.fields(method):
                kinds = typing.get_args(hints[field.name]) or (hints[field.name],)
                if int in kinds and field.name not in NOT_COUNTS:
                    beyond = (10**9 - 1, 10**9) if Ellipsis in kinds else 10**9
                    counts.append((family, name, field.name, beyond))
    return counts


COUNTS = list_counts()


def test_exact_counts_are_found() -> None:
    assert ("schemes", "k_fold", "n_folds", 10**9) in COUNTS
    assert ("refit_estimators", "two_stage_bootstrap", "n_outer", 10**9) in COUNTS
    assert ("presets", "lecture_estimators", "resamples", 10**9) in COUNTS
    assert len(COUNTS) > 60


@each("family,name,parameter,beyond", COUNTS)
def test_invalid_a_count_beyond_all_bounds(
    family: str, name: str, parameter: str, beyond: Any
) -> None:
    method: Any = collect_families()[family][name]

    with pytest.raises(EvaluationError):
        dataclasses.replace(method(**REQUIRED.get(name, {})), **{parameter: beyond})


@each("name", sorted({n for table in CLASSES for n in table}))
def test_exact_whole_numbers_of_scikit_learn_have_a_maximum(name: str) -> None:
    def check(schema: Any, parameter: str) -> None:
        if isinstance(schema, dict):
            if schema.get("type") == "integer":
                assert "maximum" in schema or "exclusiveMaximum" in schema, parameter
            for part in schema.values():
                check(part, parameter)
        elif isinstance(schema, list):
            for part in schema:
                check(part, parameter)

    for parameter, schema in build_params_schema(allowed_classes.load_class(name))[
        "properties"
    ].items():
        check(schema, parameter)


@pytest.mark.parametrize("field", ["n", "n_target"])
def test_invalid_draws_of_too_many_rows(field: str) -> None:
    with pytest.raises(InvalidParameter, match=field):
        DrawSize(**{"n": 10, field: MAX_ROWS + 1})
    with pytest.raises(InvalidParameter, match="n_sources times per_source"):
        DrawSize(n_sources=MAX_SPLITS, per_source=MAX_SPLITS)


def test_invalid_draws_of_too_many_numbers() -> None:
    generator, size = TwoClassGaussian(n_features=20_000), DrawSize(n=MAX_DRAWN // 20_000 + 1)
    rng: Any = None  # refused before anything is drawn

    size.check_columns(19_000)
    with pytest.raises(InvalidParameter, match="20000 columns"):
        size.check_columns(generator.n_features)
    with pytest.raises(InvalidParameter, match="20000 columns"):
        generator.draw_sources(10**6, rng)
    with pytest.raises(InvalidParameter, match="20000 columns"):
        WordCounts(n_words=20_000).draw_sources(10**6, rng)

"""The parts of a result that ``include`` names, and what a result has without them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.thetahat.analyses.losses.tables import (
    evaluated_with_weights,
    five_by_nine,
    named,
    normal_table,
    result_of,
    scores_of,
    table_of,
)
from tests.thetahat.analyses.losses.test_many_pairs import tables, wide_table
from thetahat.analyses.losses import Choices, evaluate
from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.errors import InvalidParameter
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind

OF_PAIRS = {"intervals", "variances", "tests"}
PLACES: dict[ResultPart, tuple[set[str], set[str], set[str]]] = {
    ResultPart.BLOCKS: ({"block_labels"}, set(), set()),
    ResultPart.COVARIANCE: ({"covariance"}, set(), set()),
    ResultPart.EFFECT_SIZES: (set(), set(), {"effect_size"}),
    ResultPart.GROUP_GAPS: (set(), set(), set()),
    ResultPart.INTERVALS: (set(), {"intervals"}, {"intervals", "recommended"}),
    ResultPart.NUMBER_NEEDED: (set(), set(), {"number_needed"}),
    ResultPart.OMNIBUS: ({"omnibus"}, set(), set()),
    ResultPart.RELATIVE: (set(), set(), {"relative"}),
    ResultPart.SCORE_CURVES: (set(), set(), set()),
    ResultPart.TESTS: (set(), set(), {"tests"}),
    ResultPart.VARIANCES: (set(), {"variances"}, {"variances"}),
    ResultPart.WINS: (set(), set(), {"wins"}),
}
"""The fields of the result, of a model and of a comparison that a part adds."""


def drop_parts(whole: Any) -> Any:
    """Return a result with every part as the same result without any."""
    result: dict[str, Any] = json.loads(json.dumps(whole))
    for place, fields in enumerate(zip(*PLACES.values(), strict=True)):
        holders = ([result], result["models"].values(), result["comparisons"])[place]
        for holder in holders:
            for name in set().union(*fields):
                holder.pop(name, None)
    for pair in result["comparisons"]:  # about the tests
        pair["cautions"] = [
            each for each in pair["cautions"] if each["code"] != "tests_disagree_with_verdict"
        ]
    for model in result["models"].values():
        model["mean"] = {key: model["mean"][key] for key in ("macro", "pooled")}
    return {**result, "include": [], "not_applicable": []}


@given(table=tables())
def test_exact_a_small_result_is_the_whole_one_without_its_parts(table: LossTable) -> None:
    assert result_of(table, include=()) == drop_parts(result_of(table, include="all"))


@pytest.mark.parametrize(
    "table",
    [
        *(five_by_nine(kind) for kind in BlockKind),
        *(
            normal_table(3, kind, shifts=(0.0, 0.1, 0.4))
            for kind in BlockKind
            if kind != "subsamples"
        ),
        scores_of({"a": [0.1, 0.2, 0.4], "b": [0.3, 0.1, 0.2]}),
        table_of(
            build_layout(BlockKind.SOURCE, np.arange(30) % 5, n_train=0.0),
            {
                "a": np.random.default_rng(1).pareto(1.0, 30),
                "b": np.random.default_rng(2).random(30),
            },
        ),
    ],
)
@pytest.mark.parametrize("options", [{}, {"margin": 0.1}, {"alternative": "less"}, {"clip": True}])
def test_exact_recommended_intervals_need_no_others(
    table: LossTable, options: dict[str, Any]
) -> None:
    small, whole = (result_of(table, include=i, **options) for i in ((), "all"))

    assert small == drop_parts(whole)


@pytest.mark.parametrize("part", ResultPart)
def test_exact_a_part_adds_its_fields_alone(part: ResultPart) -> None:
    table = wide_table(n_models=3)
    small, whole = (result_of(table, include=i) for i in ((), "all"))

    result = result_of(table, include=[part])

    assert result["include"] == [part]
    of_result, of_model, of_pair = PLACES[part]
    assert set(result) - set(small) == of_result
    for name, model in result["models"].items():
        assert set(model) - set(small["models"][name]) == of_model
        more = {"blocks"} if part is ResultPart.BLOCKS else set()
        assert set(model["mean"]) == {"macro", "pooled", *more}
        assert all(model[field] == whole["models"][name][field] for field in of_model)
    for pair, of_whole in zip(result["comparisons"], whole["comparisons"], strict=True):
        assert set(pair) - set(small["comparisons"][0]) == of_pair
        assert all(pair[field] == of_whole[field] for field in of_pair)
    assert all(result[field] == whole[field] for field in of_result)
    families = {"intervals", "variances", "tests", "omnibus"} & {part}
    assert {entry["family"] for entry in result["not_applicable"]} <= families


@pytest.mark.parametrize(
    ("field", "name"), [("variances", "theta_4"), ("intervals", "normal"), ("tests", "sign")]
)
def test_exact_methods_that_are_named_are_included(field: str, name: str) -> None:
    chosen: dict[str, Any] = {field: named(field, name)}
    small, whole = (result_of(wide_table(), include=i, **chosen) for i in ((), "all"))

    assert field in small["include"]
    for pair, of_whole in zip(small["comparisons"], whole["comparisons"], strict=True):
        assert pair[field] == of_whole[field]
        assert (OF_PAIRS - {field}).isdisjoint(pair)
        assert pair["verdict"] == of_whole["verdict"]
    model = small["models"]["m0"]
    assert ({"variances", "intervals"} & set(model)) == {field} - {"tests"}


def test_exact_weighted_risks_of_pairs_need_no_part() -> None:
    table, weights = wide_table(n_models=2), np.linspace(0.5, 1.5, 90)

    small = evaluated_with_weights(table, Choices(include=()), 1, weights)
    whole = evaluated_with_weights(table, Choices(include="all"), 1, weights)

    assert small["comparisons"][0]["risks"] == whole["comparisons"][0]["risks"]


def test_exact_parts_can_be_named_in_any_order_or_all_at_once() -> None:
    assert Choices(include=["variances", "tests", "tests"]).parts == ("tests", "variances")
    assert Choices(include="variances").parts == ("variances",)
    assert Choices(include=["tests", "all"]).parts == tuple(ResultPart)
    assert Choices(include="all").parts == tuple(ResultPart)


def test_invalid_a_part_that_no_result_has() -> None:
    with pytest.raises(InvalidParameter, match=r"no part 'variance' \(did you mean 'variances'"):
        Choices(include=["tests", "variance"])


@pytest.mark.usefixtures("small_by_default")
def test_limit_a_result_is_small_by_default_and_linear_in_models() -> None:
    def measure(n_models: int) -> int:
        return len(json.dumps(result_of(wide_table(n_models=n_models), control="m0")))

    assert Choices().parts == ()
    two, twelve, twenty_two = (measure(n) for n in (2, 12, 22))
    assert two < 12_000
    assert twenty_two - twelve < 1.1 * (twelve - two)


@given(st.lists(st.sampled_from(ResultPart)))
def test_property_parts_are_stored_as_they_are_read(parts: list[ResultPart]) -> None:
    assert Choices(include=parts).parts == Choices(include=Choices(include=parts).parts).parts


def test_limit_a_result_is_printed_in_a_few_lines() -> None:
    result = evaluate(wide_table(n_models=12), Choices(include="all"), 1)

    assert len(repr(result)) < 1000
    assert result.summary.best_model in repr(result)
    assert result.summary.sentences[0] in " ".join(str(result).split())
    assert len(str(result).splitlines()) < 40

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.analyses.losses.tables import five_by_nine, normal_table, result_of, table_of
from thetahat.analyses.losses import Choices, ChosenMethod, check
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind

FIELDS = {"statistic", "degrees_of_freedom", "p_value", "unit", "cautions"}
# ranks by source: (1, 2, 3) three times, then (2, 1, 3): sums 5, 7, 12, distances -3, -1, 4
FOUR_ROWS = {"a": [0.0, 0.0, 0.0, 2.0], "b": [1.0, 1.0, 1.0, 1.0], "c": [2.0, 2.0, 2.0, 3.0]}


def four_sources() -> Any:
    return table_of(build_layout(BlockKind.SOURCE, np.arange(4)), FOUR_ROWS)


def requested_tests(*names: str) -> tuple[ChosenMethod[Any], ...]:
    return tuple(ChosenMethod(name, name, MULTIPLE_TESTS[name]()) for name in names)


def left_out(result: dict[str, Any]) -> dict[str, str]:
    listed = result["not_applicable"]
    return {entry["name"]: entry["reason"] for entry in listed if entry["family"] == "omnibus"}


def test_by_hand_values() -> None:
    omnibus = result_of(four_sources())["omnibus"]

    assert all(set(outcome) >= FIELDS for outcome in omnibus.values())
    friedman = omnibus["friedman"]
    assert_allclose(friedman["statistic"], 12 / (4 * 3 * 4) * (9 + 1 + 16), rtol=1e-13)
    assert_allclose(friedman["p_value"], np.exp(-3.25), rtol=1e-13)
    assert friedman["degrees_of_freedom"] == 2
    assert friedman["mean_ranks"] == {"a": 1.25, "b": 1.75, "c": 3.0}
    assert_allclose(omnibus["iman_davenport"]["statistic"], 3 * 6.5 / 1.5, rtol=1e-13)
    assert omnibus["iman_davenport"]["degrees_of_freedom"] == [2.0, 6.0]
    # 2.343 of the printed table times sqrt(12 / 24)
    assert_allclose(omnibus["nemenyi"]["critical_difference"], 2.343 / np.sqrt(2), rtol=1e-3)
    assert omnibus["nemenyi"]["groups"] == [["a", "b"], ["b", "c"]]


def test_exact_all_that_apply_and_why_the_others_do_not() -> None:
    result = result_of(normal_table(51, BlockKind.SOURCE, shifts=(0.0, 0.0, 0.5)))

    assert set(result["omnibus"]) | set(left_out(result)) == set(MULTIPLE_TESTS)
    assert "source" in left_out(result)["cochran_q"]
    assert json.loads(json.dumps(result["omnibus"], allow_nan=False)) == result["omnibus"]


def test_exact_losses_that_are_not_zero_or_one_leave_cochran_out() -> None:
    result = result_of(normal_table(52, BlockKind.HOLDOUT, shifts=(0.0, 0.0, 0.5)))

    assert "0 or 1" in left_out(result)["cochran_q"]
    assert result["omnibus"]["friedman"]["unit"] == "instance"


def test_limit_two_models_have_none_and_miss_none() -> None:
    result = result_of(five_by_nine(BlockKind.HOLDOUT))

    assert result["omnibus"] == {}
    assert left_out(result) == {}


def test_exact_only_named_methods_are_run() -> None:
    result = result_of(four_sources(), tests=(), omnibus=requested_tests("quade"))

    assert set(result["omnibus"]) == {"quade"}
    assert all(comparison["tests"] == {} for comparison in result["comparisons"])
    assert result_of(four_sources(), omnibus=())["omnibus"] == {}


def test_exact_the_request_s_unit_is_taken() -> None:
    table = normal_table(53, BlockKind.RANDOM, shifts=(0.0, 0.0, 0.5))

    by_block, by_instance = (
        result_of(table, paired_unit=unit)["omnibus"] for unit in (None, "instance")
    )

    assert by_block["friedman"]["unit"] == "block"
    assert by_instance["friedman"]["unit"] == "instance"
    assert by_instance["friedman"]["rows"] == 60


def test_invalid_named_one_that_does_not_fit() -> None:
    choices = Choices(omnibus=requested_tests("cochran_q"))

    with pytest.raises(UnsupportedCombination, match=r"cochran_q .*fit: .*friedman") as caught:
        check(four_sources().layout, choices, ["a", "b", "c"])
    assert caught.value.loc == ("tests", 0)
    third = ChosenMethod("q", "cochran_q", MULTIPLE_TESTS["cochran_q"](), place=2)
    with pytest.raises(UnsupportedCombination) as caught:
        check(four_sources().layout, Choices(omnibus=(third,)), ["a", "b", "c"])
    assert caught.value.loc == ("tests", 2)
    with pytest.raises(UnsupportedCombination, match="at least 3 models, but there are 2"):
        check(four_sources().layout, Choices(omnibus=requested_tests("friedman")), ["a", "b"])
    check(four_sources().layout, Choices(omnibus=requested_tests("friedman")), ["a", "b", "c"])


def test_invalid_named_cochran_on_other_losses_raises() -> None:
    table = normal_table(54, BlockKind.HOLDOUT, shifts=(0.0, 0.0, 0.5))

    with pytest.raises(UnsupportedCombination, match="0 or 1") as caught:
        result_of(table, omnibus=requested_tests("cochran_q"))
    assert caught.value.loc == ("tests",)
    second = ChosenMethod("q", "cochran_q", MULTIPLE_TESTS["cochran_q"](), place=1)
    with pytest.raises(UnsupportedCombination, match="0 or 1") as caught:
        result_of(table, omnibus=(second,))
    assert caught.value.loc == ("tests", 1)


def test_invalid_correction_for_what_is_compared() -> None:
    choices = Choices(correction="shaffer", control="a")

    with pytest.raises(UnsupportedCombination, match="control") as caught:
        check(four_sources().layout, choices, ["a", "b", "c"])
    assert caught.value.loc == ("correction",)
    assert caught.value.value == "shaffer"


def test_invalid_key_twice() -> None:
    with pytest.raises(InvalidParameter, match="twice"):
        Choices(omnibus=requested_tests("quade", "quade"))

"""Tests of all models at once, asked for among the tests of pairs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.kinds.run_requests import place_of, run_kind
from thetahat.errors import EvaluationError
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat_service.api.catalogue import read_family
from thetahat_service.errors import InvalidRequest

LOSSES = {
    "a": [[0.0, 0.1], [0.2, 0.3], [0.1, 0.0]],
    "b": [[0.5, 0.4], [0.3, 0.1], [0.6, 0.2]],
    "c": [[0.9, 0.9], [0.7, 0.8], [0.9, 0.6]],
}


def body(**fields: Any) -> dict[str, Any]:
    return {"kind": "losses", "losses": LOSSES, "blocks": "source", **fields}


def test_exact_tests_of_pairs_and_of_all_models_in_one_list() -> None:
    uncorrected = {"name": "friedman", "params": {"ties": "none"}, "as": "demsar"}

    result = run_kind(body(tests=["sign", uncorrected])).result

    assert set(result["omnibus"]) == {"demsar"}
    assert result["omnibus"]["demsar"]["ties"] == "none"
    # mean losses by source: a < b < c in the first and last, b < a < c in the second
    assert result["omnibus"]["demsar"]["mean_ranks"] == {"a": 4 / 3, "b": 5 / 3, "c": 3.0}
    assert set(result["comparisons"][0]["tests"]) == {"sign"}
    assert {
        "family": "omnibus",
        "name": "friedman",
        "params": {"ties": "none", "unit": None},
        "as": "demsar",
    } in result["methods"]


def test_exact_left_out_means_all_that_apply() -> None:
    result = run_kind(body()).result

    assert {"friedman", "iman_davenport", "nemenyi", "quade", "aligned_ranks"} <= set(
        result["omnibus"]
    )


@pytest.mark.parametrize(
    ("tests", "place", "words"),
    [
        (["sign", "fridman"], ("tests", 1, "name"), "friedman"),
        (["friedman", "friedman"], ("tests", 1), "twice"),
        (["cochran_q"], ("tests", 0), "source"),
        (
            [{"name": "friedman", "params": {"ties": "some"}}],
            ("tests", 0, "params", "ties"),
            "none",
        ),
    ],
)
def test_invalid_tests(tests: list[Any], place: tuple[Any, ...], words: str) -> None:
    with pytest.raises((EvaluationError, InvalidRequest), match=words) as caught:
        run_kind(body(tests=tests))
    assert place_of(caught.value) == place


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"correction": "shaffer", "control": "a"}, "control"),
        ({"correction": "bergmann_hommel", "control": "a"}, "control"),
        ({"correction": "shaffer", "alternative": "less"}, "alternative"),
        (
            {
                "correction": "bergmann_hommel",
                "losses": {f"m{i}": rows for i, rows in enumerate([LOSSES["a"]] * 10)},
            },
            "at most 9 models, and there are 10",
        ),
    ],
)
def test_invalid_corrections(fields: dict[str, Any], words: str) -> None:
    with pytest.raises((EvaluationError, InvalidRequest), match=words) as caught:
        run_kind(body(**fields))
    assert place_of(caught.value) == ("correction",)


def test_exact_a_control_and_its_tied_models() -> None:
    result = run_kind(body(correction="finner", control="c", level=0.8)).result

    friedman = result["omnibus"]["friedman"]
    assert [(pair["a"], pair["b"]) for pair in friedman["pairs"]] == [("a", "c"), ("b", "c")]
    # z of a: (4/3 - 3) / sqrt(2 / 3) = -2.04, p .0412; of b: -1.63, p .1025; squared, and as is
    assert friedman["pairs"][0]["p_value_adjusted"] == pytest.approx(1 - (1 - 0.041227) ** 2, 1e-3)
    assert friedman["pairs"][1]["p_value_adjusted"] == pytest.approx(0.10247, 1e-3)
    assert friedman["tied_with"] == "c"
    assert friedman["tied"] == [["c"]]


def test_invalid_two_models_are_too_few() -> None:
    two = {name: LOSSES[name] for name in "ab"}

    with pytest.raises(EvaluationError, match="at least 3 models"):
        run_kind(body(tests=["friedman"], losses=two))


def test_exact_the_catalogue_lists_both_kinds_of_test() -> None:
    listed = [item["name"] for item in read_family("tests")["items"]]

    assert listed == sorted([*PAIRED_TESTS, *MULTIPLE_TESTS])

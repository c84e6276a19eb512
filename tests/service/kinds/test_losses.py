from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from thetahat.errors import EvaluationError, InsufficientData, InvalidParameter
from thetahat_service.errors import InvalidRequest

# 2 blocks of 3 losses; block means of a: 1, 3; of b: 2, 2
A, B = [[0.0, 1.0, 2.0], [2.0, 3.0, 4.0]], [[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]]
FLAT_A, FLAT_B = [e for row in A for e in row], [e for row in B for e in row]
MATRIX: dict[str, Any] = {"kind": "losses", "blocks": "source", "losses": {"a": A, "b": B}}
LONG: dict[str, Any] = {
    "kind": "losses",
    "blocks": "source",
    "losses": {"a": FLAT_A, "b": FLAT_B},
    "block": [0, 0, 0, 1, 1, 1],
}


def test_by_hand_two_blocks_of_three() -> None:
    model = run_kind(MATRIX).result["models"]["a"]

    assert model["mean"] == {"macro": 2.0, "pooled": 2.0, "blocks": [1.0, 3.0]}
    assert (model["n"], model["blocks"]) == (6, 2)
    # V_k = 1 and 1, M = 3: theta_A = (1/4)(1/3 + 1/3) = 1/6; B = 2, B/K = 1
    assert_allclose(model["variances"]["theta_A"]["value"], 1 / 6, rtol=1e-14)
    assert_allclose(model["variances"]["theta_B"]["value"], 1 / 3, rtol=1e-14)
    assert_allclose(model["variances"]["theta_gamma"]["value"], 1.0, rtol=1e-14)
    targets = [i["target"] for i in model["intervals"] if i["recommended"]]
    assert sorted(targets) == ["new_source", "these_sources"]


def test_exact_all_forms_say_the_same(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"a": FLAT_A, "b": FLAT_B, "site": [0, 0, 0, 1, 1, 1]})
    stored = {
        "kind": "losses",
        "blocks": "source",
        "dataset": str(file.id),
        "columns": {"losses": ["a", "b"], "block": "site"},
    }

    results = [run_kind(MATRIX).result, run_kind(LONG).result, run_kind(stored, [file]).result]

    assert results[0] == results[1] == results[2]


def test_exact_split_scores_agree_with_block_means() -> None:
    rng = np.random.default_rng(20_261_121)
    rows = {m: rng.random((5, 4)).tolist() for m in ("a", "b")}
    scores = {m: np.mean(r, axis=1).tolist() for m, r in rows.items()}
    whole = run_kind({"kind": "losses", "blocks": "random", "losses": rows}).result
    split = run_kind(
        {
            "kind": "losses",
            "blocks": "random",
            "split_scores": scores,
            "n_train": 16,
            "n_test": 4,
            "better": "lower",
        }
    ).result

    for name in ("theta_3", "nadeau_bengio"):
        assert_allclose(
            split["models"]["a"]["variances"][name]["value"],
            whole["models"]["a"]["variances"][name]["value"],
            rtol=1e-12,
        )
    assert "theta_4" not in split["models"]["a"]["variances"]
    assert "theta_4" in {entry["name"] for entry in split["not_applicable"]}
    assert run_kind({**LONG}).losses is not None
    assert_allclose(
        split["comparisons"][0]["tests"]["nadeau_bengio_t"]["p_value"],
        whole["comparisons"][0]["tests"]["nadeau_bengio_t"]["p_value"],
        rtol=1e-9,
    )


def test_exact_losses_come_back_as_they_were_sent() -> None:
    table = run_kind({**LONG, "cluster": ["x", "x", "y", "y", "z", "z"]}).losses

    assert table is not None
    assert table.column_names == ["block", "repeat", "cluster", "a", "b"]
    assert table["a"].to_pylist() == FLAT_A
    assert table["cluster"].to_pylist() == ["x", "x", "y", "y", "z", "z"]


def test_exact_block_labels_and_training_sizes_by_name() -> None:
    body = {**MATRIX, "blocks": "random", "block_labels": ["dvd", "book"]}
    result = run_kind({**body, "n_train": {"dvd": 30, "book": 30}}).result

    assert result["block_labels"] == ["dvd", "book"]
    # S^2 = 2; (1/2 + 6/60) * 2 = 1.2
    assert_allclose(result["models"]["a"]["variances"]["nadeau_bengio"]["value"], 1.2, rtol=1e-14)


def test_by_hand_weights_add_risks() -> None:
    result = run_kind({**LONG, "weights": [0, 0, 0, 2, 2, 2]}).result

    # mean of loss x weight = (4 + 6 + 8) / 6
    assert_allclose(result["models"]["a"]["risks"]["weighted"]["estimate"], 3.0, rtol=1e-14)
    assert result["models"]["a"]["mean"]["macro"] == 2.0


def test_exact_provenance_names_methods_with_their_parameters() -> None:
    body = {**MATRIX, "tests": [{"name": "theta_t", "params": {"variance": "theta_A"}, "as": "t"}]}
    methods = run_kind(body).result["methods"]

    assert {"family": "variances", "name": "theta_B", "params": {}} in methods
    assert [m for m in methods if m["family"] == "tests"] == [
        {"family": "tests", "name": "theta_t", "params": {"variance": "theta_A"}, "as": "t"}
    ]


def test_degenerate_without_blocks_a_caution_names_the_assumption() -> None:
    result = run_kind({k: v for k, v in MATRIX.items() if k != "blocks"}).result

    assert "blocks_assumed_random" in [c["code"] for c in result["cautions"]]
    assert "blocks_assumed_random" not in [c["code"] for c in run_kind(MATRIX).result["cautions"]]


@pytest.mark.parametrize(
    ("change", "loc"),
    [
        ({"losses": {"a": A, "b": [[1.0, 2.0], [1.0, 2.0, 3.0]]}}, ("losses", "b", 0)),
        ({"losses": {"a": A, "b": [[1.0, 2.0, 3.0]]}}, ("losses", "b")),
        ({"losses": {"a": [[1.0, True]]}}, ("losses", "a", 0, 1)),
        ({"losses": {"a": [[1.0, "2"], [1.0, 2.0]]}}, ("losses", "a", 0, 1)),
        ({"losses": {"a": [[1.0, 10**400], [1.0, 2.0]]}}, ("losses", "a", 0, 1)),
        ({"losses": {"a": [[1.0, 1e200], [1.0, 2.0]]}}, ("losses", "a", 0, 1)),
        ({"weights": [0.0] * 6}, ("weights",)),
        ({"losses": {"a": [[], [1.0]]}}, ("losses", "a", 0)),
        ({"losses": {"a": [[1.0, 2.0]]}}, ("losses", "a")),
        ({"losses": {}}, ("losses",)),
        ({"losses": {"a": [1.0, 2.0]}}, ("block",)),
        ({"losses": {"a": [1.0, 2.0]}, "block": [0]}, ("block",)),
        ({"losses": {"a": [1.0, 2.0]}, "block": [0, 1.5]}, ("block", 1)),
        ({"block": [0, 1]}, ("block",)),
        ({"blocks": "holdout"}, ("blocks",)),
        ({"level": 1.0}, ("level",)),
        ({"level": 0.0}, ("level",)),
        ({"margin": -1.0}, ("margin",)),
        ({"control": "c"}, ("control",)),
        ({"correction": "guess"}, ("correction",)),
        ({"variances": ["theta_5"]}, ("variances", 0)),
        ({"variances": ["nonsense"]}, ("variances", 0, "name")),
        ({"variances": ["theta_A", "theta_A"]}, ("variances", 1)),
        (
            {"variances": [{"name": "theta_A", "params": {"x": 1}}]},
            ("variances", 0, "params", "x"),
        ),
        ({"weights": [1.0]}, ("weights",)),
        ({"weights": [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0]]}, ("weights", 5)),
        ({"n_train": {"7": 3}}, ("n_train", "7")),
        ({"n_train": -3}, ("n_train",)),
        ({"folds": 2}, ("folds",)),
        ({"split_scores": {"a": [1.0, 2.0]}}, ("split_scores",)),
    ],
)
def test_invalid_requests_name_the_place(change: dict[str, Any], loc: tuple[Any, ...]) -> None:
    with pytest.raises((EvaluationError, InvalidRequest)) as caught:
        run_kind({**MATRIX, **change})

    assert place_of(caught.value) == loc


def test_invalid_a_single_block_that_is_no_test_set() -> None:
    with pytest.raises(InsufficientData, match="have a single block, and blocks of kind 'random'"):
        run_kind({"kind": "losses", "blocks": "random", "losses": {"a": [[0, 1]], "b": [[1, 1]]}})


def test_invalid_a_missing_column_lists_the_columns(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"a": [1.0, 2.0], "site": [0, 1]})
    body = {
        "kind": "losses",
        "dataset": str(file.id),
        "columns": {"losses": ["z"], "block": "site"},
    }

    with pytest.raises(InvalidRequest, match="The columns are a, site") as caught:
        run_kind(body, [file])
    assert caught.value.errors[0].loc == ("columns", "losses", 0)


@pytest.mark.parametrize(
    ("columns", "loc"),
    [
        ({"a": [1.0, float("nan")], "site": [0, 1]}, ("columns", "losses", 0, 1)),
        ({"a": [1.0, 2.0], "site": [0.5, 1.0]}, ("columns", "block", 0)),
        ({"a": [1.0, 2.0], "site": ["x", None]}, ("columns", "block", 1)),
    ],
)
def test_invalid_stored_columns_name_the_row(
    tmp_path: Path, columns: dict[str, list[Any]], loc: tuple[Any, ...]
) -> None:
    file = parquet_file(tmp_path, columns)
    body = {
        "kind": "losses",
        "dataset": str(file.id),
        "columns": {"losses": ["a"], "block": "site"},
    }

    with pytest.raises(EvaluationError) as caught:
        run_kind(body, [file])
    assert caught.value.loc == loc


@pytest.mark.parametrize("size", [True, "9", 9.5, [9, True, 9], {"0": "9"}])
@pytest.mark.parametrize("field", ["n_train", "n_test"])
def test_invalid_sizes_that_are_no_whole_numbers(field: str, size: Any) -> None:
    form = {"kind": "losses", "split_scores": {"a": [1, 2, 4]}, "better": "lower"}
    body = {**form, "n_train": 9, "n_test": 9, field: size}

    with pytest.raises(Exception, match=f"{field} is a number of instances") as refused:
        run_kind(body)
    assert field in str(refused.value)


def test_invalid_split_scores_that_may_be_losses_or_scores() -> None:
    body = {"kind": "losses", "split_scores": {"a": [1, 2, 4]}, "n_train": 9, "n_test": 9}

    with pytest.raises(InvalidParameter, match="field better is missing") as refused:
        run_kind(body)
    assert refused.value.loc == ("better",)
    assert run_kind({**body, "better": "lower"}).result["kind"] == "losses"


def test_limit_true_is_a_loss_of_one_and_false_of_zero() -> None:
    numbers = {"a": [[0, 1, 1], [1, 0, 0]], "b": [[1, 1, 1], [0, 0, 1]]}
    booleans = {name: [[bool(x) for x in row] for row in rows] for name, rows in numbers.items()}
    flat = {name: [x for row in rows for x in row] for name, rows in booleans.items()}
    long = {"kind": "losses", "block": [0, 0, 0, 1, 1, 1], "seed": 1}

    expected = run_kind({"kind": "losses", "losses": numbers, "seed": 1}).result["models"]
    assert run_kind({"kind": "losses", "losses": booleans, "seed": 1}).result["models"] == expected
    assert run_kind({**long, "losses": flat}).result["models"] == expected
    with pytest.raises(InvalidParameter, match="is not a number"):
        run_kind({**long, "losses": {"a": [True, 1, 0, 0, 1, 1]}})


def test_invalid_clip_to_a_range_that_excludes_losses() -> None:
    body = {**MATRIX, "clip": True}

    with pytest.raises(InvalidParameter, match="it must be the range that losses can have"):
        run_kind({**body, "range": [0, 0.5]})
    assert run_kind({**body, "range": [-10, 10]}).result["kind"] == "losses"


RIGHT: dict[str, list[list[int]]] = {
    "good": [[1, 1, 1, 0], [1, 1, 0, 1], [1, 1, 1, 1]],
    "bad": [[0, 1, 0, 0], [1, 0, 0, 1], [0, 1, 0, 1]],
}


def _mirrored(rows: list[list[int]]) -> list[list[int]]:
    return [[1 - value for value in row] for row in rows]


def test_exact_scores_in_every_form_are_mirrored_losses(tmp_path: Path) -> None:
    wrong = {name: _mirrored(rows) for name, rows in RIGHT.items()}
    flat = {name: [v for row in rows for v in row] for name, rows in RIGHT.items()}
    block = [k for k in range(3) for _ in range(4)]
    file = parquet_file(tmp_path, {**flat, "site": block})
    base = {"kind": "losses", "blocks": "source", "better": "higher"}
    stored = {"dataset": str(file.id), "columns": {"losses": ["good", "bad"], "block": "site"}}
    of_losses = run_kind({**base, "better": "lower", "losses": wrong}).result

    for form in ({"losses": RIGHT}, {"losses": flat, "block": block}, stored):
        result = run_kind({**base, **form}, [file]).result

        assert result["summary"]["best_model"] == "good"
        assert result["summary"]["better"] == "higher"
        assert result["summary"]["sentences"][0].startswith("good has the highest mean score")
        (pair,), (mirrored,) = result["comparisons"], of_losses["comparisons"]
        assert_allclose(pair["difference"], -mirrored["difference"], rtol=1e-12)
        assert pair["verdict"]["decision"] == mirrored["verdict"]["decision"]
        assert_allclose(pair["verdict"]["p_value"], mirrored["verdict"]["p_value"], rtol=1e-9)
        assert "scores_as_losses" not in codes(result)


def codes(result: Any) -> list[str]:
    return [caution["code"] for caution in result["cautions"]]


@pytest.mark.parametrize(
    "losses",
    [
        {"good": RIGHT["good"], "fair": [[1, 1, 0, 1], [1, 0, 0, 1], [1, 1, 0, 1]]},
        {"accuracy of a": A, "b": B},
        {"a_score": A, "b_score": B},
        {"isCorrect": A, "b": B},
    ],
)
def test_exact_values_that_look_like_scores_are_questioned(losses: dict[str, Any]) -> None:
    body = {"kind": "losses", "blocks": "source", "losses": losses}

    cautions = run_kind(body).result["cautions"]

    assert cautions[0]["code"] == "scores_as_losses"
    assert cautions[0]["severity"] == "serious"
    for better in ("lower", "higher"):
        assert "scores_as_losses" not in codes(run_kind({**body, "better": better}).result)


@pytest.mark.parametrize(
    "losses",
    [
        {"a": _mirrored(RIGHT["good"]), "b": RIGHT["good"]},  # one of the two is rarely wrong
        {"brier_score": A, "log_score": B},
        {"a": A, "b": B},
        {"scorecard": A, "recorder": B},
    ],
)
def test_exact_values_that_look_like_losses_are_not(losses: dict[str, Any]) -> None:
    body = {"kind": "losses", "blocks": "source", "losses": losses}

    assert "scores_as_losses" not in codes(run_kind(body).result)


NUMBERED: dict[str, Any] = {"good": [1, 0, 1, 1, 1, 1], "fair": [1, 1, 0, 1, 1, 0]}


@pytest.mark.parametrize(
    "numbers", [[0, 1, 2, 3, 4, 5], [6, 4, 5, 1, 3, 2], [-1, -2, -3, -5, -4, -6]]
)
def test_exact_a_model_of_row_numbers_is_questioned(numbers: list[int]) -> None:
    body = {"kind": "losses", "blocks": "holdout", "losses": {**NUMBERED, "item": numbers}}

    for better in ({"better": "lower"}, {"better": "higher"}, {}):
        cautions = run_kind({**body, **better}).result["cautions"]

        assert cautions[0]["code"] == "row_numbers_as_losses"
        assert cautions[0]["severity"] == "serious"
        assert f"'item' are the whole numbers {min(numbers)} to {max(numbers)}" in str(cautions[0])
        # the other models are still seen to be scores
        assert (cautions[1]["code"] == "scores_as_losses") == (not better)


@pytest.mark.parametrize(
    "losses", [[0, 1, 2, 3, 4, 4], [0, 1, 2, 3, 4, 6], [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]]
)
def test_exact_other_losses_are_not_taken_for_row_numbers(losses: list[float]) -> None:
    body = {"kind": "losses", "blocks": "holdout", "losses": {**NUMBERED, "item": losses}}

    assert "row_numbers_as_losses" not in codes(run_kind(body).result)


SCHOOLS: dict[str, Any] = {
    "kind": "losses",
    "blocks": "source",
    "unit": "school",
    "losses": {
        "ridge": [[0.1, 0.4, 0.2], [0.3, 0.5, 0.4], [0.2, 0.1, 0.3]],
        "open source": [[0.2, 0.3, 0.4], [0.3, 0.4, 0.4], [0.5, 0.1, 0.3]],
    },
}


PROSE = {"message", "advice", "sentences", "reason", "sentence"}


def prose(value: Any, name: str = "") -> Iterator[str]:
    """Yield every sentence of a result."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from prose(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from prose(item, name)
    elif isinstance(value, str) and name in {
        "message",
        "advice",
        "sentences",
        "reason",
        "sentence",
    }:
        yield value


def test_exact_unit_names_the_blocks_in_every_sentence() -> None:
    result = run_kind(SCHOOLS).result
    plain = run_kind({**SCHOOLS, "unit": None}).result

    text = "\n".join(prose(result))
    assert result["unit"] == {"singular": "school", "plural": "schools"}
    assert plain["unit"] == {"singular": "source", "plural": "sources"}
    assert "For a new school" in text
    assert "schools (" in result["comparisons"][0]["verdict"]["plan"]["sentence"]
    kinds = r"for (?:random|holdout)(?: or \w+)* blocks"
    studied = r"design nearest to this one: .*"
    left = re.sub(rf'open source|"[^"]*"|{studied}|\w*_\w*|{kinds}', "", text)
    assert not re.findall(r"(?i)\b(?:sources?|blocks?)\b", left), left
    assert "open source" in text
    assert result["summary"]["decisions"] == plain["summary"]["decisions"]


def test_exact_unit_takes_its_own_plural() -> None:
    body = {**SCHOOLS, "unit": "hospital ward", "unit_plural": "wards"}

    plan = run_kind(body).result["comparisons"][0]["verdict"]["plan"]

    assert " wards (" in plan["sentence"]


def test_invalid_unit_of_a_holdout_without_clusters_says_what_to_send() -> None:
    body = {"kind": "losses", "blocks": "holdout", "losses": {"a": [[0.1, 0.2]]}, "unit": "patient"}

    with pytest.raises(EvaluationError, match=r"one test set without clusters.* send the cluster"):
        run_kind(body)


@pytest.mark.parametrize(
    ("change", "loc"),
    [
        ({"unit": "block"}, ("unit",)),
        ({"unit": "<b>school</b>"}, ("unit",)),
        ({"unit": ""}, ("unit",)),
        ({"unit": "s" * 41}, ("unit",)),
        ({"unit": None, "unit_plural": "schools"}, ("unit_plural",)),
        ({"unit_plural": "a\nb"}, ("unit_plural",)),
        ({"blocks": "holdout", "losses": {"a": [[0.1, 0.2]]}}, ("unit",)),
    ],
)
def test_invalid_unit_is_refused(change: dict[str, Any], loc: tuple[Any, ...]) -> None:
    with pytest.raises(EvaluationError) as caught:
        run_kind({**SCHOOLS, **change})
    assert place_of(caught.value) == loc


@pytest.mark.parametrize(("shift", "doubted"), [(0.0, True), (0.5, False)])
def test_exact_values_of_which_none_is_above_zero_look_like_log_likelihoods(
    shift: float, *, doubted: bool
) -> None:
    values = [round(shift - i % 7 / 8, 3) for i in range(1, 30)]
    body = {"kind": "losses", "blocks": "holdout", "losses": {"a": values, "b": values[::-1]}}

    assert ("scores_as_losses" in codes(run_kind(body).result)) is doubted
    assert "scores_as_losses" not in codes(run_kind({**body, "better": "lower"}).result)

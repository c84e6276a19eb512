"""Grids over parameters of preparation steps."""

from __future__ import annotations

from typing import Any

import pytest

from thetahat.analyses.selection.grids import expand_grids
from thetahat.errors import InvalidParameter
from thetahat.pipelines import build, read_learner_spec

GROUPS = {
    "groups": [
        {"columns": ["a", "b"], "prepare": [{"name": "PCA", "params": {"whiten": True}}]},
        {"columns": ["c"], "prepare": ["standardise", "KBinsDiscretizer"]},
    ]
}


def expanded(prepare: list[Any], grid: dict[str, Any]) -> dict[str, Any]:
    wire = {"name": "ridge", "prepare": prepare, "grid": grid}
    return expand_grids({"r": wire})[0]


def test_exact_a_step_and_the_learner_in_one_grid() -> None:
    candidates = expanded(
        ["standardise", {"name": "PCA", "params": {"whiten": True}}],
        {"PCA__n_components": [1, 2], "penalty": [0.5, 3]},
    )

    assert list(candidates) == [
        f"r[PCA__n_components={n},penalty={penalty}]" for n in (1, 2) for penalty in ("0.5", "3")
    ]
    assert candidates["r[PCA__n_components=2,penalty=3]"] == {
        "name": "ridge",
        "params": {"penalty": 3},
        "prepare": [
            "standardise",
            {"name": "PCA", "params": {"whiten": True, "n_components": 2}},
        ],
    }
    for wire in candidates.values():
        build(read_learner_spec(wire), "regression")


@pytest.mark.parametrize("step", ["KBinsDiscretizer", "2"])
def test_exact_a_step_inside_groups_by_name_or_number(step: str) -> None:
    candidates = expanded([GROUPS, "standardise"], {f"{step}__n_bins": [3]})

    (wire,) = candidates.values()
    groups = wire["prepare"][0]["groups"]
    assert groups[1]["prepare"] == [
        "standardise",
        {"name": "KBinsDiscretizer", "params": {"n_bins": 3}},
    ]
    assert groups[0] == GROUPS["groups"][0]
    assert wire["prepare"][1] == "standardise"
    assert "params" not in wire


def test_exact_what_is_given_stays_as_it_is() -> None:
    prepare = [{"name": "PCA", "params": {}}]
    expanded(prepare, {"PCA__n_components": [1, 2]})

    assert prepare == [{"name": "PCA", "params": {}}]


@pytest.mark.parametrize(
    ("prepare", "grid", "words"),
    [
        (
            ["standardise"],
            {"PCA__whiten": [True]},
            "No step has the name 'PCA'. .* 0 \\(standardise\\)",
        ),
        ([], {"PCA__whiten": [True]}, "steps of prepare are: none"),
        (["PCA"], {"1__whiten": [True]}, "No step has the name '1'"),
        (["PCA", GROUPS], {"PCA__whiten": [True]}, "Several steps have the name 'PCA'"),
        (
            [GROUPS],
            {"PCA__whiten": [False]},
            "PCA__whiten has a value in params and values in the grid",
        ),
        (
            ["PCA"],
            {"PCA__whiten": [True], "0__whiten": [False]},
            "PCA__whiten and 0__whiten are the same",
        ),
    ],
)
def test_invalid_steps_are_refused_at_their_key(
    prepare: list[Any], grid: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidParameter, match=words) as refused:
        expanded(prepare, grid)

    assert refused.value.loc == ("candidates", "r", "grid", list(grid)[-1])


@pytest.mark.parametrize("prepare", ["PCA", 3, [3, {"groups": [3]}, {"groups": 3}]])
def test_invalid_a_value_that_is_no_list_of_steps_has_no_steps(prepare: Any) -> None:
    with pytest.raises(InvalidParameter, match="steps of prepare are: none"):
        expanded(prepare, {"PCA__whiten": [True]})

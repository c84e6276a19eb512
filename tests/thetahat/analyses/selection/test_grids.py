from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.analyses.selection import (
    InternalEstimate,
    edges_of,
    expand,
    place_in_request,
    profiles_of,
)
from thetahat.analyses.selection.values import values_of
from thetahat.errors import InvalidParameter


def of(mean: float) -> InternalEstimate:
    return InternalEstimate(means=np.array([mean - 1, mean + 1]), within=1.0)


def test_exact_a_grid_of_two_parameters() -> None:
    wires = {
        "mean": "mean",
        "r": {"name": "ridge", "params": {"a": 1}, "grid": {"b": [0.5, 2.0], "c": [True, None]}},
    }
    candidates, grids = expand(wires)

    assert list(candidates) == [
        "mean",
        "r[b=0.5,c=true]",
        "r[b=0.5,c=null]",
        "r[b=2,c=true]",
        "r[b=2,c=null]",
    ]
    assert candidates["r[b=2,c=null]"] == {"name": "ridge", "params": {"a": 1, "b": 2.0, "c": None}}
    assert grids["r"].values == {"b": (0.5, 2.0), "c": (True, None)}
    assert grids["r"].candidates["r[b=0.5,c=null]"] == (0.5, None)


def test_by_hand_values_between_two_ends() -> None:
    found = np.array(values_of({"from": 0.01, "to": 100, "count": 5}, ()), dtype=float)
    assert_allclose(found, [0.01, 0.1, 1, 10, 100])
    whole = values_of({"from": 1, "to": 9, "count": 5, "scale": "linear"}, ())
    assert whole == (1, 3, 5, 7, 9)
    assert all(isinstance(value, int) for value in whole)
    assert values_of({"from": 0, "to": 1, "count": 3, "scale": "linear"}, ()) == (0, 0.5, 1)
    assert values_of({"from": 3.0, "to": 1.0, "count": 3, "scale": "linear"}, ()) == (3.0, 2.0, 1.0)


def test_exact_names_have_as_many_digits_as_tell_the_values_apart() -> None:
    candidates, _ = expand({"r": {"name": "ridge", "grid": {"p": [1 / 3, 0.333333, 0.5]}}})

    assert list(candidates) == ["r[p=0.3333333]", "r[p=0.333333]", "r[p=0.5]"]


def test_degenerate_true_and_one_are_two_values_and_one_and_one_are_not() -> None:
    assert values_of([True, 1], ()) == (True, 1)
    with pytest.raises(InvalidParameter, match=r"1\.0 stands twice"):
        values_of([1, 1.0], ())


@pytest.mark.parametrize(
    ("grid", "loc"),
    [
        (3, ("grid",)),
        ({}, ("grid",)),
        ({"p": []}, ("grid", "p")),
        ({"p": "abc"}, ("grid", "p")),
        ({"p": [[1]]}, ("grid", "p", 0)),
        ({"p": [1e301]}, ("grid", "p", 0)),
        ({"p": [float("nan")]}, ("grid", "p", 0)),
        ({"p": [10**400]}, ("grid", "p", 0)),
        ({"p": list(range(1001))}, ("grid", "p")),
        ({"p": {"from": 1, "to": 2}}, ("grid", "p")),
        ({"p": {"from": 1, "to": 2, "count": 3, "by": 4}}, ("grid", "p", "by")),
        ({"p": {"from": "1", "to": 2, "count": 3}}, ("grid", "p", "from")),
        ({"p": {"from": 1, "to": True, "count": 3}}, ("grid", "p", "to")),
        ({"p": {"from": 1, "to": 1, "count": 3}}, ("grid", "p", "to")),
        ({"p": {"from": 1, "to": -1, "count": 3}}, ("grid", "p", "to")),
        ({"p": {"from": 1, "to": 2, "count": 1}}, ("grid", "p", "count")),
        ({"p": {"from": 1, "to": 2, "count": True}}, ("grid", "p", "count")),
        ({"p": {"from": 1, "to": 2, "count": 1001}}, ("grid", "p", "count")),
        ({"p": {"from": 1, "to": 2, "count": 3, "scale": "cubic"}}, ("grid", "p", "scale")),
        ({"a": [1]}, ("grid", "a")),
        ({"p": list(range(50)), "q": list(range(50))}, ("grid",)),
        ({"p": ["1,q=2", "1"], "q": ["2", "2,q=2"]}, ("grid",)),
        ({"p": ["1", 1]}, ("grid",)),
    ],
)
def test_invalid_grids_are_refused_in_place(grid: Any, loc: tuple[str | int, ...]) -> None:
    wire = {"name": "ridge", "params": {"a": 1}, "grid": grid}
    with pytest.raises(InvalidParameter) as refused:
        expand({"x": wire})

    assert refused.value.loc == ("candidates", "x", *loc)


def test_invalid_too_many_candidates_and_two_of_one_name() -> None:
    half = {"name": "ridge", "grid": {"p": list(range(40)), "q": list(range(30))}}
    with pytest.raises(InvalidParameter, match="2400 candidates"):
        expand({"x": half, "y": half})
    with pytest.raises(InvalidParameter, match="two candidates are called"):
        expand({"x": {"name": "ridge", "grid": {"p": [1]}}, "x[p=1]": "mean"})


def test_exact_params_that_are_none_are_left_to_the_spec_to_refuse() -> None:
    candidates, _ = expand({"x": {"name": "ridge", "params": [1], "grid": {"p": [1]}}})

    assert candidates == {"x[p=1]": {"name": "ridge", "params": [1]}}


def test_by_hand_the_profile_of_a_parameter_is_its_best_over_the_others() -> None:
    _, grids = expand({"r": {"name": "ridge", "grid": {"b": [1, 2, 3], "c": [True, False]}}})
    names = list(grids["r"].candidates)
    internal = {name: of(mean) for name, mean in zip(names, [5.0, 4, 3, 6], strict=False)}
    external = {name: np.array([mean, np.nan]) for name, mean in zip(names, [1.0, 2, 3, 4])}  # noqa: B905 - of those that ran
    told = profiles_of(grids["r"], internal, external)

    b = told["parameters"]["b"]
    assert b["mean"] == [4, 3, None]
    assert b["candidates"] == [names[1], names[2], None]
    assert b["standard_error"] == [1, 1, None]
    assert b["external"] == [2, 3, None]
    assert told["parameters"]["c"]["mean"] == [3, 4]
    assert (told["least"], told["n_candidates"]) == (names[2], 6)
    higher = profiles_of(grids["r"], internal, {}, higher_is_better=True)
    assert higher["parameters"]["b"]["mean"] == [5, 6, None]
    assert higher["parameters"]["b"]["external"] is None
    assert higher["least"] == names[3]
    assert profiles_of(grids["r"], {}, {})["least"] is None


def test_exact_an_end_is_told_of_numbers_alone() -> None:
    _, grids = expand(
        {
            "r": {"name": "ridge", "grid": {"b": [1, 2, 3], "c": [True, False], "d": [1, 2]}},
            "s": {"name": "ridge", "grid": {"b": [1, 2, 3]}},
        }
    )

    assert [c.code for c in edges_of("r[b=3,c=true,d=1]", grids)] == ["grid_edge"]
    assert not list(edges_of("r[b=2,c=true,d=1]", grids))
    assert not list(edges_of("mean", grids))


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        (("candidates", "r[k=0]", "params", "k"), ("candidates", "r", "grid", "k")),
        (("candidates", "r[k=0]", "params", "a"), ("candidates", "r", "params", "a")),
        (("candidates", "r[k=0]", "prepare", 0), ("candidates", "r", "prepare", 0)),
        (("candidates", "r[k=0]"), ("candidates", "r")),
        (("candidates", "m", "params", "k"), ("candidates", "m", "params", "k")),
        (("candidates",), ("candidates",)),
    ],
)
def test_exact_a_candidate_s_fault_stands_in_its_grid(told: Any, wanted: Any) -> None:
    _, grids = expand({"m": "mean", "r": {"name": "r", "grid": {"k": [0, 1]}}})

    assert place_in_request(told, grids) == wanted

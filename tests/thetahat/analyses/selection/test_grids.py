from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.analyses.selection.grid_values import read_values
from thetahat.analyses.selection.grids import expand_grids
from thetahat.analyses.selection.internal_estimates import InternalEstimate
from thetahat.analyses.selection.parameter_profiles import build_grid_profile, check_grid_edges
from thetahat.errors import InvalidParameter


def of(mean: float) -> InternalEstimate:
    return InternalEstimate(means=np.array([mean - 1, mean + 1]), within=1.0)


def test_exact_a_grid_of_two_parameters() -> None:
    wires = {
        "mean": "mean",
        "r": {"name": "ridge", "params": {"a": 1}, "grid": {"b": [0.5, 2.0], "c": [True, None]}},
    }
    candidates, grids = expand_grids(wires)

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
    values = np.array(read_values({"from": 0.01, "to": 100, "count": 5}, ()), dtype=float)
    assert_allclose(values, [0.01, 0.1, 1, 10, 100])
    whole = read_values({"from": 1, "to": 9, "count": 5, "scale": "linear"}, ())
    assert whole == (1, 3, 5, 7, 9)
    assert all(isinstance(value, int) for value in whole)
    assert read_values({"from": 0, "to": 1, "count": 3, "scale": "linear"}, ()) == (0, 0.5, 1)
    assert read_values({"from": 3.0, "to": 1.0, "count": 3, "scale": "linear"}, ()) == (
        3.0,
        2.0,
        1.0,
    )


def test_exact_names_have_as_many_digits_as_tell_the_values_apart() -> None:
    candidates, _ = expand_grids({"r": {"name": "ridge", "grid": {"p": [1 / 3, 0.333333, 0.5]}}})

    assert list(candidates) == ["r[p=0.3333333]", "r[p=0.333333]", "r[p=0.5]"]


def test_degenerate_true_and_one_are_two_values_and_one_and_one_are_not() -> None:
    assert read_values([True, 1], ()) == (True, 1)
    with pytest.raises(InvalidParameter, match=r"1\.0 is in the grid twice"):
        read_values([1, 1.0], ())


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
        expand_grids({"x": wire})

    assert refused.value.loc == ("candidates", "x", *loc)


def test_invalid_too_many_candidates_and_two_of_one_name() -> None:
    half = {"name": "ridge", "grid": {"p": list(range(40)), "q": list(range(30))}}
    with pytest.raises(InvalidParameter, match="2400 candidates"):
        expand_grids({"x": half, "y": half})
    with pytest.raises(InvalidParameter, match="Two candidates have the name"):
        expand_grids({"x": {"name": "ridge", "grid": {"p": [1]}}, "x[p=1]": "mean"})


def test_exact_params_that_are_none_are_left_to_the_spec_to_refuse() -> None:
    candidates, _ = expand_grids({"x": {"name": "ridge", "params": [1], "grid": {"p": [1]}}})

    assert candidates == {"x[p=1]": {"name": "ridge", "params": [1]}}


def test_by_hand_the_profile_of_a_parameter_is_its_best_over_the_others() -> None:
    _, grids = expand_grids({"r": {"name": "ridge", "grid": {"b": [1, 2, 3], "c": [True, False]}}})
    names = list(grids["r"].candidates)
    internal = {name: of(mean) for name, mean in zip(names, [5.0, 4, 3, 6], strict=False)}
    external = {name: np.array([mean, np.nan]) for name, mean in zip(names, [1.0, 2, 3, 4])}  # noqa: B905 - of those that ran
    profile = build_grid_profile(grids["r"], internal, external)

    b = profile.parameters["b"]
    assert b.mean == (4, 3, None)
    assert b.candidates == (names[1], names[2], None)
    assert b.standard_error == (1, 1, None)
    assert b.external == (2, 3, None)
    assert profile.parameters["c"].mean == (3, 4)
    assert (profile.least, profile.n_candidates) == (names[2], 6)
    higher = build_grid_profile(grids["r"], internal, {}, higher_is_better=True)
    assert higher.parameters["b"].mean == (5, 6, None)
    assert higher.parameters["b"].external is None
    assert higher.least == names[3]
    assert build_grid_profile(grids["r"], {}, {}).least is None


def test_exact_only_numeric_parameters_have_an_edge() -> None:
    _, grids = expand_grids(
        {
            "r": {"name": "ridge", "grid": {"b": [1, 2, 3], "c": [True, False], "d": [1, 2]}},
            "s": {"name": "ridge", "grid": {"b": [1, 2, 3]}},
        }
    )

    assert [c.code for c in check_grid_edges("r[b=3,c=true,d=1]", grids)] == ["grid_edge"]
    assert not list(check_grid_edges("r[b=2,c=true,d=1]", grids))
    assert not list(check_grid_edges("mean", grids))


def test_exact_a_grid_knows_the_paths_of_its_parameters() -> None:
    grid = {"k": [0, 1], "PCA__whiten": [True]}
    _, grids = expand_grids({"r": {"name": "r", "prepare": ["scale", "PCA"], "grid": grid}})

    assert grids["r"].paths == {
        ("params", "k"): "k",
        ("prepare", 1, "params", "whiten"): "PCA__whiten",
    }

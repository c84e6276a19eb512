"""Losses of extra fits that a client has made: the numbers of a cross-validation with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import place_of, run_kind
from thetahat.errors import EvaluationError
from thetahat.learners import LEARNERS
from thetahat.losses.squared import Squared
from thetahat.refit_estimators import REFIT_ESTIMATORS
from thetahat.refit_estimators._extra_fits import RefitTask, compute_refit_seed, run_design
from thetahat.schemes.base import Rows, Split
from thetahat.tables.data import build_data

N, SEED = 30, 7
RNG = np.random.default_rng(20_261_122)
X = np.round(RNG.normal(size=(N, 2)), 3)
Y = np.round(X[:, 0] + RNG.normal(size=N), 3)
MODELS = {"ridge": "ridge", "mean": "mean", "line": "least_squares"}
BAG: tuple[str | int, ...] = ("fits", "out_of_bag")
HALVES: tuple[str | int, ...] = ("fits", "conservative_z")
CROSS_VALIDATION: dict[str, Any] = {
    "kind": "cross_validation",
    "task": "regression",
    "data": {"X": X.tolist(), "y": Y.tolist()},
    "learners": MODELS,
    "scheme": {"name": "k_fold", "params": {"n_folds": 5}},
}


def cross_validated(method: dict[str, Any], **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The result of the service's own fits, and its losses as a request of kind losses."""
    ran = run_kind({**CROSS_VALIDATION, "variances": ["nadeau_bengio", method], **more}, seed=SEED)
    table = ran.losses.to_pydict()
    body = {
        "kind": "losses",
        "blocks": "random",
        "losses": {name: table[name] for name in MODELS},
        "block": table["block"],
        "instance": table["instance"],
        "variances": ["nadeau_bengio"],
        **more,
    }
    return ran.result, body


def fits_of(method: str, **params: Any) -> tuple[list[Split], dict[str, list[np.ndarray]]]:
    """The splits of the service's own scheme, and the losses of each model on them."""
    data = build_data({"x0": X[:, 0], "x1": X[:, 1]}, Y, "regression")
    design = REFIT_ESTIMATORS[method](**params).design
    seed = compute_refit_seed(SEED)
    splits = list(design.splits(Rows(n=N), seed))
    losses = {}
    for name, learner in MODELS.items():
        task = RefitTask(name, LEARNERS[learner](), data, Squared())
        arrays, _ = run_design(task, design, seed, 0, len(splits))
        losses[name] = np.split(arrays["losses"], np.cumsum(arrays["n_test"])[:-1])
    return splits, losses


def out_of_bag_fits(n_resamples: int) -> dict[str, Any]:
    splits, losses = fits_of("out_of_bag", n_resamples=n_resamples)
    resamples = [split.train.tolist() for split in splits[1:]]
    return {
        "resamples": resamples,
        "losses": {
            name: [
                [None if row in set(bag) else float(loss) for row, loss in enumerate(of_bag)]
                for bag, of_bag in zip(resamples, of_model[1:], strict=True)
            ]
            for name, of_model in losses.items()
        },
    }


def assert_same(value: Any, expected: Any, path: str = "") -> None:
    """Equal but for the rounding of another order of sums."""
    assert type(value) is type(expected), path
    if isinstance(expected, dict):
        assert value.keys() == expected.keys(), path
        for key in expected:
            assert_same(value[key], expected[key], f"{path}/{key}")
    elif isinstance(expected, list):
        assert len(value) == len(expected), path
        for at, (first, other) in enumerate(zip(value, expected, strict=True)):
            assert_same(first, other, f"{path}/{at}")
    elif isinstance(expected, float):
        assert_allclose(value, expected, rtol=1e-10, atol=1e-14, err_msg=path)
    else:
        assert value == expected, path


def intervals_on(variance: str, part: dict[str, Any]) -> list[dict[str, Any]]:
    """The intervals of a model or a pair on this variance; none if it came out negative.

    Without the caution that an interval goes beyond the range of the loss: kind ``losses`` does
    not know that squared losses have one.
    """
    return [
        interval
        | {"cautions": [c for c in interval["cautions"] if c["code"] != "interval_beyond_range"]}
        for interval in part["intervals"]
        if interval["variance"] == variance
    ]


@pytest.mark.parametrize("params", [{}, {"correct_noise": True}, {"average": "split"}])
def test_exact_out_of_bag_of_the_services_own_resamples(params: dict[str, Any]) -> None:
    method = {"name": "out_of_bag", "params": {"n_resamples": 40, **params}}
    expected, body = cross_validated(method)
    ran = run_kind({**body, "fits": {"out_of_bag": {**out_of_bag_fits(40), **params}}}, seed=SEED)
    for name in MODELS:
        estimate = ran.result["models"][name]["estimates"]["out_of_bag"]
        assert estimate["estimate"] > 0
        assert_same(estimate, expected["models"][name]["estimates"]["out_of_bag"])
    for comparison, other in zip(ran.result["comparisons"], expected["comparisons"], strict=True):
        assert_same(intervals_on("out_of_bag", comparison), intervals_on("out_of_bag", other))
        assert_same(comparison["verdict"], other["verdict"])
    assert intervals_on("out_of_bag", ran.result["comparisons"][0])
    used = [m for m in ran.result["methods"] if m["name"] == "out_of_bag"]
    assert [m["params"]["n_resamples"] for m in used] == [40]


def halves_fits(n_halvings: int, n_subsamples: int) -> dict[str, Any]:
    _, losses = fits_of(
        "conservative_z", n_halvings=n_halvings, n_subsamples=n_subsamples, test_size=0.1
    )
    means = {name: np.array([part.mean() for part in parts]) for name, parts in losses.items()}
    return {
        "subsamples": {name: of_all[:n_subsamples].tolist() for name, of_all in means.items()},
        "halves": {
            name: of_all[n_subsamples:].reshape(n_halvings, 2, n_subsamples).tolist()
            for name, of_all in means.items()
        },
    }


def test_exact_conservative_z_of_the_services_own_halves() -> None:
    params = {"n_halvings": 6, "n_subsamples": 4, "test_size": 0.1}
    method = {"name": "conservative_z", "params": params}
    expected, body = cross_validated(method, intervals=["normal"], clip=False)
    ran = run_kind({**body, "fits": {"conservative_z": halves_fits(6, 4)}}, seed=SEED)
    for name in MODELS:
        ours, theirs = ran.result["models"][name], expected["models"][name]
        assert_same(ours["variances"]["conservative_z"], theirs["variances"]["conservative_z"])
        assert intervals_on("conservative_z", ours)
        assert_same(intervals_on("conservative_z", ours), intervals_on("conservative_z", theirs))
    for comparison, other in zip(ran.result["comparisons"], expected["comparisons"], strict=True):
        assert_same(comparison["variances"]["conservative_z"], other["variances"]["conservative_z"])


def test_exact_both_with_a_control() -> None:
    _, body = cross_validated({"name": "out_of_bag", "params": {"n_resamples": 4}})
    fits = {"out_of_bag": out_of_bag_fits(4), "conservative_z": halves_fits(2, 3)}
    result = run_kind({**body, "control": "mean", "fits": fits}).result
    assert len(result["comparisons"]) == 2
    for comparison in result["comparisons"]:
        assert intervals_on("out_of_bag", comparison)
        assert "conservative_z" in comparison["variances"]
    (caution,) = {
        c["code"] for c in result["models"]["ridge"]["variances"]["conservative_z"]["cautions"]
    }
    assert caution == "few_halvings"


def test_exact_predictions_take_the_same_fits() -> None:
    """The losses of these predictions and their fits are those of the cross-validation."""
    method = {"name": "out_of_bag", "params": {"n_resamples": 20}}
    expected, body = cross_validated(method)
    table = run_kind(CROSS_VALIDATION | {"variances": ["nadeau_bengio", method]}, seed=SEED).losses
    columns = table.to_pydict()
    fits = {"out_of_bag": out_of_bag_fits(20), "conservative_z": halves_fits(6, 4)}
    predictions = {
        "kind": "predictions",
        "blocks": "random",
        "y": [Y[i] for i in columns["instance"]],
        "predictions": {name: columns[f"prediction:{name}"] for name in MODELS},
        "block": columns["block"],
        "instance": columns["instance"],
        "loss": "squared",
        "variances": ["nadeau_bengio"],
    }
    result = run_kind({**predictions, "fits": fits}, seed=SEED).result
    of_losses = run_kind({**body, "fits": fits}, seed=SEED).result
    for name in MODELS:
        assert_same(
            result["models"][name]["estimates"]["out_of_bag"],
            expected["models"][name]["estimates"]["out_of_bag"],
        )
        assert_same(result["models"][name]["variances"], of_losses["models"][name]["variances"])
    names = {used["name"] for used in result["methods"]}
    assert {"out_of_bag", "conservative_z"} <= names
    assert "bias_variance" not in result  # each instance has one prediction

    del fits["out_of_bag"]["losses"]["line"]
    with pytest.raises(EvaluationError, match="'line' is missing here") as error:
        run_kind({**predictions, "fits": fits})
    assert place_of(error.value) == (*BAG, "losses", "line")


def without_a_model(fits: dict[str, Any]) -> None:
    del fits["out_of_bag"]["losses"]["line"]


def another_model(fits: dict[str, Any]) -> None:
    fits["out_of_bag"]["losses"]["svm"] = fits["out_of_bag"]["losses"]["line"]


def every_row(fits: dict[str, Any]) -> None:
    fits["out_of_bag"]["resamples"][1] = list(range(N))


def short_resample(fits: dict[str, Any]) -> None:
    fits["out_of_bag"]["resamples"][2].pop()


def row_too_large(fits: dict[str, Any]) -> None:
    fits["out_of_bag"]["resamples"][0][5] = N


def no_loss(fits: dict[str, Any]) -> None:
    losses = fits["out_of_bag"]["losses"]["mean"][1]
    losses[next(i for i, loss in enumerate(losses) if loss is not None)] = None


def one_resample_less(fits: dict[str, Any]) -> None:
    fits["out_of_bag"]["losses"]["mean"].pop()


def one_half(fits: dict[str, Any]) -> None:
    fits["conservative_z"]["halves"]["mean"][1].pop()


def other_subsamples(fits: dict[str, Any]) -> None:
    fits["conservative_z"]["subsamples"]["mean"].append(0.5)


def text(fits: dict[str, Any]) -> None:
    fits["conservative_z"]["halves"]["line"][0][1][2] = "0.5"


@pytest.mark.parametrize(
    ("change", "message", "place"),
    [
        (without_a_model, "'line' is missing here", (*BAG, "losses", "line")),
        (another_model, "'svm' is none of the request's losses", (*BAG, "losses", "svm")),
        (every_row, "Resample 1 contains every row", (*BAG, "resamples", 1)),
        (short_resample, "Resample 2 has 29 rows and resample 0 has 30", (*BAG, "resamples", 2)),
        (row_too_large, "row number 30", (*BAG, "resamples", 0, 5)),
        (no_loss, "number", (*BAG, "losses", "mean", 1)),
        (one_resample_less, "losses of 3 resamples, and there are 4", (*BAG, "losses", "mean")),
        (one_half, "1 halves here, and 2 are needed", (*HALVES, "halves", "mean", 1)),
        (other_subsamples, "4 subsamples here, and 3", (*HALVES, "subsamples", "mean")),
        (text, "number", (*HALVES, "halves", "line", 0, 1, 2)),
    ],
)
def test_invalid_fits_are_refused_with_their_place(
    change: Callable[[dict[str, Any]], None], message: str, place: tuple[str | int, ...]
) -> None:
    body = {"kind": "losses", "blocks": "random", "block": [i % 5 for i in range(N)]}
    losses = {"losses": {name: np.abs(Y).tolist() for name in MODELS}}
    fits = {"out_of_bag": out_of_bag_fits(4), "conservative_z": halves_fits(2, 3)}
    change(fits)
    with pytest.raises(EvaluationError, match=message) as error:
        run_kind({**body, **losses, "fits": fits})
    assert place_of(error.value)[: len(place)] == place


def test_invalid_fits_of_dependent_rows_or_scores() -> None:
    body: dict[str, Any] = {"kind": "losses", "losses": {m: np.abs(Y).tolist() for m in MODELS}}
    body |= {"fits": {"out_of_bag": out_of_bag_fits(2)}, "block": [i % 5 for i in range(N)]}
    with pytest.raises(EvaluationError, match="draws instances one by one") as error:
        run_kind({**body, "blocks": "source"})
    assert place_of(error.value) == ("fits", "out_of_bag")
    with pytest.raises(EvaluationError, match="lower ones are better") as error:
        run_kind({**body, "blocks": "random", "better": "higher"})
    assert place_of(error.value) == ("fits",)
    losses = {m: [None, *np.abs(Y).tolist()[1:]] for m in MODELS}
    with pytest.raises(EvaluationError, match="1 rows are left out of the losses") as error:
        run_kind({**body, "blocks": "random", "losses": losses, "missing": "leave_out"})
    assert place_of(error.value) == ("fits",)


def test_invalid_the_method_by_name_points_to_the_fits() -> None:
    body = {"kind": "losses", "losses": {"m": [[0.5, 0.25], [1.0, 0.5]]}, "blocks": "random"}
    with pytest.raises(EvaluationError, match="the field fits") as error:
        run_kind({**body, "variances": ["out_of_bag"]})
    assert place_of(error.value) == ("variances", 0)

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from thetahat.errors import EvaluationError
from thetahat_service.errors import InvalidRequest

Y = ["cat", "dog", "cat", "dog", "dog", "cat"]
SAID = ["cat", "cat", "cat", "dog", "cat", "dog"]  # wrong in rows 1, 4 and 5
OTHER = ["cat", "dog", "dog", "dog", "dog", "dog"]  # wrong in rows 2 and 5
DOG = [0.1, 0.4, 0.2, 0.9, 0.3, 0.6]  # probability of dog, the second class
BODY: dict[str, Any] = {
    "kind": "predictions",
    "y": Y,
    "predictions": {"a": SAID, "b": OTHER},
    "block": [0, 0, 0, 1, 1, 1],
    "blocks": "random",
    "loss": "zero_one",
}
LOG: dict[str, Any] = {**BODY, "loss": "log", "scores": {"a": DOG, "b": DOG}}


def test_by_hand_error_rates() -> None:
    result = run_kind(BODY).result

    assert_allclose(result["models"]["a"]["mean"]["blocks"], [1 / 3, 2 / 3], rtol=1e-15)
    assert_allclose(result["models"]["b"]["mean"]["macro"], 1 / 3, rtol=1e-15)
    assert result["methods"][0] == {"family": "losses", "name": "zero_one", "params": {}}


def test_exact_predictions_that_spell_a_label_in_another_way_have_a_caution() -> None:
    predictions = ["Cat" if label == "cat" else label for label in SAID]
    result = run_kind({**BODY, "predictions": {"a": predictions}}).result

    assert_allclose(result["models"]["a"]["mean"]["pooled"], 5 / 6)  # row 3 alone is right
    (message,) = [c["message"] for c in result["cautions"] if c["code"] == "labels_alike"]
    assert message.startswith("The labels 'Cat' and 'cat' differ only in letter case")


def test_by_hand_log_loss_of_binary_scores() -> None:
    result = run_kind(LOG).result

    truth = [0.9, 0.4, 0.8, 0.9, 0.3, 0.4]  # probability given to the true class
    assert_allclose(result["models"]["a"]["mean"]["pooled"], -np.log(truth).mean(), rtol=1e-12)


def test_exact_rows_of_probabilities_follow_the_named_classes() -> None:
    rows = [[p, 1 - p] for p in DOG]  # dog first
    named = {**LOG, "classes": ["dog", "cat"], "scores": {"a": rows, "b": rows}}

    assert_allclose(
        run_kind(named).result["models"]["a"]["mean"]["pooled"],
        run_kind(LOG).result["models"]["a"]["mean"]["pooled"],
        rtol=1e-12,
    )


def test_by_hand_regression_on_a_holdout() -> None:
    body = {
        "kind": "predictions",
        "y": [1.0, 2.0, 4.0],
        "predictions": {"m": [1.5, 2.0, 2.0]},
        "blocks": "holdout",
        "loss": "squared",
    }
    result = run_kind(body).result

    assert_allclose(result["models"]["m"]["mean"]["pooled"], 4.25 / 3, rtol=1e-15)
    assert [i["target"] for i in result["models"]["m"]["intervals"] if i["recommended"]] == [
        "these_models"
    ]


@pytest.mark.parametrize(("is_sorted", "expected"), [(True, False), (False, True)])
def test_exact_a_table_sorted_by_label_says_nothing_of_neighbours(
    is_sorted: bool,  # noqa: FBT001
    expected: bool,  # noqa: FBT001
) -> None:
    """Errors are rare among cats and frequent among dogs, which stand together."""
    labels = ["cat"] * 40 + ["dog"] * 40
    said = ["cat"] * 60 + ["dog"] * 20
    if not is_sorted:
        labels, said = [*labels[20:], *labels[:20]], [*said[20:], *said[:20]]
    body = {
        "kind": "predictions",
        "y": labels,
        "predictions": {"m": said},
        "blocks": "holdout",
        "loss": "zero_one",
    }
    codes = [caution["code"] for caution in run_kind(body).result["cautions"]]

    assert ("neighbours_alike" in codes) == expected


def test_exact_a_stored_data_set_says_the_same(tmp_path: Path) -> None:
    columns = {"y": Y, "a": SAID, "b": OTHER, "p": DOG, "fold": BODY["block"]}
    file = parquet_file(tmp_path, columns)
    stored = {
        "kind": "predictions",
        "dataset": str(file.id),
        "columns": {
            "target": "y",
            "predictions": {"a": "a", "b": "b"},
            "scores": {"a": "p", "b": "p"},
            "block": "fold",
        },
        "blocks": "random",
        "loss": "log",
    }

    assert run_kind(stored, [file]).result["models"] == run_kind(LOG).result["models"]


@pytest.mark.parametrize(
    ("change", "loc"),
    [
        ({"y": Y[:-1]}, ("predictions", "a")),
        ({"y": []}, ("y",)),
        ({"y": None}, ("y",)),
        ({"predictions": {"a": SAID[:-1]}}, ("predictions", "a")),
        ({"y": [1, *Y[1:]]}, ("y",)),
        ({"y": [1.5, *Y[1:]]}, ("y", 0)),
        ({"y": [None, *Y[1:]]}, ("y", 0)),
        ({"loss": "no_such"}, ("loss", "name")),
        ({"loss": "squared"}, ("y", 0)),
        ({"loss": "log"}, ("scores", "a")),
        ({"loss": "log", "scores": {"c": DOG}}, ("scores", "a")),
        ({"scores": {"c": DOG}}, ("scores", "c")),
        ({"predictions": None}, ("predictions",)),
        ({"loss": "log", "scores": {"a": [1.2, *DOG[1:]]}}, ("scores", "a", 0)),
        ({"loss": "log", "scores": {"a": [[0.5, 0.4]] * 6}}, ("scores", "a", 0)),
        ({"loss": "log", "scores": {"a": [[0.5, 0.5]] * 5 + [[1.0]]}}, ("scores", "a", 5)),
        ({"classes": ["cat"]}, ("classes",)),
        ({"classes": ["cat", "bird"]}, ("y", 1)),
        ({"metrics": ["gini"]}, ("metrics", 0, "name")),
        ({"dataset": "00000000-0000-0000-0000-000000000000"}, ("predictions",)),
    ],
)
def test_invalid_requests_name_the_place(change: dict[str, Any], loc: tuple[Any, ...]) -> None:
    with pytest.raises((EvaluationError, InvalidRequest)) as caught:
        run_kind({**BODY, **change})

    assert place_of(caught.value) == loc


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_exact_bias_and_variance_of_a_cross_validations_own_predictions(task: str) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(24, 2))
    y: list[Any] = np.round(x[:, 0] + rng.normal(size=24), 2).tolist()
    learners = {"a": "ridge", "b": "mean"}
    if task == "classification":
        y, learners = ["yes" if v > 0 else "no" for v in y], {"a": "nearest_mean", "b": "majority"}
    ran = run_kind(
        {
            "kind": "cross_validation",
            "task": task,
            "data": {"X": x.tolist(), "y": y},
            "learners": learners,
            "scheme": {"name": "repeated_k_fold", "params": {"n_folds": 4, "n_repeats": 3}},
        },
        seed=3,
    )
    columns = ran.losses.to_pydict()
    body = {
        "kind": "predictions",
        "blocks": "random",
        "y": [y[i] for i in columns["instance"]],
        "predictions": {name: columns[f"prediction:{name}"] for name in learners},
        "loss": "squared" if task == "regression" else "zero_one",
        **{name: columns[name] for name in ("block", "repeat", "instance")},
    }
    result = run_kind(body).result

    assert result["bias_variance"]["a"]["fewest_fits"] == 3
    for name, part in ran.result["bias_variance"].items():
        for field, value in part.items():
            assert_allclose(result["bias_variance"][name][field], value, rtol=1e-12, atol=1e-15)
    without_names = {key: value for key, value in body.items() if key != "instance"}
    assert "bias_variance" not in run_kind(without_names).result
    if task == "regression":
        assert "bias_variance" not in run_kind({**body, "loss": "absolute"}).result


ROUNDED = [[0.333, 0.333, 0.333], [0.2, 0.6, 0.2], [0.1, 0.101, 0.8], [0.667, 0.167, 0.167]]
THREE: dict[str, Any] = {
    "kind": "predictions",
    "blocks": "holdout",
    "y": ["a", "b", "c", "a"],
    "predictions": {"m": ["a", "b", "c", "a"]},
    "scores": {"m": ROUNDED},
    "loss": "log",
}


def test_by_hand_rounded_probabilities_are_normalised_with_a_caution() -> None:
    result = run_kind(THREE).result

    # the true class has 0.333/0.999, 0.6, 0.8/1.001 and 0.667/1.001
    shares = [1 / 3, 0.6, 0.8 / 1.001, 0.667 / 1.001]
    assert_allclose(result["models"]["m"]["mean"]["pooled"], -np.log(shares).mean(), rtol=1e-12)
    assert_allclose(result["models"]["m"]["mean"]["pooled"], 0.5598864243702477, rtol=1e-12)
    (caution,) = [c for c in result["cautions"] if c["code"] == "probabilities_normalised"]
    assert "of 'm' sum to 0.999 to 1.001 in 3 rows" in caution["message"]


@pytest.mark.parametrize("loss", ["log", "brier"])
@pytest.mark.parametrize("total", [0.995, 0.9990, 1.0005, 1.005])
def test_exact_normalised_probabilities_have_the_losses_of_exact_ones(
    loss: str, total: float
) -> None:
    exact = [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.25, 0.25, 0.5], [0.75, 0.125, 0.125]]
    scaled = [[p * total for p in row] for row in exact]
    wanted = run_kind({**THREE, "loss": loss, "scores": {"m": exact}}).result
    given = run_kind({**THREE, "loss": loss, "scores": {"m": scaled}}).result

    means = [result["models"]["m"]["mean"]["pooled"] for result in (wanted, given)]
    assert_allclose(means[1], means[0], rtol=1e-12)
    codes = [{caution["code"] for caution in r["cautions"]} for r in (wanted, given)]
    assert codes[1] - codes[0] == {"probabilities_normalised"}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([0.3, 0.3, 0.3], "sums to 0.9 and not to 1"),
        ([30.0, 30.0, 40.0], "sums to 100 and not to 1"),
        ([0.34, 0.33, 0.336], "sums to 1.006 and not to 1"),
        ([0.5, 0.6, -0.1], ", a number below 0"),
        ([2.5, -1.0, 0.3], ", a number below 0"),
    ],
)
def test_invalid_scores_that_are_no_probabilities_name_sum_and_limit(
    row: list[float], said: str
) -> None:
    with pytest.raises(EvaluationError, match=r"within 0\.005 of 1") as caught:
        run_kind({**THREE, "scores": {"m": [*ROUNDED[:2], row, ROUNDED[3]]}})
    assert said in str(caught.value)
    assert place_of(caught.value) == ("scores", "m", 2)


def test_by_hand_losses_of_scores_need_no_predictions(tmp_path: Path) -> None:
    y, scores = [0, 1, 1, 0], [0.1, 0.8, 0.7, 0.4]
    body = {**THREE, "y": y, "predictions": None, "scores": {"m": scores}}
    alone = run_kind(body).result
    beside = run_kind({**body, "predictions": {"m": [0, 1, 1, 0]}}).result

    mean = -np.log([0.9, 0.8, 0.7, 0.6]).mean()
    assert_allclose(alone["models"]["m"]["mean"]["pooled"], mean, rtol=1e-12)
    assert_allclose(mean, 0.2990011586691898, rtol=1e-12)
    assert alone["models"] == beside["models"]
    brier = run_kind({**body, "loss": "brier"}).result
    assert brier["models"]["m"]["mean"]["pooled"] > 0
    margins = {"m": [-1.0, 2.0, 0.5, -0.25]}
    hinge = run_kind({**body, "loss": "hinge", "scores": margins}).result
    assert_allclose(hinge["models"]["m"]["mean"]["pooled"], (0 + 0 + 0.5 + 0.75) / 4, rtol=1e-12)
    with_metric = run_kind({**body, "metrics": ["roc_auc"]}).result
    assert "roc_auc" in with_metric["models"]["m"]["metrics"]

    for change in ({"metrics": ["f1"]}, {"loss": "zero_one"}):
        with pytest.raises(EvaluationError, match=r"no predictions, which the .* needs"):
            run_kind({**body, **change})

    file = parquet_file(tmp_path, {"y": y, "p": scores})
    stored = {
        "kind": "predictions",
        "blocks": "holdout",
        "loss": "log",
        "dataset": str(file.id),
        "columns": {"target": "y", "scores": {"m": "p"}},
    }
    assert run_kind(stored, [file]).result["models"] == alone["models"]
    with pytest.raises(EvaluationError, match="The field predictions is missing"):
        run_kind({**stored, "columns": {"target": "y"}}, [file])


ONE_CLASS: dict[str, Any] = {"y": ["cat"] * 6, "block": None, "blocks": "holdout"}
COLUMNS = {"a": [[0.7, 0.2, 0.1]] * 6}


@pytest.mark.parametrize(
    ("change", "classes"),
    [
        ({"loss": "log", "predictions": None, "scores": {"a": DOG}}, ["cat", "dog"]),
        ({"loss": "brier", "predictions": None, "scores": COLUMNS}, ["cat", "cow", "dog"]),
        ({"loss": "hinge", "predictions": None, "scores": {"a": DOG}}, ["cat", "dog"]),
        ({"loss": "logistic", "predictions": None, "scores": {"a": DOG}}, ["cat", "dog"]),
        ({"predictions": {"a": ["cat"] * 6}, "metrics": ["f1"]}, ["cat", "dog"]),
        (
            {
                "predictions": {"a": ["cat"] * 6},
                "metrics": [{"name": "precision", "params": {"positive": "dog"}}],
            },
            ["cat", "dog"],
        ),
        (
            {"predictions": {"a": ["cat"] * 6}, "scores": COLUMNS, "metrics": ["roc_auc"]},
            ["cat", "cow", "dog"],
        ),
    ],
)
def test_exact_a_class_that_the_rows_lack_is_named_in_classes(
    change: dict[str, Any], classes: list[str]
) -> None:
    body = {key: v for key, v in {**BODY, **ONE_CLASS, **change}.items() if v is not None}

    with pytest.raises((EvaluationError, InvalidRequest), match="classes") as caught:
        run_kind(body)
    assert "name all classes in" in str(caught.value)
    assert run_kind({**body, "classes": classes}).result["models"]["a"]["n"] == 6


def test_invalid_a_label_beside_the_named_classes_says_where_it_goes() -> None:
    with pytest.raises(EvaluationError) as caught:
        run_kind({**BODY, "classes": ["cat", "bird"]})

    assert str(caught.value) == (
        "The label 'dog' is not among the classes that the field classes names: 'cat', 'bird'. "
        "Add it there."
    )


def codes_of(result: Any) -> set[str]:
    return {caution["code"] for caution in result["cautions"]}


HALVES = [0, 1] * 20


@pytest.mark.parametrize(
    ("true", "predicted"),
    [
        ([0, 1], [-1, 1]),
        ([1, 2], [0, 1]),
        (["no", "yes"], ["0", "1"]),
        (["2024-01-01", "2024-01-02"], ["2024-01-01T00:00", "2024-01-02T00:00"]),
        (["a", "b"], ["class a", "class b"]),
    ],
)
def test_exact_classes_that_are_named_otherwise_have_a_serious_caution(
    true: list[Any], predicted: list[Any]
) -> None:
    body = {**BODY, "y": [true[i] for i in HALVES], "block": [0, 1] * 20}
    known = run_kind({**body, "predictions": {"m": [true[i] for i in HALVES]}}).result
    other = run_kind({**body, "predictions": {"m": [predicted[i] for i in HALVES]}}).result

    assert "classes_named_otherwise" in codes_of(other) - codes_of(known)


@pytest.mark.parametrize(
    ("sets", "doubted"),
    [
        ([["No"], ["No", "yes"]], True),
        ([["n"], ["n", "yes"]], True),
        ([["no"], ["no", "yes"]], False),
        ([["yes"], ["yes"]], False),  # never another class
    ],
)
def test_exact_labels_of_sets_that_are_named_otherwise_have_the_same_caution(
    sets: list[list[str]], *, doubted: bool
) -> None:
    body = {
        "kind": "predictions",
        "y": [("no", "yes")[i] for i in HALVES],
        "sets": {"m": [sets[i] for i in HALVES]},
        "loss": "miscoverage",
        "blocks": "holdout",
    }

    assert ("classes_named_otherwise" in codes_of(run_kind(body).result)) is doubted


@pytest.mark.parametrize(
    "predicted",
    [
        ["a"] * 40,  # never another class
        ["c", *["a", "b"] * 19, "a"],  # a rare class, that no row has
        [*["a", "b"] * 19, "c", "b"],
    ],
)
def test_exact_classes_that_are_absent_on_one_side_are_ordinary(predicted: list[str]) -> None:
    truth = [*["a", "b"] * 19, "a", "d"]
    body = {**BODY, "y": truth, "block": [0, 1] * 20, "predictions": {"m": predicted}}

    assert "classes_named_otherwise" not in codes_of(run_kind(body).result)


CLASS_SCORES = np.random.default_rng(9).dirichlet([1.0, 1.0, 1.0], 60) * 0.4
CLASS_SCORES[np.arange(60), np.arange(60) % 3] += 0.6


@pytest.mark.parametrize("loss", ["log", "brier"])
@pytest.mark.parametrize("order", [[0, 1, 2], [1, 0, 2], [2, 0, 1]])
@pytest.mark.parametrize("names", [["8", "9", "10"], ["low", "middle", "top"]])
def test_exact_scores_in_another_order_of_the_classes_have_a_serious_caution(
    loss: str, order: list[int], names: list[str]
) -> None:
    # the probability of names[k] is in column order[k]; as text, 10 comes before 8
    body = {
        "kind": "predictions",
        "blocks": "holdout",
        "loss": loss,
        "y": [names[i % 3] for i in range(60)],
        "scores": {"m": CLASS_SCORES[:, np.argsort(order)].tolist()},
    }
    is_right = [names[i] for i in np.argsort(order)] == sorted(names)

    found = codes_of(run_kind(body).result)
    assert ("scores_of_other_classes" in found) is not is_right
    named = run_kind({**body, "classes": [names[i] for i in np.argsort(order)]}).result
    assert "scores_of_other_classes" not in codes_of(named)


@pytest.mark.parametrize("loss", ["log", "brier", "hinge"])
@pytest.mark.parametrize("truth", [["bad", "good"], [0, 1], [False, True]])
def test_exact_scores_of_the_other_of_two_classes_have_a_serious_caution(
    loss: str, truth: list[Any]
) -> None:
    rng = np.random.default_rng(10)
    classes = rng.random(80) < 0.1  # few rows have the second class
    scores = np.clip(0.5 + 0.3 * classes + rng.normal(0, 0.1, len(classes)), 0.01, 0.99)
    body = {
        "kind": "predictions",
        "blocks": "holdout",
        "loss": loss,
        "y": [truth[int(c)] for c in classes],
    }
    right = run_kind({**body, "scores": {"m": scores.tolist()}}).result
    other = run_kind({**body, "scores": {"m": (1 - scores).tolist()}}).result

    assert codes_of(other) - codes_of(right) >= {"scores_of_other_classes"}


def test_exact_scores_that_know_nothing_have_no_caution() -> None:
    rng = np.random.default_rng(11)
    for imbalance in (0.5, 0.1, 0.02):
        body = {
            "kind": "predictions",
            "blocks": "holdout",
            "loss": "log",
            "y": (rng.random(200) < imbalance).astype(int).tolist(),
            "scores": {"m": np.full(200, 0.9).tolist(), "n": rng.uniform(0.1, 0.9, 200).tolist()},
        }
        assert "scores_of_other_classes" not in codes_of(run_kind(body).result)


@pytest.mark.parametrize(
    ("names", "classes"),
    [
        (["p_c", "p_b", "p_a"], None),
        (["b", "a", "c"], None),
        (["m.A", "m.C", "m.B"], None),
        (["prob(a)", "prob(b)", "prob(c)"], ["c", "b", "a"]),
    ],
)
def test_invalid_scores_in_another_order_than_the_classes(
    tmp_path: Path, names: list[str], classes: list[str] | None
) -> None:
    scores = np.random.default_rng(3).dirichlet([2, 2, 2], 30)
    columns = {"y": ["a", "b", "c"] * 10, **dict(zip(names, scores.T, strict=True))}
    file = parquet_file(tmp_path, columns)
    body = {
        "kind": "predictions",
        "blocks": "holdout",
        "loss": "log",
        "dataset": str(file.id),
        "columns": {"target": "y", "scores": {"m": names}},
        "classes": classes,
    }

    with pytest.raises(EvaluationError, match="is given as the scores of the class") as refusal:
        run_kind(body, [file])
    assert place_of(refusal.value) == ("columns", "scores", "m", place_of(refusal.value)[-1])
    ordered = sorted(names, key=lambda name: name.rstrip(")")[-1].lower())
    by_name = {**body, "columns": {"target": "y", "scores": {"m": ordered}}, "classes": None}
    assert run_kind(by_name, [file]).result["models"]["m"]["n"] == 30

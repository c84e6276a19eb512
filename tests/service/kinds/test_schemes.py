"""Every resampling scheme, end to end."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from thetahat.errors import EvaluationError
from thetahat.schemes import SCHEMES
from thetahat_service.errors import InvalidRequest
from thetahat_service.kinds.registry import JOB_KINDS

RNG = np.random.default_rng(121)
N = 24
X = RNG.normal(size=(N, 2)).round(6)
Y = (X[:, 0] + 0.5 * RNG.normal(size=N)).round(6)
LABEL = np.where(RNG.permutation(N) % 2 == 0, "a", "b")
SITE = RNG.permutation(np.repeat(["s", "t", "u", "v"], 6))
DATA = {
    "X": X.tolist(),
    "y": Y.tolist(),
    "source": SITE.tolist(),
    "fold": [i % 3 for i in range(N)],
    "time": RNG.permutation(N).tolist(),
}
PARAMS: dict[str, dict[str, Any]] = {
    "bootstrap": {"n_resamples": 8},
    "complete_subsampling": {"test_size": 2},
    "k_fold": {"n_folds": 4},
    "repeated_k_fold": {"n_folds": 4, "n_repeats": 2},
    "source_k_fold": {"n_folds": 2},
    "stratified_k_fold": {"n_folds": 4},
    "stratified_repeated_k_fold": {"n_folds": 4, "n_repeats": 2},
    "stratified_source_k_fold": {"n_folds": 2},
}
OVERLAPPING = (
    "bootstrap",
    "complete_subsampling",
    "leave_p_out",
    "random_subsampling",
    "time_series",
)


def body_of(name: str, *, data: dict[str, Any] | None = None, **params: Any) -> dict[str, Any]:
    stratified = name.startswith("stratified")
    inline = dict(DATA if data is None else data)
    if stratified and data is None:
        inline["y"] = LABEL.tolist()
    return {
        "kind": "cross_validation",
        "data": inline,
        "task": "classification" if stratified else "regression",
        "learners": {
            "one": "majority" if stratified else "mean",
            "two": "gaussian_naive_bayes" if stratified else "ridge",
        },
        "scheme": {"name": name, "params": {**PARAMS.get(name, {}), **params}},
        "seed": 3,
    }


@pytest.mark.parametrize("name", SCHEMES)
def test_property_every_scheme_gives_a_result(name: str) -> None:
    result = run_kind(body_of(name)).result

    for model in result["models"].values():
        assert 0 < model["n"] <= N
        assert model["variances"]
    assert len(result["comparisons"]) == 1
    assert result["methods"][0]["name"] == name


@pytest.mark.parametrize("name", OVERLAPPING)
def test_exact_splits_that_overlap_get_the_corrected_interval(name: str) -> None:
    result = run_kind(body_of(name)).result

    codes = {caution["code"] for caution in result["cautions"]}
    assert ("no_partition" in codes) is (name != "time_series")  # whose test parts do not overlap
    in_time = name == "time_series"
    best, *of_models = result["models"]["two"]["recommended"].values()
    assert [each["variance"] for each in of_models] == ["newey_west_small_sample"] * in_time
    assert (best["method"], best["variance"]) == ("skewness_corrected", "nadeau_bengio_calibrated")
    variances = set(result["models"]["two"]["variances"])
    of_time = {"newey_west", "newey_west_small_sample"} if in_time else set()
    assert variances == {"nadeau_bengio", "nadeau_bengio_calibrated"} | of_time
    left_out = {entry["name"]: entry["reason"] for entry in result["not_applicable"]}
    assert "test parts may overlap" in left_out["theta_3"]
    assert set(result["comparisons"][0]["tests"]) >= {"nadeau_bengio_t", "sign", "wilcoxon"}


@pytest.mark.parametrize(
    ("name", "code"), [("bootstrap", "trained_on_resamples"), ("time_series", "order_of_time")]
)
def test_exact_a_scheme_has_its_cautions(name: str, code: str) -> None:
    assert code in {caution["code"] for caution in run_kind(body_of(name)).result["cautions"]}


def test_exact_leave_p_out_of_the_mean_has_a_closed_form() -> None:
    """Every pair of 24 left out: s^2 (1 + 1/22), and that times 2/22 + 1/276 of the splits."""
    model = run_kind(body_of("leave_p_out")).result["models"]["one"]

    assert model["blocks"] == 276
    assert_allclose(model["mean"]["macro"], Y.var(ddof=1) * (1 + 1 / 22), rtol=1e-12)
    means = np.array(model["mean"]["blocks"])
    assert_allclose(
        model["variances"]["nadeau_bengio"]["value"],
        (1 / 276 + 2 / 22) * means.var(ddof=1),
        rtol=1e-12,
    )


def test_naive_random_subsampling_by_hand() -> None:
    finished = run_kind(body_of("random_subsampling", n_draws=4, test_size=5))
    assert finished.losses is not None
    table = finished.losses.to_pydict()

    for draw in range(4):
        rows = [
            i for i, block in zip(table["instance"], table["block"], strict=True) if block == draw
        ]
        assert len(set(rows)) == 5
        train = np.setdiff1d(np.arange(N), rows)
        expected = (Y[rows] - Y[train].mean()) ** 2
        mine = [e for e, b in zip(table["one"], table["block"], strict=True) if b == draw]
        assert_allclose(mine, expected, rtol=1e-12)


def test_exact_rows_drawn_twice_are_learnt_from_twice() -> None:
    from thetahat.schemes.base import Rows
    from thetahat.schemes.bootstrap import BootstrapScheme

    splits = list(BootstrapScheme(n_resamples=8).splits(Rows(n=N), 3))

    model = run_kind(body_of("bootstrap"), seed=3).result["models"]["one"]

    expected = [np.mean((Y[s.test] - Y[s.train].mean()) ** 2) for s in splits]
    assert_allclose(model["mean"]["blocks"], expected, rtol=1e-12)
    ratio = model["variances"]["nadeau_bengio"]["test_to_train_ratio"]
    out = sum(len(s.test) for s in splits)  # the others are the different rows learnt from
    assert ratio == pytest.approx(out / (8 * N - out), rel=1e-12)


def test_exact_time_series_tests_each_row_once_at_most() -> None:
    result = run_kind(body_of("time_series"))
    assert result.losses is not None

    instances = result.losses.to_pydict()["instance"]

    assert len(set(instances)) == len(instances) == 20  # the 4 earliest are never tested
    earliest = np.argsort(DATA["time"])[:4]
    assert not set(earliest.tolist()) & set(instances)


@pytest.mark.parametrize(
    ("name", "params", "loc", "words"),
    [
        ("random_subsampling", {"n_draws": 1}, ("n_draws",), "at least 2"),
        ("random_subsampling", {"test_size": 24}, ("test_size",), "leaves no row of 24"),
        ("complete_subsampling", {"test_size": 12}, ("test_size",), "in 2704156 ways"),
        ("leave_p_out", {"p": 24}, ("p",), "leaves no row of 24"),
        ("leave_p_out", {"p": 9}, ("p",), "in 1307504 ways"),
        ("bootstrap", {"n_resamples": 0}, ("n_resamples",), "at least 2"),
        ("time_series", {"n_folds": 24}, ("n_folds",), "more than 24 rows"),
        ("time_series", {"gap": 4}, ("gap",), "no row before"),
        ("stratified_repeated_k_fold", {"n_folds": 13}, ("n_folds",), "fewer than 13 folds"),
        ("stratified_source_k_fold", {"n_folds": 5}, ("n_folds",), "need as many sources"),
    ],
)
def test_invalid_parameters_are_refused_at_once(
    name: str, params: dict[str, Any], loc: tuple[str, ...], words: str
) -> None:
    with pytest.raises((EvaluationError, InvalidRequest), match=words) as caught:
        run_kind(body_of(name, **params))

    assert place_of(caught.value) == ("scheme", "params", *loc)


@pytest.mark.parametrize(
    ("name", "params", "target", "place"),
    [
        ("stratified_k_fold", {"n_folds": 13}, LABEL, ("params", "n_folds")),
        ("stratified_k_fold", {"n_folds": 2}, Y, ("name",)),
        ("five_by_two", {"stratified": True}, np.arange(24) == 5, ("params", "stratified")),
        ("time_series", {"gap": 30}, Y, ("params", "gap")),
    ],
)
def test_invalid_the_place_is_the_same_with_a_data_set(
    tmp_path: Path, name: str, params: dict[str, Any], target: np.ndarray, place: tuple[str, ...]
) -> None:
    file = parquet_file(tmp_path, {"a": X[:, 0], "y": target, "t": np.array(DATA["time"])})
    task = "regression" if target.dtype.kind == "f" else "classification"
    body = {
        **body_of(name, **params),
        "dataset": str(file.id),
        "columns": {"target": "y", "features": ["a"], "time": "t"},
        "task": task,
        "learners": {"one": "mean" if task == "regression" else "majority"},
        "loss": "squared" if task == "regression" else "zero_one",
    }
    del body["data"]

    with pytest.raises((EvaluationError, InvalidRequest)) as caught:
        run_kind(body, [file])

    assert place_of(caught.value) == ("scheme", *place)


def test_invalid_without_a_time() -> None:
    data = {key: value for key, value in DATA.items() if key != "time"}

    with pytest.raises(EvaluationError, match="needs the time of each row") as caught:
        run_kind(body_of("time_series", data=data))

    assert place_of(caught.value) == ("data", "time")


def test_invalid_a_source_with_one_class() -> None:
    """Four folds of one source each: the source that is all of one class cannot be a fold."""
    labels = LABEL.copy()
    labels[SITE == "t"] = "a"
    data = {**DATA, "y": labels.tolist()}

    with pytest.raises(EvaluationError, match="Class 'b' is in 3 of 4 sources") as caught:
        run_kind(body_of("stratified_source_k_fold", data=data, n_folds=4))

    assert place_of(caught.value) == ("scheme", "params", "n_folds")


def test_invalid_a_training_part_with_one_class_names_the_split() -> None:
    """In order of time the first 12 rows are all of one class."""
    early = np.argsort(DATA["time"])[:12]
    labels = np.where(np.isin(np.arange(N), early), "a", "b")
    body = {
        **body_of("time_series", n_folds=3),
        "data": {**DATA, "y": labels.tolist()},
        "task": "classification",
        "learners": {"majority": "majority", "line": "LogisticRegression"},
    }

    result = run_kind(body).result

    assert set(result["models"]) == {"majority"}
    message = result["failures"]["line"]["message"]
    assert "repeat 0, block 0" in message
    assert "class" in message


@pytest.mark.parametrize("name", OVERLAPPING)
def test_exact_the_same_from_a_data_set(tmp_path: Path, name: str) -> None:
    file = parquet_file(tmp_path, {"a": X[:, 0], "b": X[:, 1], "y": Y, "t": np.array(DATA["time"])})
    inline = body_of(name, data={key: DATA[key] for key in ("X", "y", "time")})
    stored = {key: value for key, value in inline.items() if key != "data"}
    stored |= {
        "dataset": str(file.id),
        "columns": {"target": "y", "features": ["a", "b"], "time": "t"},
    }

    inline_result, two = run_kind(inline).result, run_kind(stored, [file]).result

    assert inline_result["models"] == two["models"]
    assert inline_result["comparisons"] == two["comparisons"]


def test_exact_losses_of_subsamples_come_in_long_form_and_as_scores() -> None:
    rows = [0, 1, 1, 2, 0, 2]
    long = {
        "kind": "losses",
        "blocks": "subsamples",
        "losses": {"m": [0, 2, 1, 3, 4, 5]},
        "block": [0, 0, 1, 1, 2, 2],
        "instance": rows,
        "n_train": 8,
    }
    scores = {
        "kind": "losses",
        "blocks": "subsamples",
        "split_scores": {"m": [1, 2, 4.5]},
        "better": "lower",
        "n_train": 8,
        "n_test": 2,
    }

    for body in (long, scores):
        model = run_kind(body).result["models"]["m"]
        # (1/3 + 2/8) 3.25, as in the tests of the evaluation
        assert model["variances"]["nadeau_bengio"]["value"] == pytest.approx(7 / 12 * 3.25)
    with pytest.raises(EvaluationError, match="leave repeats out"):
        run_kind({**scores, "repeats": 3})
    with pytest.raises(EvaluationError, match="there are 2 repeats"):
        run_kind({**long, "repeat": [0, 0, 0, 1, 1, 1]})


def test_exact_predictions_on_subsamples() -> None:
    body = {
        "kind": "predictions",
        "blocks": "subsamples",
        "y": [0, 1, 1, 0, 1, 0],
        "predictions": {"m": [0, 1, 0, 0, 1, 1]},
        "block": [0, 0, 1, 1, 2, 2],
        "instance": [0, 1, 1, 2, 3, 2],
        "n_train": 2,
        "loss": "zero_one",
    }

    model = run_kind(body).result["models"]["m"]

    assert model["mean"]["blocks"] == [0, 0.5, 0.5]
    assert model["n"] == 4


def test_property_a_request_on_many_rows_is_checked_without_drawing_them(tmp_path: Path) -> None:
    """400 resamples of 200 000 rows would be 80 million numbers, and a second or more."""
    file = parquet_file(tmp_path, {"a": np.zeros(200_000), "y": np.zeros(200_000)})
    body = {
        **body_of("bootstrap", n_resamples=400),
        "dataset": str(file.id),
        "columns": {"target": "y"},
        "tests": ["theta_t"],
    }
    del body["data"]
    kind = JOB_KINDS["cross_validation"]
    tracemalloc.start()

    kind.check(kind.request.model_validate(body), {file.id: file})

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


def test_invalid_a_test_of_partitions_is_refused_for_subsamples() -> None:
    with pytest.raises(EvaluationError, match="whose test parts may overlap") as caught:
        run_kind({**body_of("random_subsampling"), "tests": ["paired_t_blocks"]})

    assert place_of(caught.value) == ("tests", 0)


@pytest.mark.parametrize(
    "further",
    [
        {"kind": "learning_curve", "learners": {"r": "ridge"}, "sizes": [0.5, 1]},
        {
            "kind": "selection",
            "candidates": {"r": "ridge", "m": "mean"},
            "internal": "k_fold",
        },
    ],
    ids=lambda body: str(body["kind"]),
)
def test_exact_every_kind_that_fits_warns_of_a_holdout_that_cuts_clusters(
    further: dict[str, Any],
) -> None:
    rng = np.random.default_rng(3)
    data = {"X": rng.normal(size=(60, 2)).tolist(), "y": rng.normal(size=60).tolist()}
    cluster = np.repeat(np.arange(15), 4).tolist()
    scheme = {"scheme" if "sizes" in further else "external": "holdout"}
    body = {"task": "regression", "data": {**data, "cluster": cluster}, **scheme, **further}

    codes = [caution["code"] for caution in run_kind(body).result["cautions"]]

    assert codes.count("clusters_cross_blocks") == 1


def test_exact_a_holdout_that_divides_clusters_is_a_caution() -> None:
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(15), 4)
    data = {"X": rng.normal(size=(60, 2)).tolist(), "y": rng.normal(size=60).tolist()}
    body = {"kind": "cross_validation", "task": "regression", "learners": {"r": "ridge"}}
    body |= {"data": {**data, "cluster": cluster.tolist()}, "scheme": "holdout"}
    scheme = {"name": "holdout", "params": {"whole_clusters": True, "test_size": 5}}
    cut, whole = run_kind(body), run_kind({**body, "scheme": scheme})

    code = "clusters_cross_blocks"
    messages = [c["message"] for c in cut.result["cautions"] if c["code"] == code]
    tested = np.bincount(cluster[np.array(cut.losses["instance"])], minlength=15)
    n_cut = np.count_nonzero((tested > 0) & (tested < 4))
    assert messages[0].startswith(
        f"{n_cut} of 15 clusters have instances in both training and test parts"
    )
    assert code not in {c["code"] for c in whole.result["cautions"]}
    assert len(whole.losses) == 20
    recommended = [i for i in whole.result["models"]["r"]["intervals"] if i["recommended"]]
    assert [(i["variance"], i["degrees_of_freedom"]) for i in recommended] == [
        ("cluster_robust", 4)
    ]
    without = {**body, "data": data, "scheme": scheme}
    with pytest.raises(EvaluationError, match="holdout needs the cluster of each row") as no:
        run_kind(without)
    assert place_of(no.value) == ("data", "cluster")

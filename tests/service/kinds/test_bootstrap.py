from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.presentation.reading import texts_of
from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from thetahat.errors import EvaluationError
from thetahat.statistics import STATISTICS
from thetahat.statistics.vector_statistics import VECTOR_STATISTICS
from thetahat_presentation.showing import show
from thetahat_service.errors import InvalidRequest
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.kinds.bootstrap.request import BootstrapRequest

LECTURE: dict[str, Any] = {
    "kind": "bootstrap",
    "sample": [3, 5, 2, 1, 7],
    "statistic": "mean",
    "resamples": [[7, 3, 2, 3, 1], [5, 1, 1, 3, 7], [2, 2, 7, 1, 3]],
}
RNG = np.random.default_rng(20_261_121)
X = RNG.normal(5, 2, 40).round(3).tolist()
Y = (np.array(X) + RNG.normal(0, 2, 40) > 5).astype(int).tolist()
PARAMS: dict[str, Any] = {"quantile": {"q": 0.25}}


def body(statistic: Any = "mean", sample: Any = X, **rest: Any) -> dict[str, Any]:
    return {"kind": "bootstrap", "sample": sample, "statistic": statistic, **rest}


@pytest.mark.outside("the cross-validation lecture: bias -0.4 and variance 0.04")
def test_golden_the_lecture_s_example() -> None:
    result = run_kind(LECTURE).result

    assert result["estimate"] == 3.6
    assert result["replicates"] == [3.2, 3.4, 3.0]
    assert result["replicates_mean"] == 3.2
    assert result["bias"] == -0.4
    assert result["variance"] == 0.04
    assert result["standard_error"] == 0.2
    assert result["bias_corrected"] == 4.0
    assert [i["method"] for i in result["intervals"]] == [
        "normal",
        "percentile",
        "basic",
        "bca",
        "studentised",
    ]
    bca = result["intervals"][3]
    assert (bca["lower"], bca["upper"]) == (None, None)
    assert bca["cautions"][0]["code"] == "replicates_on_one_side"
    assert [c["code"] for c in result["cautions"]] == ["few_units"]


@pytest.mark.parametrize("name", STATISTICS)
def test_property_every_statistic_runs(name: str) -> None:
    takes_two = name in {"auc", "correlation", "difference"}
    sample = {"x": X, "y": Y} if takes_two else X
    result = run_kind(body({"name": name, "params": PARAMS.get(name, {})}, sample)).result

    assert result["n_resamples"] == len(result["replicates"]) == 2000
    assert result["statistic"] == name
    assert result["methods"][0]["name"] == name
    assert_allclose(result["bias"], np.mean(result["replicates"]) - result["estimate"], atol=1e-12)
    assert_allclose(result["variance"], np.var(result["replicates"], ddof=1), rtol=1e-9)
    for interval in result["intervals"]:
        assert interval["lower"] < result["estimate"] < interval["upper"]
    left_out = [entry["name"] for entry in result["not_applicable"]]
    assert left_out == (["studentised"] if name in {"median", "quantile"} else [])


def test_exact_the_seed_decides_and_the_level_does_not() -> None:
    first, same, other = (
        run_kind(body("median", n_resamples=300, level=level), seed=seed).result["replicates"]
        for seed, level in ((1, 0.95), (1, 0.5), (2, 0.95))
    )

    assert first == same != other


def test_exact_a_data_set_and_an_inline_sample_agree(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"score": X, "label": Y})
    stored = {
        "kind": "bootstrap",
        "dataset": str(file.id),
        "columns": {"x": "score", "y": "label"},
        "statistic": "auc",
    }

    request = BootstrapRequest.model_validate(stored)
    assert request.list_dataset_ids() == (file.id,)
    assert BootstrapRequest.model_validate(LECTURE).list_dataset_ids() == ()
    assert run_kind(stored, [file]).result == run_kind(body("auc", {"x": X, "y": Y})).result
    alone = {**stored, "columns": {"x": "score"}, "statistic": "mean"}
    assert run_kind(alone, [file]).result == run_kind(body()).result


def test_exact_given_pairs_and_given_resamples_of_two_samples() -> None:
    pairs = run_kind(
        body(
            {"name": "difference", "params": {"paired": True}},
            {"x": [1, 2, 4], "y": [0, 2, 1]},
            resamples=[{"x": [4, 4, 1], "y": [1, 1, 0]}, {"x": [1, 2, 4], "y": [0, 2, 1]}],
        )
    ).result
    two = run_kind(
        body("difference", {"x": [1, 2, 4], "y": [0, 2]}, resamples=[{"x": [4, 4, 1], "y": [2, 2]}])
    ).result

    assert_allclose(pairs["replicates"], [7 / 3, 4 / 3], rtol=1e-14)
    assert pairs["n"] == 3
    assert_allclose(two["replicates"], [1], rtol=1e-14)
    assert two["n"] == [3, 2]
    assert two["variance"] is None
    assert {c["code"] for c in two["cautions"]} == {"one_replicate", "few_units"}


def test_exact_one_sided_and_named_intervals() -> None:
    request = body(n_resamples=500, intervals=["bca", {"name": "normal"}], alternative="less")
    result = run_kind(request).result["intervals"]

    assert [i["method"] for i in result] == ["bca", "normal"]
    assert [i["lower"] for i in result] == [None, None]
    assert all(i["alternative"] == "less" for i in result)


def test_degenerate_many_replicates_are_not_listed() -> None:
    assert run_kind(body(n_resamples=10_001)).result["replicates"] is None


@pytest.mark.parametrize(
    ("statistic", "sample", "codes"),
    [
        ("mean", [4], ["one_value"]),
        ("mean", [4] * 30, ["no_spread"]),
        ("median", [1, *[4] * 40], ["no_spread"]),
        ("auc", {"x": [1, 2, 3, 4], "y": [0, 1, 0, 0]}, ["few_units", "resamples_drawn_again"]),
        ({"name": "quantile", "params": {"q": 0.99}}, X, ["extreme_quantile"]),
    ],
)
def test_degenerate_samples_come_with_cautions(statistic: Any, sample: Any, codes: Any) -> None:
    result = run_kind(body(statistic, sample)).result

    assert [c["code"] for c in result["cautions"]] == codes
    assert (result["variance"] == 0) == (codes[0] in {"one_value", "no_spread"})


DIFFERENCE = {"name": "difference", "params": {"paired": True}}


@pytest.mark.parametrize(
    ("request_", "place", "match"),
    [
        (body(sample=[]), ("sample",), "the sample is empty"),
        (body(sample=[1, None]), ("sample", 1), "is not a number"),
        (body(sample=[1, 1e76]), ("sample", 1), "at most 1e\\+75"),
        (body(sample={"x": [1], "y": ["a"]}), ("sample", "y", 0), "is not a number"),
        (body(sample={"x": [1, 2], "y": [1, 2]}), ("sample", "y"), "mean is of one sample"),
        (body("auc"), ("sample",), "there is no y"),
        (body("auc", {"x": [1, 2], "y": [0, 3]}), ("sample", "y", 1), "labels of an auc"),
        (body("correlation", {"x": [1, 1, 1], "y": [1, 2, 3]}), ("sample", "x"), "x is constant"),
        (body(DIFFERENCE, {"x": [1, 2], "y": [1]}), ("sample", "y"), "2 x and 1 y"),
        (body("variance", [3]), ("sample",), "at least 2 values"),
        (body("mode"), ("statistic", "name"), "'mode' is not one of the statistics"),
        (body("quantile"), ("statistic", "params", "q"), "quantile needs the parameter q"),
        (body({"name": "mean", "as": "m"}), ("statistic", "as"), "needs no key"),
        (body({"name": "mean", "params": {"a": 1}}), ("statistic", "params", "a"), "no parameter"),
        (
            body({"name": "difference", "params": {"statistic": "auc"}}, {"x": [1], "y": [2]}),
            ("statistic", "params", "statistic"),
            "auc is of pairs",
        ),
        (body(level=1.0), ("level",), "level must be above 0 and at most"),
        (body(n_resamples=1), ("n_resamples",), "must lie in 2 to"),
        (body(sample=[0.5] * 5000, n_resamples=1_000_000), ("n_resamples",), "Request at most"),
        (body(intervals=["wilson"]), ("intervals", 0), "not an interval of a bootstrap"),
        (body(intervals=["bca", "bca"]), ("intervals", 1), "named twice"),
        (
            body(intervals=[{"name": "bca", "params": {"n_resamples": 5}}]),
            ("intervals", 0),
            "neither params nor",
        ),
        (
            body("median", intervals=["normal", "studentised"]),
            ("intervals", 1),
            "Intervals that fit: normal, percentile, basic, bca",
        ),
        ({**LECTURE, "n_resamples": 5}, ("n_resamples",), "both resamples and n_resamples"),
        ({**LECTURE, "resamples": [[1, 2, 3, 5]]}, ("resamples", 0), "must have the same number"),
        ({**LECTURE, "resamples": [[1, 2, 3, 5, 4]]}, ("resamples", 0, 4), "4 is not in"),
        ({**LECTURE, "resamples": [[1, 2, 3, 5, "7"]]}, ("resamples", 0, 4), "is not a number"),
        ({**LECTURE, "resamples": [{"y": [1]}]}, ("resamples", 0), "must be a list of numbers"),
        (
            body(DIFFERENCE, {"x": [1, 2], "y": [1, 2]}, resamples=[[1, 2]]),
            ("resamples", 0),
            'of this sample must be {"x"',
        ),
        ({"kind": "bootstrap", "statistic": "mean"}, ("sample",), "either a sample or a dataset"),
        (
            {**LECTURE, "columns": {"x": "a"}},
            ("columns",),
            "dataset needs columns, and columns need",
        ),
    ],
)
def test_invalid_requests(request_: dict[str, Any], place: tuple[Any, ...], match: str) -> None:
    with pytest.raises((EvaluationError, InvalidRequest), match=match) as caught:
        run_kind(request_)
    assert place_of(caught.value) == place


def test_invalid_columns_and_missing_values(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"a": [1.0, None, 2.0], "b": ["x", "y", "z"]})
    stored = {"kind": "bootstrap", "dataset": str(file.id), "statistic": "mean"}

    for columns, place in (
        ({"x": "c"}, ("columns", "x")),
        ({"x": "a"}, ("columns", "x", 1)),
        ({"x": "b"}, ("columns", "x", 0)),
    ):
        with pytest.raises((EvaluationError, InvalidRequest)) as caught:
            run_kind({**stored, "columns": columns}, [file])
        assert place_of(caught.value)[: len(place)] in {place, place[:2]}
    with pytest.raises(EvaluationError, match="dataset needs columns, and columns need"):
        run_kind(stored, [file])


def test_invalid_a_data_set_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:

    file = replace(parquet_file(tmp_path, {"a": [1.0], "b": [2.0]}), rows=50_000_000, path=None)
    stored = {
        "kind": "bootstrap",
        "dataset": str(file.id),
        "columns": {"x": "a", "y": "b"},
        "statistic": "difference",
    }

    with pytest.raises(EvaluationError, match="Request at most 40 resamples"):
        run_kind(stored, [file])


MICE = {"x": [94, 197, 16, 38, 99, 141, 23], "y": [52, 104, 146, 10, 51, 30, 40, 27, 46]}


def test_against_scipy_two_samples_are_tested_by_permutations() -> None:
    result = run_kind(body("difference", MICE, n_resamples=200)).result
    test = result["tests"]["two_sample_permutation"]

    assert (test["method"], test["n_permutations"], test["monte_carlo_error"]) == (
        "exact",
        11440,
        0,
    )
    assert test["difference"] == pytest.approx(result["estimate"], rel=1e-12)
    welch = stats.ttest_ind(MICE["x"], MICE["y"], equal_var=False)
    assert test["statistic"] == pytest.approx(welch.statistic, rel=1e-12)
    # a t distribution approximates the permutations
    assert test["p_value"] == pytest.approx(welch.pvalue, abs=0.02)
    assert {"family": "tests", "name": "two_sample_permutation"}.items() <= result["methods"][
        -1
    ].items()


def test_exact_the_alternative_and_the_variant_reach_the_test() -> None:
    entry = {"name": "two_sample_permutation", "as": "plain", "params": {"variant": "plain"}}
    both, greater = (
        run_kind(
            body("difference", MICE, n_resamples=100, tests=[entry], alternative=alternative)
        ).result["tests"]["plain"]
        for alternative in ("two_sided", "greater")
    )

    assert greater["p_value"] < both["p_value"]
    assert (both["alternative"], greater["alternative"]) == ("two_sided", "greater")
    assert greater["statistic"] == greater["difference"]


def test_exact_tests_that_do_not_fit_are_listed_or_refused() -> None:
    median = {"name": "difference", "params": {"statistic": "median"}}
    paired = {"name": "difference", "params": {"paired": True}}
    equal = {"x": MICE["x"], "y": MICE["y"][:7]}

    listed = [
        [entry["name"] for entry in result["not_applicable"] if entry["family"] == "tests"]
        for result in (
            run_kind(body(median, MICE, n_resamples=100)).result,
            run_kind(body(paired, equal, n_resamples=100)).result,
            run_kind(body("difference", {"x": [1], "y": [1, 2]}, n_resamples=100)).result,
            run_kind(body("mean", MICE["x"], n_resamples=100)).result,
        )
    ]

    assert listed == [["two_sample_permutation"]] * 3 + [[]]
    for statistic, sample in ((median, MICE), (paired, equal), ("mean", MICE["x"])):
        with pytest.raises(EvaluationError, match="two_sample_permutation"):
            run_kind(body(statistic, sample, tests=["two_sample_permutation"]))


VECTOR: dict[str, Any] = {
    "kind": "bootstrap",
    "sample": {
        "x": {"a": X, "b": RNG.normal(0, 1, 40).tolist()},
        "y": RNG.gamma(2, 1, 40).tolist(),
    },
    "statistic": "regression_coefficients",
    "n_resamples": 200,
}


@pytest.mark.parametrize("name", VECTOR_STATISTICS)
def test_property_every_statistic_with_several_components_runs(name: str) -> None:
    sample = dict(VECTOR["sample"])
    if name != "regression_coefficients":
        del sample["y"]
    result = run_kind({**VECTOR, "sample": sample, "statistic": name}).result

    assert result["statistic"] == name
    q = len(result["components"])
    assert np.shape(result["covariance_of_components"]) == (q, q)
    for j, one in enumerate(result["components"]):
        assert one["variance"] == result["covariance_of_components"][j][j]
        for interval in one["intervals"]:
            assert interval["lower"] < one["estimate"] < interval["upper"]
    assert "estimate" not in result
    assert result["methods"][0] == {"family": "statistics", "name": name, "params": {}}


def test_exact_columns_of_a_data_set_and_inline_columns_agree(tmp_path: Path) -> None:
    columns = {**VECTOR["sample"]["x"], "y": VECTOR["sample"]["y"]}
    file = parquet_file(tmp_path, columns)
    stored = {
        **{key: value for key, value in VECTOR.items() if key != "sample"},
        "dataset": str(file.id),
        "columns": {"x": ["a", "b"], "y": "y"},
    }

    assert run_kind(stored, [file]).result == run_kind(VECTOR).result


@pytest.mark.parametrize("name", VECTOR_STATISTICS)
def test_naive_given_resamples_of_named_columns(name: str) -> None:
    rows = RNG.integers(0, 40, (5, 40))
    columns = {key: np.array(values) for key, values in VECTOR["sample"]["x"].items()}
    y = np.array(VECTOR["sample"]["y"])

    def take(at: np.ndarray) -> dict[str, Any]:
        taken: dict[str, Any] = {"x": {key: x[at].tolist() for key, x in columns.items()}}
        return {**taken, "y": y[at].tolist()} if name == "regression_coefficients" else taken

    def compute(at: np.ndarray) -> np.ndarray:
        x = np.stack([x[at] for x in columns.values()], axis=1)
        if name == "mean_vector":
            return np.asarray(x.mean(axis=0))
        if name == "regression_coefficients":
            return np.asarray(np.linalg.lstsq(np.insert(x, 0, 1, axis=1), y[at], rcond=None)[0])
        matrix = np.cov(x.T) if name == "covariance_matrix" else np.corrcoef(x.T)
        return matrix[np.triu_indices(2, 0 if name == "covariance_matrix" else 1)]

    result = run_kind(
        {
            "kind": "bootstrap",
            "statistic": name,
            "sample": take(np.arange(40)),
            "resamples": [take(at) for at in rows],
        }
    ).result

    replicates = np.stack([compute(at) for at in rows])
    assert result["n_resamples"] == 5
    means = [one["replicates_mean"] for one in result["components"]]
    # least squares by another solver, and sums in another order
    assert_allclose(means, replicates.mean(axis=0), rtol=1e-8)
    covariance = np.atleast_2d(np.cov(replicates.T))
    assert_allclose(result["covariance_of_components"], covariance, rtol=1e-7, atol=1e-12)


def test_invalid_given_resamples_of_named_columns() -> None:
    sample = {"x": {"a": [1, 2, 4, 0], "b": [3, 0, 5, 1]}, "y": [1, 2, 3, 5]}
    request = {"kind": "bootstrap", "sample": sample, "statistic": "regression_coefficients"}
    short = {"x": {"a": [1, 2], "b": [3, 0]}, "y": [1, 2]}
    equal = {"x": {"a": [2] * 4, "b": [0] * 4}, "y": [2] * 4}

    for resamples, place, words in (
        ([sample["x"], sample], ("resamples", 0), 'must be {"x": {"a": '),
        ([sample, {"x": sample["x"]}], ("resamples", 1), 'must be {"x"'),
        (
            [sample, {**sample, "y": [2, 1, 3, 5]}],
            ("resamples", 1, "x", "a", 0),
            "not in the sample",
        ),
        ([sample, short], ("resamples", 1, "x", "a"), "same number"),
        ([sample, equal], ("resamples", 1), "Resample 1 has no value"),
        ([sample], ("resamples",), "at least 2"),
    ):
        with pytest.raises((EvaluationError, InvalidRequest), match=words) as refused:
            run_kind({**request, "resamples": resamples})
        assert place_of(refused.value) == place


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"sample": X}, ("sample", "x")),
        ({"sample": {"x": X, "y": X}}, ("sample", "x")),
        ({"statistic": "mean"}, ("sample", "x")),
        ({"statistic": "mean_vector"}, ("sample", "y")),
        ({"resamples": [[1]], "n_resamples": None}, ("resamples",)),
        ({"tests": ["two_sample_permutation"]}, ("tests",)),
        ({"n_resamples": 2_000_000}, ("n_resamples",)),
        ({"sample": {"x": {"a": X, "b": X[:3]}, "y": X}}, ("sample", "x", "b")),
    ],
)
def test_invalid_requests_of_vectors(changes: dict[str, Any], place: tuple[str, ...]) -> None:
    with pytest.raises((EvaluationError, InvalidRequest)) as refused:
        run_kind({**VECTOR, **changes})

    assert place_of(refused.value)[: len(place)] == place


def test_exact_a_page_has_a_row_for_each_component_and_their_covariance() -> None:
    result = run_kind(VECTOR).result

    document = show(result)
    estimates, covariance = document.sections[0].tables
    names = [one["name"] for one in result["components"]]
    assert [row[0] for row in texts_of(estimates)] == names
    assert list(covariance.columns) == ["Component", *names]
    assert len(covariance.rows) == len(names)
    assert [figure.name for figure in list_figures(result)] == ["components"]
    sentence = document.headline
    assert sentence.startswith("Regression coefficients with 3 components: intercept ")
    assert sentence.count("95 % BCa interval") == len(names)
    assert sentence.endswith(", from 200 resamples.")

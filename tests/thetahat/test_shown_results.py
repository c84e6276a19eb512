"""Results of the library and of the client, as they are printed and turned into frames."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest

import thetahat
from thetahat_client import ResultObject
from thetahat_client.text import result_text
from thetahat_presentation.renderers.html import HtmlPage
from thetahat_presentation.showing import show
from thetahat_presentation.shown_result import ShownResult
from thetahat_service.kinds.examples import RESULT, read_examples

RNG = np.random.default_rng(2)
LOSSES = {
    "forest": RNG.random((6, 9)),
    "ridge": RNG.random((6, 9)) + 0.5,
    "knn": RNG.random((6, 9)) + 0.4,
}
FRAMES: dict[str, Callable[[Any], list[dict[str, Any]]]] = {
    "pandas": lambda frame: frame.to_dict("records"),
    "polars": lambda frame: frame.to_dicts(),
    "pyarrow": lambda frame: frame.to_pylist(),
}
TYPES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


def evaluate(**options: Any) -> thetahat.EvaluationResult:
    return thetahat.evaluate(LOSSES, blocks="source", **options)


def cross_validate() -> thetahat.CrossValidationEvaluation:
    x = np.arange(20.0)
    return thetahat.cross_validate(
        {"x": x}, 2 * x, {"line": "ridge", "constant": "mean"}, task="regression"
    )


def as_client_result(values: dict[str, Any]) -> ResultObject[Any]:
    def get_figure(*words: object) -> Any:
        raise AssertionError

    return ResultObject(values, "x", get_figure)


SHOWN: dict[str, Callable[[], ShownResult]] = {
    "evaluate": evaluate,
    "evaluate_scores": lambda: thetahat.evaluate_scores(
        {"a": [0.8, 0.7, 0.9], "b": [0.7, 0.6, 0.9]}, n_train=30, n_test=10, better="higher"
    ),
    "cross_validate": cross_validate,
    "client": lambda: as_client_result(thetahat.to_json(evaluate())),
}


@pytest.mark.parametrize("source", SHOWN)
def test_exact_a_result_is_short_and_prints_its_findings(source: str) -> None:
    result = SHOWN[source]()
    values = result.to_dict()
    document = show(values)
    first, verdict = repr(result).splitlines()

    assert first.startswith(f"<{type(result).__name__}: {len(values['models'])} models (")
    assert all(name in first for name in values["models"])
    assert verdict == document.headline
    assert str(result) == result.to_text()
    assert document.findings is not None
    words = " ".join(str(result).split())
    assert " ".join(document.findings.verdict.split()) in words
    assert all(name in result._repr_html_() for name in values["models"])


def test_exact_to_dict_is_the_json_of_the_result() -> None:
    result = evaluate()

    assert result.to_dict() == thetahat.to_json(result)
    assert as_client_result(result.to_dict()).to_dict() == thetahat.to_json(result)


def test_exact_text_and_page_are_those_of_the_presentation() -> None:
    result = evaluate(margin=0.1)
    values = result.to_dict()

    assert result.to_text(10_000, show_all=True) == result_text(values, 10_000, show_all=True)
    assert result._repr_html_() == HtmlPage(all_option="to_text(show_all=True)").write(show(values))
    assert "--all" not in str(result)


def test_exact_the_gate_is_in_the_short_form() -> None:
    gate = thetahat.Gate(model="forest", against="ridge")
    result = evaluate(gate=gate, margin=0.1)

    assert result.gate is not None
    assert repr(result).splitlines()[1].startswith(f"Gate: {result.gate.outcome}.")


def test_property_the_short_form_stays_short_with_many_long_names() -> None:
    losses = {f"{'x' * 90} {place}": RNG.random(40) for place in range(30)}
    lines = repr(thetahat.evaluate(losses, blocks="holdout")).splitlines()

    assert len(lines) == 2
    assert all(len(line) <= 302 for line in lines)
    assert "30 models" in lines[0]


@pytest.mark.parametrize("kind", read_examples(RESULT))
def test_exact_the_client_names_the_kind(kind: str) -> None:
    first, verdict = repr(as_client_result(dict(read_examples(RESULT)[kind]))).splitlines()

    assert first.startswith(f"<ResultObject: {kind.replace('_', ' ')}")
    assert verdict.endswith((".", "..."))


def test_exact_a_result_in_another_form_lists_its_numbers() -> None:
    result = as_client_result({"kind": "losses", "value": 3})

    assert "another release" in repr(result)
    assert "value" in str(result)
    assert "another release" in result._repr_html_()


def test_exact_hidden_characters_of_names_are_shown() -> None:
    losses = {"a\u202e": [0.1, 0.2, 0.4], "b\nc": [0.2, 0.3, 0.7]}

    assert repr(thetahat.evaluate(losses, blocks="holdout")).startswith(
        "<EvaluationResult: 2 models (a\\u202e and b\\nc)>\n"
    )


@pytest.mark.parametrize("package", FRAMES)
def test_exact_models_become_rows_with_mean_interval_and_target(package: Any) -> None:
    result = evaluate()
    frame = result.frame(package=package)
    rows = FRAMES[package](frame)

    assert type(frame) is TYPES[package]
    assert [row["model"] for row in rows] == ["forest", "knn", "ridge"]  # the best one first
    for row in rows:
        interval = result.models[row["model"]].recommended[thetahat.Target.NEW_SOURCE]
        assert row["target"] == "new_source"
        assert row["mean"] == interval.estimate
        assert (row["lower"], row["upper"]) == (interval.lower, interval.upper)
        assert (row["method"], row["variance"]) == (interval.method, interval.variance)
        assert (row["n"], row["blocks"]) == (54, 6)


@pytest.mark.parametrize("package", FRAMES)
def test_exact_pairs_become_rows_with_difference_and_verdict(package: Any) -> None:
    result = evaluate()
    rows = FRAMES[package](result.frame("comparisons", package=package))

    assert len(rows) == 3
    for row, pair in zip(rows, result.to_dict()["comparisons"], strict=True):
        assert (row["a"], row["b"]) == (pair["a"], pair["b"])
        assert row["difference"] == pair["difference"]
        assert (row["lower"], row["upper"]) == (
            pair["interval"]["lower"],
            pair["interval"]["upper"],
        )
        assert row["p_value_adjusted"] == pair["verdict"]["p_value_adjusted"]
        assert row["decision"] == pair["verdict"]["decision"]


def test_exact_a_frame_is_about_the_target_that_is_asked_for() -> None:
    result = evaluate()
    rows = result.frame(target="these_sources", package="polars").to_dicts()

    for row in rows:
        interval = result.models[row["model"]].recommended[thetahat.Target.THESE_SOURCES]
        assert (row["lower"], row["upper"]) == (interval.lower, interval.upper)
        assert row["target"] == "these_sources"


def test_exact_models_without_an_interval_keep_their_mean() -> None:
    result = thetahat.evaluate({"a": [0.5], "b": [0.25]}, blocks="holdout")
    rows = result.frame(package="polars").to_dicts()

    assert [(row["model"], row["mean"], row["lower"]) for row in rows] == [
        ("b", 0.25, None),
        ("a", 0.5, None),
    ]
    assert {row["target"] for row in rows} == {None}


def test_exact_a_model_without_an_interval_has_no_target() -> None:
    values = evaluate().to_dict()
    values["models"]["knn"]["recommended"] = {}
    rows = as_client_result(values).frame(package="polars").to_dicts()

    assert [row["target"] for row in rows] == ["new_source", None, "new_source"]
    assert rows[1]["mean"] == values["models"]["knn"]["mean"]["macro"]


def test_exact_frames_are_of_the_package_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    result = evaluate()
    assert type(result.frame()) is pd.DataFrame  # imported here, and the first of the three

    monkeypatch.setitem(sys.modules, "pandas", None)  # its import raises ModuleNotFoundError
    assert type(result.frame()) is pl.DataFrame
    with pytest.raises(ImportError, match="pandas, which is not installed"):
        result.frame(package="pandas")

    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="one of the packages pandas, polars and pyarrow"):
        result.frame()


def test_invalid_parts_targets_and_packages_are_named() -> None:
    result: Any = evaluate()

    with pytest.raises(ValueError, match="the parts are models and comparisons"):
        result.frame("pairs")
    with pytest.raises(ValueError, match="the targets are: new_source, these_sources"):
        result.frame(target="new_population")
    with pytest.raises(ValueError, match="target is for models"):
        result.frame("comparisons", target="new_source")
    with pytest.raises(ValueError, match="'excel' is not one of"):
        result.frame(package="excel")
    with pytest.raises(ValueError, match="kind weights has no models"):
        as_client_result({"kind": "weights"}).frame()

"""``import thetahat``: evaluations in this process, and nothing heavy before the first one."""

from __future__ import annotations

import doctest
import subprocess
import sys
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest

import thetahat
from thetahat.analyses.losses import entry_points
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.variances.quadratic import Quadratic
from thetahat_service.kinds.base import Finished, Job
from thetahat_service.kinds.registry import JOB_KINDS

LOSSES = {
    "a": [[0.1, 0.4, 0.3], [0.2, 0.6], [0.5, 0.5, 0.7]],
    "b": [[0.3, 0.5, 0.3], [0.4, 0.5], [0.9, 0.4, 0.8]],
}


def _by_service(**body: object) -> dict[str, object]:
    kind = JOB_KINDS["losses"]
    request = kind.request.model_validate({"kind": "losses", "seed": 5, **body})
    job = Job(uuid5(NAMESPACE_URL, "job"), "losses", request, 5)
    finished = kind.start(job)
    assert isinstance(finished, Finished)
    result: dict[str, object] = thetahat.to_json(finished.result)
    return result


def test_exact_the_numbers_are_those_of_the_service() -> None:
    ours = thetahat.to_json(thetahat.evaluate(LOSSES, blocks="source", margin=0.1, seed=5))
    theirs = _by_service(losses=LOSSES, blocks="source", margin=0.1)

    for key in ("models", "comparisons", "covariance", "not_applicable", "summary"):
        assert ours[key] == theirs[key]


def test_exact_rows_by_block_and_long_form_agree() -> None:
    flat = {name: np.concatenate(rows) for name, rows in LOSSES.items()}
    block = np.repeat(["x", "y", "z"], [3, 2, 3])
    rows = thetahat.evaluate(LOSSES, blocks="source", block_labels=["x", "y", "z"])
    long = thetahat.evaluate(flat, blocks="source", block=block)

    assert thetahat.to_json(rows) == thetahat.to_json(long)


def test_exact_scores_are_those_of_the_service() -> None:
    scores = {"a": [0.8, 0.7, 0.9, 0.8], "b": [0.7, 0.6, 0.9, 0.6]}
    ours = thetahat.evaluate_scores(
        scores, n_train=30, n_test=10, better="higher", seed=5, tests=["paired_t_blocks"]
    )
    theirs = _by_service(
        split_scores=scores,
        n_train=30,
        n_test=10,
        better="higher",
        blocks="random",
        tests=["paired_t_blocks"],
    )

    assert thetahat.to_json(ours)["comparisons"] == theirs["comparisons"]
    assert ours.summary.best_model == "a"


def test_exact_methods_by_name_as_objects_and_under_keys() -> None:
    by_name = thetahat.evaluate(
        LOSSES, variances=["nadeau_bengio", Quadratic(bias=(1.0, 0.0, 0.0))]
    )
    by_key = thetahat.evaluate(LOSSES, variances={"mine": "nadeau_bengio"})

    assert set(by_name.models["a"].variances or ()) == {"nadeau_bengio", "quadratic"}
    assert set(by_key.models["a"].variances or ()) == {"mine"}


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"losses": {}}, "no model"),
        ({"losses": {"a": [0.1, 0.2]}}, "need block"),
        ({"losses": LOSSES, "blocks": "sites"}, "blocks must be one of"),
        ({"losses": LOSSES, "block": [1, 2]}, "long form"),
        ({"losses": {**LOSSES, "b": [[0.1]]}}, "differ in length"),
        ({"losses": LOSSES, "block_labels": ["x"]}, "block_labels must be 3 names"),
        ({"losses": LOSSES, "weights": [1.0]}, "8 losses"),
        *(
            ({"losses": {"a": [0.1, 0.2], "b": wrong}, "blocks": "holdout"}, f"Model 'b': {words}")
            for wrong, words in (
                ([0.1, float("nan")], "Loss 1 is nan"),
                ([0.1, None], "Loss 1 is nan"),
                ([0.1], "There are 1 losses for 2 rows"),
                (["0.1", "x"], "losses must be numbers, and are of type <U3"),
                ([0.1, 1j], "losses must be numbers, and are of type complex128"),
                ([0.1, object()], "losses must be numbers, and are of type object"),
            )
        ),
        ({"losses": {"a": [["x"]], "b": [[1]]}}, "Model 'a': losses must be numbers"),
        ({"losses": LOSSES, "tests": ["paired_t"]}, "is not one of"),
    ],
)
def test_invalid_arguments_are_named(arguments: dict[str, object], match: str) -> None:
    with pytest.raises(InvalidParameter, match=match):
        thetahat.evaluate(**arguments)  # type: ignore[arg-type]


def test_invalid_a_method_that_does_not_fit_is_refused() -> None:
    with pytest.raises(UnsupportedCombination, match="does not fit"):
        thetahat.evaluate(LOSSES, variances=["theta_B"])


def test_exact_examples_in_the_docstrings() -> None:
    failed, tried = doctest.testmod(entry_points)

    assert (failed, tried) == (0, 9)


def test_exact_import_loads_nothing_heavy() -> None:
    code = "import sys, thetahat; print({'numpy', 'scipy', 'thetahat.analyses'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == "set()"
    assert dir(thetahat) == sorted(thetahat.__all__)
    with pytest.raises(AttributeError, match="no attribute 'cross_validat'"):
        thetahat.cross_validat  # noqa: B018


def test_invalid_losses_without_blocks_name_the_way_for_one_test_set() -> None:
    with pytest.raises(InvalidParameter, match="blocks='holdout'"):
        thetahat.evaluate({"a": [0.5, 0.25, 1.0], "b": [0.25, 0.5, 0.75]})


def test_exact_a_data_frame_is_a_mapping_of_models() -> None:
    columns = {"a": [0.5, 0.25, 1.0, 0.125], "b": [0.25, 0.5, 1.0, 0.75]}

    arrays = {name: np.array(values) for name, values in columns.items()}
    results = [
        thetahat.to_json(thetahat.evaluate(losses, blocks="holdout"))
        for losses in (columns, arrays, pd.DataFrame(columns))
    ]

    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"item": [0, 0, 1, 1, 2, 2]}, "has a name and whole numbers that are those of labels"),
        ({"latency_ms": [120.5, 98.1, 101.0, 140.2, 99.9, 110.4]}, "has a name of something else"),
        ({"model": ["a", "b"] * 3}, "is text"),
        ({"n": [7, 3, 9, 4, 8, 6]}, "whole numbers"),
    ],
)
def test_invalid_a_column_of_a_frame_that_may_be_no_model(
    make: Any, other: dict[str, list[Any]], reason: str
) -> None:
    scores = {"a": [0.5, 0.25, 1.0, 0.125, 0.3, 0.7], "b": [0.25, 0.5, 1.0, 0.75, 0.2, 0.1]}

    with pytest.raises(InvalidParameter, match=reason) as caught:
        thetahat.evaluate(make({**other, **scores}), blocks="holdout")

    (name,) = other
    assert caught.value.loc == ("losses", name)
    assert "frame[['a', 'b']]" in str(caught.value)
    thetahat.evaluate(make(scores), blocks="holdout")

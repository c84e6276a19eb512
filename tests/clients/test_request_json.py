"""Requests with arrays, series and frames are those with lists."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pytest

from tests.clients.scripted_server import evaluation, run_stub
from thetahat_client import Client
from thetahat_client.request_json import encode_request

LOSSES = {"nb": [0.5, 0.25, 1.0], "svm": [0.25, 0.5, 0.0]}
LABELS = ["a", "b", "a"]
MAKERS: dict[str, Callable[[Any], Any]] = {
    "numpy": np.array,
    "pandas": pd.Series,
    "polars": pl.Series,
    "pyarrow": pa.array,
}


@pytest.mark.parametrize("package", MAKERS)
def test_exact_arrays_and_series_are_written_as_lists(package: str) -> None:
    make = MAKERS[package]
    request = {
        "kind": "losses",
        "losses": {name: make(values) for name, values in LOSSES.items()},
        "block": make(LABELS),
        "n_train": make([9, 9, 8]),
    }

    assert json.loads(encode_request(request)) == {
        "kind": "losses",
        "losses": LOSSES,
        "block": LABELS,
        "n_train": [9, 9, 8],
    }


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_exact_a_frame_is_an_object_of_columns(make: Callable[[Any], Any]) -> None:
    assert json.loads(encode_request({"losses": make(LOSSES)})) == {"losses": LOSSES}


def test_exact_rows_by_block_and_single_numbers_of_numpy_are_written() -> None:
    request = {"losses": {"nb": np.arange(4.0).reshape(2, 2)}, "level": np.float32(0.5), "seed": 3}

    assert json.loads(encode_request({**request, "n": np.int64(4), "clip": np.bool_(True)})) == {
        "losses": {"nb": [[0.0, 1.0], [2.0, 3.0]]},
        "level": 0.5,
        "seed": 3,
        "n": 4,
        "clip": True,
    }


def test_exact_submissions_have_the_arrays_as_lists() -> None:
    request = {"kind": "losses", "losses": {n: np.array(v) for n, v in LOSSES.items()}}
    with run_stub(evaluation("queued")) as stub, Client(stub.url) as client:
        client.submit(request)
        body = stub.requests[0].body

    assert json.loads(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body) == {
        "kind": "losses",
        "losses": LOSSES,
    }


def test_invalid_values_are_named() -> None:
    with pytest.raises(TypeError, match=r"type builtins.object, which cannot be written"):
        encode_request({"losses": object()})
    with pytest.raises(TypeError, match=r"builtins.complex"):
        encode_request({"losses": {"a": np.array([1j])}})
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode_request({"losses": {"a": np.array([np.nan])}})

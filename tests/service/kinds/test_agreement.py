"""Kind ``agreement``, inline and from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import thetahat
from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from thetahat.errors import EvaluationError

ANNA = ["good", "bad", "good", "good", "bad", "good", "bad", "good"]
JUDGE = ["good", "bad", "bad", "good", "bad", None, "good", "good"]
CLUSTER = [1, 1, 2, 2, 3, 3, 4, 4]
INLINE: dict[str, Any] = {
    "kind": "agreement",
    "ratings": {"anna": ANNA, "judge": JUDGE, "ben": ANNA[::-1]},
    "truth": "anna",
    "cluster": CLUSTER,
    "seed": 5,
}


def test_exact_the_library_says_the_same() -> None:
    found = run_kind(INLINE).result

    ours = thetahat.measure_agreement(
        INLINE["ratings"], truth="anna", cluster=CLUSTER, seed=5
    ).to_dict()
    for key in ("coefficients", "pairs", "raters", "categories"):
        assert found[key] == ours[key]


def test_exact_a_file_says_the_same(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {**INLINE["ratings"], "document": CLUSTER})
    stored = {
        "kind": "agreement",
        "dataset": str(file.id),
        "columns": {"ratings": ["anna", "judge", "ben"], "cluster": "document"},
        "truth": "anna",
        "seed": 5,
    }

    assert run_kind(stored, [file]).result == run_kind(INLINE).result


@pytest.mark.parametrize(
    ("fields", "place", "words"),
    [
        ({"ratings": None}, "ratings", "either ratings or a dataset"),
        ({"columns": {"ratings": ["a", "b"]}}, "columns", "no dataset"),
        ({"truth": "carl"}, "truth", "not one of the raters"),
        ({"scale": "ordinal"}, "categories", "order"),
        ({"cluster": CLUSTER[1:]}, "cluster", "7 entries"),
        ({"level": 95.0}, "level", "level"),
        ({"n_resamples": 10**6}, "n_resamples", "from 1 to"),
    ],
)
def test_invalid_requests(fields: Any, place: str, words: str) -> None:
    with pytest.raises(EvaluationError, match=words) as caught:
        run_kind({**INLINE, **fields})
    assert ".".join(map(str, place_of(caught.value))) == place


def test_invalid_columns(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"a": [1, 0, 1], "b": [1, 1, 0], "c": ["x", None, "y"]})
    body: dict[str, Any] = {"kind": "agreement", "dataset": str(file.id)}
    with pytest.raises(Exception, match="no column 'd'"):
        run_kind({**body, "columns": {"ratings": ["a", "d"]}}, [file])
    with pytest.raises(EvaluationError, match="names a column twice"):
        run_kind({**body, "columns": {"ratings": ["a", "a"]}}, [file])
    with pytest.raises(EvaluationError, match="Row 1 has no cluster"):
        run_kind({**body, "columns": {"ratings": ["a", "b"], "cluster": "c"}}, [file])
    with pytest.raises(EvaluationError, match="is a column"):
        run_kind({**body, "columns": {"ratings": ["a", "b"]}, "cluster": [1, 2, 3]}, [file])

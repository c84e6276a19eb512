"""Logs whose scores are lists: perplexities, and the instructions of IFEval.

The formulas are those of lm-evaluation-harness (``weighted_perplexity`` and ``bits_per_byte`` of
``lm_eval/api/metrics.py``, ``agg_inst_level_acc`` of ``lm_eval/tasks/ifeval/utils.py``).
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.model_logs import inspect_json
from tests.service.kinds.run_requests import run_kind
from tests.service.kinds.test_logs import INSPECT, JSONL, request, uploaded
from thetahat.errors import EvaluationError
from thetahat_service.kinds.base import DatasetFile

RNG = np.random.default_rng(20_261_127)
N = 25
WORDS = np.ceil(RNG.lognormal(3, 1, N))
LIKELIHOODS = {name: -WORDS * RNG.normal(rate, 0.3, N) for name, rate in (("a", 2.2), ("b", 2.3))}


def harness(folder: Path, name: str, score: str, values: list[Any]) -> DatasetFile:
    lines = [
        json.dumps({"doc_id": i, "doc": {"page": i % 5}, "doc_hash": f"h{i}", score: value})
        for i, value in enumerate(values)
    ]
    return uploaded(folder, name, JSONL, "\n".join(lines).encode())


def compare(folder: Path, score: str, values: dict[str, list[Any]], **more: Any) -> dict[str, Any]:
    files = [harness(folder, name, score, of_model) for name, of_model in values.items()]
    body = request(files, score, **more)
    for entry, name in zip(body["logs"]["files"], values, strict=True):
        entry["model"] = name
    return run_kind(body, files).result


def pairs() -> dict[str, list[Any]]:
    return {
        name: [[float(ll), int(n)] for ll, n in zip(each, WORDS, strict=True)]
        for name, each in LIKELIHOODS.items()
    }


@pytest.mark.parametrize(
    ("score", "find"),
    [
        ("word_perplexity", lambda ll, n: math.exp(-sum(ll) / sum(n))),
        ("byte_perplexity", lambda ll, n: math.exp(-sum(ll) / sum(n))),
        ("bits_per_byte", lambda ll, n: -sum(ll) / sum(n) / math.log(2)),
    ],
)
def test_exact_perplexities_are_those_of_the_harness(tmp_path: Path, score: str, find: Any) -> None:
    result = compare(tmp_path, score, pairs(), include="all")

    for name, of_model in LIKELIHOODS.items():
        assert_allclose(result["models"][name]["mean"]["pooled"], find(of_model, WORDS), rtol=1e-12)
    a, b = LIKELIHOODS.values()
    keep = [np.arange(N) != i for i in range(N)]
    differences = np.array([find(a[k], WORDS[k]) - find(b[k], WORDS[k]) for k in keep])
    variance = (N - 1) / N * np.sum((differences - differences.mean()) ** 2)
    comparison = result["comparisons"][0]
    half = (comparison["interval"]["upper"] - comparison["interval"]["lower"]) / 2
    assert_allclose(half, 2.0638985616280205 * math.sqrt(variance), rtol=1e-9)  # t of 24, 97.5 %
    assert result["summary"]["better"] == "lower"
    assert comparison.get("wins") is None
    assert "ratio_of_sums" in [caution["code"] for caution in result["cautions"]]


def test_exact_instructions_are_counted_over_all_items(tmp_path: Path) -> None:
    flags = {
        name: [(RNG.random(1 + i % 3) < share).tolist() for i in range(N)]
        for name, share in (("a", 0.8), ("b", 0.4))
    }

    result = compare(tmp_path, "inst_level_strict_acc", flags)

    for name, of_model in flags.items():
        flat = [flag for each in of_model for flag in each]
        assert_allclose(result["models"][name]["mean"]["pooled"], np.mean(flat), rtol=1e-12)
        assert result["models"][name]["n"] == N
    assert result["summary"]["better"] == "higher"


def test_exact_instructions_of_inspect_ai_are_over_their_number(tmp_path: Path) -> None:
    runs: dict[int | str, list[Any]] = {
        i: [{"inst_level_strict": i % 3, "num_instructions": 1 + i % 4 + i % 3}] for i in range(9)
    }
    file = uploaded(tmp_path, "a", INSPECT, inspect_json("ifeval", "m", runs, "following"))

    body = request([file], "following.inst_level_strict", better="higher")
    result = run_kind(body, [file]).result

    share = sum(i % 3 for i in range(9)) / sum(1 + i % 4 + i % 3 for i in range(9))
    assert_allclose(result["models"]["m"]["mean"]["pooled"], share, rtol=1e-12)


def test_exact_a_perplexity_of_log_likelihoods_is_that_of_the_harness(tmp_path: Path) -> None:
    """``perplexity`` of LAMBADA: exp(-mean), and the lowest mean would be the worst model."""
    values = {"good": [-0.5, -1.0, -0.2] * 5, "bad": [-3.0, -2.5, -4.0] * 5}

    result = compare(tmp_path, "perplexity", values)

    for name, of_model in values.items():
        expected = math.exp(-np.mean(of_model))
        assert_allclose(result["models"][name]["mean"]["pooled"], expected, rtol=1e-12)
    assert result["summary"]["best_model"] == "good"


def test_exact_perplexities_of_tasks_are_computed_in_each(tmp_path: Path) -> None:
    files, entries = [], []
    expected: dict[tuple[str, str], list[list[float]]] = {}
    for task in ("news", "code", "talk"):
        for name, of_model in pairs().items():
            values = [of_model[i] for i in RNG.permutation(N)[:10].tolist()]
            values = values if name == "a" else [[ll - 1, n] for ll, n in expected[task, "a"]]
            expected[task, name] = values
            files.append(harness(tmp_path, f"{task}-{name}", "word_perplexity", values))
            entries.append({"dataset": str(files[-1].id), "model": name, "task": task})
    logs = {"score": "word_perplexity", "files": entries, "cluster": "doc.page"}

    result = run_kind({"kind": "losses", "logs": logs}, files).result

    for name in ("a", "b"):
        of_tasks = [
            math.exp(-sum(ll for ll, _ in v) / sum(n for _, n in v))
            for (_, model), v in expected.items()
            if model == name
        ]
        assert_allclose(result["models"][name]["mean"]["macro"], np.mean(of_tasks), rtol=1e-12)


@pytest.mark.parametrize(
    ("score", "values", "message"),
    [
        ("word_perplexity", [[-3.0, 2]] * 4 + [[-3.0, 2, 1]], "is a list in some rows"),
        ("word_perplexity", [[-3.0, 2]] * 4 + [[-3.0, -2]], "of row 4 is no number"),
        ("word_perplexity", [[-3.0, 2]] * 4 + [7.5], "of row 4 is no number"),
        ("word_perplexity", [[-3.0, 2]] * 4 + [None], "1 of 5 items have no score"),
        ("perplexity", [-3.0, 2.5, -1, -4], "3 of 4 values of the score 'perplexity' are not"),
        ("mcc", [[0, 1], [1, 1], [0, 0]], "are for the kind predictions"),
        ("inst_level_loose_acc", [[True], [], ["yes"]], "is a list in some rows"),
    ],
)
def test_invalid_lists_are_named(
    tmp_path: Path, score: str, values: list[Any], message: str
) -> None:
    with pytest.raises(EvaluationError, match=message):
        compare(tmp_path, score, {"a": values}, better="lower")


def test_invalid_higher_perplexities_are_not_better(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="of which lower values are better"):
        compare(tmp_path, "word_perplexity", pairs(), better="higher")

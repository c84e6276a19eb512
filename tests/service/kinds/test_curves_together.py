"""Learners that differ in one parameter are run together in a learning curve, size by size."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import as_json, ran_but, run_kind
from tests.service.kinds.test_cross_validation import X, Y
from tests.service.kinds.test_learners_together import LIGHT
from thetahat.cross_validation import learner_groups
from thetahat_service.kinds.base import Chunks, Job
from thetahat_service.kinds.fitting import engine
from thetahat_service.kinds.learning_curve.request import LearningCurveRequest
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.outcomes.failure_arrays import encode_failure

NEAR = {f"k{k}": {"name": "nearest_neighbours", "params": {"k": k}} for k in (1, 3, 20)}
RIDGES = {f"r{p}": {"name": "ridge", "params": {"penalty": p}} for p in (0.1, 10)}
BODY: dict[str, Any] = {
    "kind": "learning_curve",
    **LIGHT,
    "data": {"X": X.tolist(), "y": Y.tolist()},
    "task": "regression",
    # a curve is drawn for each in the order of the request, whoever runs with whom
    "learners": {"k1": NEAR["k1"], **RIDGES, "mean": "mean", "k3": NEAR["k3"], "k20": NEAR["k20"]},
    "scheme": {"name": "k_fold", "params": {"n_folds": 4}},
    "sizes": [10, 0.6, 1],
}
TOO_FEW = "The training part has 10 rows"


def test_naive_each_by_itself_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    together = run_kind(BODY)
    monkeypatch.setattr(learner_groups, "MAX_NUMBERS_TOGETHER", 1)
    alone = run_kind(BODY, job=1)

    assert together.losses.column_names == alone.losses.column_names
    for name in together.losses.column_names:
        values, other = (table[name].to_numpy() for table in (together.losses, alone.losses))
        if values.dtype == np.float64:
            assert_allclose(values, other, rtol=1e-8, atol=1e-10)
        else:
            assert np.array_equal(values, other)
    for field in ("failures", "learners", "sizes"):
        assert together.result[field] == alone.result[field]
    assert list(together.result["curves"]) == list(BODY["learners"])
    failure = together.result["failures"]["k20"]["10"]
    assert list(together.result["failures"]) == ["k20"]
    assert failure["message"].startswith("Learner 'k20', repeat 0, block 0")
    assert TOO_FEW in failure["message"]


def test_exact_however_they_are_cut_no_bit_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_kind(BODY)
    monkeypatch.setattr(engine, "SMALL", 0)
    monkeypatch.setattr(engine, "WORTH_A_CHUNK", 1)
    cut = run_kind(BODY, job=1)

    assert cut.result == whole.result
    assert cut.losses == whole.losses


def test_degenerate_a_limit_fails_them_at_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SMALL", 0)
    kind, request = JOB_KINDS["learning_curve"], LearningCurveRequest.model_validate(BODY)
    job = Job(uuid4(), kind.name, request, 7)
    started = kind.start(job)
    assert isinstance(started, Chunks)
    parts = {chunk.part for chunk in started.chunks}
    assert parts == {
        f"{name} @ {size}"
        for name in ("k1 and 2 more", "r0.1 and 1 more", "mean")
        for size in ("10", "0.6", "1")
    }
    assert sum(chunk.size for chunk in started.chunks) == 6 * 4 * 3
    late = encode_failure("time_limit_exceeded", "It ran longer than a second.")
    outputs = ran_but(kind, job, started.chunks, "r0.1 and 1 more @ 0.6", late)
    result = as_json(kind.gather(job, outputs))

    assert {
        (name, size): failure["loc"]
        for name, of_one in result["failures"].items()
        for size, failure in of_one.items()
    } == {
        ("r0.1", "0.6"): ["learners", "r0.1"],
        ("r10", "0.6"): ["learners", "r10"],
        ("k20", "10"): ["learners", "k20"],
    }
    assert list(result["models"]) == list(BODY["learners"])


def test_exact_extra_fits_are_of_the_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    method = {"name": "out_of_bag", "params": {"n_resamples": 8}}
    body = {**BODY, "learners": RIDGES, "variances": [method]}
    monkeypatch.setattr(engine, "SMALL", 0)
    together = run_kind(body).result

    for name, learner in RIDGES.items():
        alone = run_kind({**body, "learners": {name: learner}}).result
        estimate, expected = (
            r["models"][name]["estimates"]["out_of_bag"] for r in (together, alone)
        )
        assert_allclose(estimate["estimate"], expected["estimate"], rtol=1e-8)

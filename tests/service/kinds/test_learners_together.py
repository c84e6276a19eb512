"""Learners that differ in one parameter are run together in a cross-validation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.service.kinds.run_requests import as_json, output_of, ran_but, run_kind
from tests.service.kinds.test_cross_validation import BODY, LABELS, X, Y
from tests.thetahat.learners.problems import problem
from thetahat.cross_validation import Group, learner_groups, run_path
from thetahat.errors import InsufficientData
from thetahat.learners.ridge import Ridge
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat_service.kinds.base import AllPartsFailed, Chunks, Job, run_chunks
from thetahat_service.kinds.cross_validation.plan import SPLITS, CrossValidationPlan, build_plan
from thetahat_service.kinds.cross_validation.request import CrossValidationRequest
from thetahat_service.kinds.fitting import engine
from thetahat_service.kinds.fitting.bundles import bundle_learners
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.outcomes.failure_arrays import FAILED, encode_failure

PENALTIES = [float(value) for value in np.geomspace(1e-3, 1e4, 8)]
RIDGES = {f"r{at}": {"name": "ridge", "params": {"penalty": v}} for at, v in enumerate(PENALTIES)}
FIVE = {"name": "k_fold", "params": {"n_folds": 5}}
LIGHT = {"variances": ["bayle_within"], "intervals": ["normal"], "tests": ["sign"]}
REGRESSION: dict[str, Any] = {
    **BODY,
    **LIGHT,
    "data": {"X": X.tolist(), "y": Y.tolist()},
    "learners": RIDGES,
    "scheme": FIVE,
}
NEAR: dict[str, Any] = {
    **BODY,
    **LIGHT,
    "task": "classification",
    "data": {"X": np.round(np.abs(X) * 2).tolist(), "y": LABELS},
    "learners": {
        **{f"k{k}": {"name": "nearest_neighbours", "params": {"k": k}} for k in (1, 4, 9)},
        "majority": "majority",
        **{
            f"d{k}": {"name": "nearest_neighbours", "params": {"k": k, "votes": "distance"}}
            for k in (2, 5, 9)
        },
    },
    "loss": "brier",
    "scheme": FIVE,
}


def few(*names: str) -> dict[str, Any]:
    return {**REGRESSION, "learners": {name: RIDGES[name] for name in names}}


def started(body: dict[str, Any]) -> tuple[Job[Any], Chunks]:
    kind = JOB_KINDS["cross_validation"]
    job = Job(uuid4(), body["kind"], kind.request.model_validate(body), 7)
    start = kind.start(job)
    assert isinstance(start, Chunks)
    return job, start


@pytest.mark.outside("sklearn.model_selection.cross_val_predict on the same splits")
def test_against_sklearn_eight_penalties() -> None:
    from sklearn.linear_model import Ridge as Theirs
    from sklearn.model_selection import cross_val_predict

    losses = run_kind(REGRESSION).losses
    cv = [(s.train, s.test) for s in KFold(n_folds=5).splits(Rows(n=60), 7)]
    at = np.array(losses["instance"])

    for name, penalty in zip(RIDGES, PENALTIES, strict=True):
        predictions = cross_val_predict(Theirs(alpha=penalty, solver="svd"), X, Y, cv=cv)
        assert_allclose(np.array(losses[name]), (predictions - Y)[at] ** 2, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(
    ("scheme", "variance"),
    [
        (FIVE, "theta_4"),
        ("leave_one_out", "bayle_all_pairs"),
        ("random_subsampling", "nadeau_bengio"),
    ],
)
@pytest.mark.parametrize("body", [REGRESSION, NEAR])
def test_naive_each_by_itself_gives_the_same(
    body: dict[str, Any], scheme: Any, variance: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {**body, "scheme": scheme, "variances": [variance]}
    together = run_kind(body)
    monkeypatch.setattr(learner_groups, "MAX_NUMBERS_TOGETHER", 1)
    alone = run_kind(body, job=1)

    assert together.losses.column_names == alone.losses.column_names
    for name in together.losses.column_names:
        values, other = (table[name].to_numpy() for table in (together.losses, alone.losses))
        if values.dtype == np.float64:
            assert_allclose(values, other, rtol=1e-8, atol=1e-10)
        else:
            assert_array_equal(values, other)
    assert together.result["learners"] == alone.result["learners"]
    paths = {name: values["path"] for name, values in together.result["learners"].items()}
    assert paths == {name: "plain" if name == "majority" else "fast" for name in paths}


def test_property_they_are_one_part_with_the_splits_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "SMALL", 0)
    _, cut = started(NEAR)

    parts: dict[str | None, int] = {}
    for chunk in cut.chunks:
        parts[chunk.part] = parts.get(chunk.part, 0) + chunk.size
    assert parts == {"k1 and 2 more": 15, "majority": 5, "d2 and 2 more": 15}


def test_exact_however_they_are_cut_no_bit_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_kind(NEAR)
    monkeypatch.setattr(engine, "SMALL", 0)
    monkeypatch.setattr(engine, "WORTH_A_CHUNK", 1)
    for parts in (3, 6, 64):
        monkeypatch.setattr(engine, "MOST_CHUNKS", parts)
        cut = run_kind(NEAR, job=parts)
        assert cut.result == whole.result
        assert cut.losses == whole.losses


@pytest.mark.parametrize("scheme", SCHEMES)
def test_exact_under_every_scheme_pieces_are_the_whole(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "WORTH_A_CHUNK", 1)
    monkeypatch.setattr(engine, "MOST_NUMBERS_OF_CHUNK", 400)
    n = 12
    of_rows = {"source": [i % 4 for i in range(n)], "time": list(range(n))}
    data = {"X": X[:n].tolist(), "y": LABELS[:n], "fold": [i % 3 for i in range(n)], **of_rows}
    few = {"n_folds": 2} if "stratified" in scheme or "source_k" in scheme else {}
    learners = {f"k{k}": {"name": "nearest_neighbours", "params": {"k": k}} for k in (1, 2)}
    body = {**NEAR, "data": data, "learners": learners, "scheme": {"name": scheme, "params": few}}
    kind, request = JOB_KINDS["cross_validation"], CrossValidationRequest.model_validate(body)
    job = Job(uuid4(), body["kind"], request, 7)
    plan = build_plan(job)
    whole, chunks = (engine.cut_into_chunks(plan, whole=whole) for whole in (True, False))
    assert len(whole) == 1
    assert len(chunks) == min(plan.n_splits, len(chunks)) > (plan.n_splits > 1)

    (expected, pieces) = (
        engine.JoinedOutputs(plan, run_chunks(kind, job, cut)).read_bundle(0)
        for cut in (whole, chunks)
    )
    for name in ("k1", "k2"):
        assert not expected[name].failures
        ((arrays,), parts) = (records[name].arrays[SPLITS] for records in (expected, pieces))
        for key in ("test", "losses", "output", "probabilities"):
            assert_array_equal(np.concatenate([part[key] for part in parts]), arrays[key])


def test_property_no_piece_hands_in_more_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SMALL", 0)
    monkeypatch.setattr(engine, "MOST_NUMBERS_OF_CHUNK", 8 * 12 * 3)  # one fold of all penalties
    _, cut = started(REGRESSION)
    assert [chunk.size for chunk in cut.chunks] == [8] * 5
    data = problem("plain", "regression")
    ridges = {f"r{at}": Ridge(penalty=at + 1.0) for at in range(5)}
    monkeypatch.setattr(learner_groups, "MAX_NUMBERS_TOGETHER", 2 * 3 * data.n)
    assert [bundle.names for bundle in bundle_learners(ridges, data, data.n)] == [
        ("r0", "r1"),
        ("r2", "r3"),
        ("r4",),
    ]


def test_degenerate_a_draw_that_is_refused_says_nothing_of_the_job_s() -> None:
    def splits(*_: Any, **__: Any) -> None:
        raise InsufficientData("fold 1 would have no row of class 'a'")

    scheme: Any = SimpleNamespace(splits=splits)
    rest: Any = dict.fromkeys(("job", "data", "learners", "loss", "all_own", "refits"))
    plan = CrossValidationPlan(rows=Rows(n=9), n_splits=3, scheme=scheme, **rest)
    assert plan.n_tests == 9


def test_exact_a_part_has_a_name_of_its_own() -> None:
    ridges = {"a": Ridge(penalty=1), "b": Ridge(penalty=2), "a and 1 more": Ridge(intercept=False)}
    parts = [bundle.part for bundle in bundle_learners(ridges, problem("plain", "regression"), 9)]
    assert parts == ["a and 1 more'", "a and 1 more"]


@pytest.mark.parametrize("small", [0, engine.SMALL])
def test_degenerate_a_refused_learner_fails_alone(
    small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "SMALL", small)
    greedy = {"name": "nearest_neighbours", "params": {"k": 55}}  # of 48 rows to learn from
    body = {**NEAR, "learners": {**NEAR["learners"], "greedy": greedy}}
    result = run_kind(body).result

    assert list(result["failures"]) == ["greedy"]
    failure = result["failures"]["greedy"]
    assert failure["loc"] == ["learners", "greedy"]
    assert failure["message"].startswith("Learner 'greedy', repeat 0, block 0")
    assert result["models"] == run_kind(NEAR).result["models"]


def test_degenerate_where_all_of_them_are_refused_each_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "SMALL", 0)
    greedy = {f"k{k}": {"name": "nearest_neighbours", "params": {"k": k}} for k in (55, 58)}
    job, cut = started({**NEAR, "learners": {**greedy, "majority": "majority"}})
    kind = JOB_KINDS["cross_validation"]
    outputs = run_chunks(kind, job, cut.chunks)

    assert [FAILED in output.read() for output in outputs] == [
        chunk.part == "k55 and 1 more" for chunk in cut.chunks
    ]
    failures = as_json(kind.gather(job, outputs))["failures"]
    for name in greedy:
        assert failures[name]["message"].startswith(f"Learner '{name}', repeat 0, block 0")
        assert failures[name]["loc"] == ["learners", name]


def test_exact_too_much_together_is_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def runs(group: Group, *rest: Any, **options: Any) -> Any:
        if len(group.names) > 1 or group.names[0] == "r1":
            raise MemoryError
        return run_path(group, *rest, **options)

    monkeypatch.setattr("thetahat_service.kinds.cross_validation.run.run_path", runs)
    result = run_kind(few("r1", "r2", "r3")).result

    assert result["failures"]["r1"]["code"] == "memory_limit_exceeded"
    assert result["failures"]["r1"]["loc"] == ["learners", "r1"]
    assert result["models"]["r2"] == run_kind(few("r2")).result["models"]["r2"]
    with pytest.raises(MemoryError):  # as of any learner: the worker tells it
        run_kind(few("r1"))


def test_degenerate_a_limit_fails_all_that_ran_into_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SMALL", 0)
    kind = JOB_KINDS["cross_validation"]
    job, cut = started({**NEAR, "learners": {**NEAR["learners"]}})
    late = encode_failure("time_limit_exceeded", "It ran longer than a second.")
    outputs = ran_but(kind, job, cut.chunks, "k1 and 2 more", late)
    result = as_json(kind.gather(job, outputs))

    assert {name: failure["loc"] for name, failure in result["failures"].items()} == {
        name: ["learners", name] for name in ("k1", "k4", "k9")
    }
    assert list(result["models"]) == ["majority", "d2", "d5", "d9"]
    with pytest.raises(AllPartsFailed, match="longer than a second"):
        kind.gather(job, [output_of(chunk, late) for chunk in cut.chunks])


def test_exact_extra_fits_of_each_are_those_of_each_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = {
        **few("r2", "r6"),
        "variances": [{"name": "bootstrap_632", "params": {"n_resamples": 10}}],
    }
    for k in (3, 20):
        near = {"name": "nearest_neighbours", "params": {"k": k}}
        body["learners"] = {**body["learners"], f"k{k}": near}
    monkeypatch.setattr(engine, "SMALL", 0)
    result = run_kind(body).result

    for name, learner in body["learners"].items():
        alone = run_kind({**body, "learners": {name: learner}}).result
        estimate, expected = (
            r["models"][name]["estimates"]["bootstrap_632"] for r in (result, alone)
        )
        numbers = [field for field in expected if isinstance(expected[field], float)]
        assert {"estimate", "standard_error"} <= set(numbers)
        for field in numbers:
            assert_allclose(estimate[field], expected[field], rtol=1e-8)

"""Several trainings on each split, as units of work of a service."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import numpy as np
import pytest

import thetahat
from tests.cases import each
from tests.presentation.reading import row_of, table_of
from tests.service.kinds.run_requests import as_json, place_of, run_kind
from thetahat.errors import EvaluationError
from thetahat_presentation.showing import show
from thetahat_service.errors import InvalidRequest
from thetahat_service.kinds.base import Chunks, Job, run_chunks
from thetahat_service.kinds.registry import JOB_KINDS

RNG = np.random.default_rng(36)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] + RNG.normal(size=60)
FOREST = {"name": "RandomForestRegressor", "params": {"n_estimators": 2}}
BODY: dict[str, Any] = {
    "kind": "cross_validation",
    "data": {"X": X.tolist(), "y": Y.tolist()},
    "task": "regression",
    "learners": {"forest": FOREST, "ridge": "ridge"},
    "scheme": {"name": "k_fold", "params": {"n_folds": 5}},
    "seeds": 3,
}


@pytest.fixture(scope="module")
def result() -> Any:
    return run_kind(BODY).result


def start(body: dict[str, Any]) -> tuple[Any, Job[Any], Chunks]:
    kind = JOB_KINDS[body["kind"]]
    request = kind.request.model_validate_json(json.dumps(body))
    job = Job(UUID(int=36), body["kind"], request, 7)
    started = kind.start(job)
    assert isinstance(started, Chunks)
    return kind, job, started


def test_exact_the_library_and_the_service_agree(result: Any) -> None:
    evaluated = thetahat.cross_validate(
        X, Y, {"forest": FOREST, "ridge": "ridge"}, task="regression", cv=5, seeds=3, seed=7
    ).to_dict()

    for part in ("models", "comparisons"):
        assert json.loads(json.dumps(evaluated[part])) == result[part]


def test_exact_units_of_any_order_and_cut_give_the_same_result(result: Any) -> None:
    kind, job, started = start(BODY)
    keys = [chunk.payload for chunk in started.chunks]
    pieces = []
    for chunk in started.chunks:
        cut = kind.cut_chunk(job, chunk, 1)
        pieces += [chunk] if cut is None else [cut.first, cut.rest]
    outputs = run_chunks(kind, job, pieces[::-1])

    assert len({json.dumps(key) for key in keys}) == len(keys)
    assert {key["stage"] for key in keys} == {"splits", "splits:1", "splits:2"}
    again = as_json(kind.gather(job, outputs))
    for part in ("models", "comparisons"):
        assert again[part] == result[part]


def test_exact_a_learner_without_random_numbers_is_one_unit_of_fits() -> None:
    _, _, started = start(BODY)
    fits: dict[str, int] = {}
    for chunk in started.chunks:
        part = str(chunk.part)
        fits[part] = fits.get(part, 0) + chunk.size

    assert fits == {"forest": 15, "ridge": 5}


def test_exact_a_partial_result_has_the_learners_with_all_their_trainings(result: Any) -> None:
    kind, job, started = start(BODY)
    ridge = run_chunks(kind, job, [chunk for chunk in started.chunks if chunk.part == "ridge"])
    partial = as_json(kind.gather(job, ridge))

    assert list(partial["models"]) == ["ridge"]
    assert partial["models"]["ridge"]["mean"] == result["models"]["ridge"]["mean"]


def test_unchanged_one_seed_has_the_units_and_numbers_of_none() -> None:
    without = {name: value for name, value in BODY.items() if name != "seeds"}
    one = {**BODY, "seeds": 1}

    units = [[chunk.payload for chunk in start(body)[2].chunks] for body in (one, without)]
    assert units[0] == units[1]
    assert run_kind(one).result["models"] == run_kind(without).result["models"]


@each(
    "changes,place",
    [
        ({"metrics": ["r2"]}, ("metrics",)),
        ({"calibration": True}, ("calibration",)),
        ({"variances": ["out_of_bag"]}, ("variances",)),
    ],
)
def test_invalid_what_is_about_single_trainings(changes: dict[str, Any], place: Any) -> None:
    with pytest.raises((EvaluationError, InvalidRequest)) as caught:
        run_kind({**BODY, **changes})
    assert place_of(caught.value) == place


@each("seeds", [0, 51, 2.5, True, "3", None])
def test_invalid_numbers_of_seeds(seeds: Any) -> None:
    with pytest.raises(ValueError, match="seeds"):
        JOB_KINDS["cross_validation"].request.model_validate_json(
            json.dumps({**BODY, "seeds": seeds})
        )


def test_exact_what_is_shown(result: Any) -> None:
    row = row_of(table_of(show(result), "Seeds"), "forest")
    seeds = result["models"]["forest"]["seeds"]

    assert row[1] == "3"
    assert float(row[2]) == pytest.approx(seeds["variance"] ** 0.5, rel=1e-3)
    assert row[3] == f"{100 * seeds['share']:.1f} %"
    assert row_of(table_of(show(result), "Seeds"), "ridge")[1:4] == [
        "1",
        "\N{EN DASH}",
        "\N{EN DASH}",
    ]

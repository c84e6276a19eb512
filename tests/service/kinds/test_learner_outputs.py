"""The arrays or failures of the learners of a chunk, as the chunk's output and back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.thetahat.learners.problems import problem
from thetahat.cross_validation import Group, build_rows, pack, run_path
from thetahat.cross_validation.result import LearnerFailure
from thetahat.errors import InsufficientData, Loc
from thetahat.learners.ridge import Ridge
from thetahat.losses.squared import Squared
from thetahat.schemes.k_fold import KFold
from thetahat_service.kinds.base import Arrays
from thetahat_service.kinds.fitting.engine import (
    ChunkKey,
    GroupOutputs,
    apply_unless_failed,
    run_together,
)
from thetahat_service.kinds.fitting.learner_outputs import (
    pack_learner_outputs,
    unpack_learner_outputs,
)
from thetahat_service.outcomes.failure_arrays import FAILED, encode_failure

DATA = problem("plain", "regression")
GROUPS = [
    Group(("a",), (Ridge(penalty=1),)),
    Group(("a", "b"), (Ridge(penalty=1), Ridge(penalty=2)), "penalty"),
]
KEY = ChunkKey(0, "splits", 0, 3)


def path_of(name: str) -> Loc:
    return ("learners", name)


def test_exact_shared_arrays_are_written_once_and_those_of_one_shape_are_stacked() -> None:
    failure = LearnerFailure(code="learner_failed", message="not today", loc=path_of("d"))
    outputs: dict[str, Mapping[str, np.ndarray] | LearnerFailure] = {
        "a": {"x": np.arange(3), "y": np.ones(2), "w": np.arange(2)},
        "b": {"x": np.arange(3), "y": np.zeros(2), "z": np.zeros(1), "w": np.arange(5)},
        "c": {"x": np.arange(3), "z": np.ones(1), "w": np.arange(2)},
        "d": failure,
    }
    packed = pack_learner_outputs(outputs)
    unpacked = unpack_learner_outputs(packed, ["a", "b", "c", "d"], path_of)

    assert sorted(packed) == ["0:w", "1:w", "all:x", "learners", "stacked:y", "stacked:z"]
    assert list(unpacked) == list(outputs)
    assert unpacked["d"] == failure
    for name in ("a", "b", "c"):
        before, after = outputs[name], unpacked[name]
        assert not isinstance(before, LearnerFailure)
        assert not isinstance(after, LearnerFailure)
        assert list(after) == list(before)
        for key, values in before.items():
            assert after[key].dtype == values.dtype
            assert_array_equal(after[key], values)


def test_exact_arrays_of_different_types_are_kept_apart() -> None:
    outputs: dict[str, Arrays] = {"a": {"x": np.arange(3)}, "b": {"x": np.arange(3.0)}}
    unpacked = unpack_learner_outputs(pack_learner_outputs(outputs), ["a", "b"], path_of)
    for name, arrays in outputs.items():
        after = unpacked[name]
        assert not isinstance(after, LearnerFailure)
        assert after["x"].dtype == arrays["x"].dtype


def test_exact_a_failure_of_the_chunk_is_one_of_each_learner() -> None:
    packed = encode_failure("time_limit_exceeded", "too long")
    assert unpack_learner_outputs(packed, ["a", "b"], path_of) == {
        name: LearnerFailure(code="time_limit_exceeded", message="too long", loc=path_of(name))
        for name in ("a", "b")
    }


@pytest.mark.parametrize("group", GROUPS)
def test_degenerate_splits_that_are_refused_are_refused_for_all(group: Group) -> None:
    def run_group(group: Group, key: ChunkKey) -> GroupOutputs:
        raise InsufficientData(f"{group.names} on {key.stop} splits: fold 1 would have no row")

    outputs = run_together(group, KEY, run_group, path_of)
    assert list(outputs) == list(group.names)
    for name, failure in outputs.items():
        assert isinstance(failure, LearnerFailure)
        assert "fold 1 would have no row" in failure.message
        assert failure.loc == path_of(name)
    assert FAILED in pack_learner_outputs(outputs)


def test_degenerate_outcomes_that_are_refused_are_those_of_one_learner() -> None:
    def refuse(arrays: Arrays) -> Arrays:
        raise InsufficientData(f"nothing among {len(arrays)} arrays")

    def run_group(group: Group, key: ChunkKey) -> GroupOutputs:
        splits = KFold(n_folds=3).splits(build_rows(DATA), 1, start=key.start, stop=key.stop)
        outcomes = run_path(group, DATA, splits, Squared(), 1)
        arrays = {name: apply_unless_failed(outcome, pack) for name, outcome in outcomes.items()}
        return {**arrays, "b": apply_unless_failed(arrays["b"], refuse)}

    outputs = run_together(GROUPS[1], KEY, run_group, path_of)
    assert not isinstance(outputs["a"], LearnerFailure)
    failure = outputs["b"]
    assert isinstance(failure, LearnerFailure)
    assert failure.message.startswith("nothing among")
    assert failure.loc == ("learners", "b")

"""The Ladder: published scores of outside vectors, by hand, and what changes none."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cases import each
from thetahat import EvaluationError, compute_ladder
from thetahat.analyses.ladder import add_submission
from thetahat.errors import InsufficientData, InvalidParameter


def test_by_hand_a_step_is_one_standard_error_of_the_difference() -> None:
    # the difference to the leader is -1 on k of 9 rows: mean -k/9, sd^2 = k (9 - k)/(9 * 8);
    # k = 1: 1/9 against a standard error of sqrt(8/72)/3 = 1/9, which is not more;
    # k = 2: .222 against sqrt(14/72)/3 = .147
    leader, one, two = np.ones(9), np.ones(9), np.ones(9)
    one[:1] = 0.0
    two[:2] = 0.0

    assert compute_ladder([leader, one, leader, two, one]) == [1.0, 1.0, 1.0, 7 / 9, 7 / 9]


@each("step", [None, 0.05])
def test_exact_the_same_submission_changes_nothing(step: float | None) -> None:
    rng = np.random.default_rng(3)
    submissions = list(rng.random((30, 50)))
    twice = [losses for losses in submissions for _ in range(2)]
    scores = compute_ladder(twice, step)

    assert scores[0] == scores[1]
    assert scores[::2] == scores[1::2] == compute_ladder(submissions, step)
    assert scores == sorted(scores, reverse=True)


def test_exact_submissions_are_counted() -> None:
    state = add_submission(None, np.array([1.0, 0.0]))
    same = add_submission(state, np.array([1.0, 1.0]))
    better = add_submission(same, np.array([0.0, 0.0]))

    assert [each.submissions for each in (state, same, better)] == [1, 2, 3]


@pytest.mark.calibration
def test_calibrated_chance_is_not_published() -> None:
    """Of 200 random guesses on 500 rows the best one has .5 - 2.75 * .0224 = .44; none is better.

    A step of one standard error of the difference (.0316 for independent guesses) lets the first
    few through. The mean over 40 repetitions of the last score has a standard error of .003.
    """
    rng = np.random.default_rng(20_261_127)
    last, best = [], []
    for _ in range(40):
        losses = (rng.random((200, 500)) < 0.5).astype(float)
        last.append(compute_ladder(list(losses))[-1])
        best.append(losses.mean(axis=1).min())

    assert np.mean(best) == pytest.approx(0.439, abs=0.004)
    assert np.mean(last) > np.mean(best) + 0.01


def test_invalid_submissions() -> None:
    with pytest.raises(InsufficientData, match="two rows"):
        compute_ladder([[0.0]])
    with pytest.raises(InvalidParameter, match="has 2 losses, and those before have 3"):
        compute_ladder([[0.0, 1.0, 1.0], [0.0, 1.0]])
    for losses in ([0.0, float("nan")], [[0.0, 1.0]]):
        with pytest.raises(InvalidParameter, match="finite numbers"):
            compute_ladder([losses])  # type: ignore[list-item]
    for step in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(EvaluationError, match="step"):
            compute_ladder([[0.0, 1.0]], step)

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from thetahat_replications.loops.drawn_words import add_words, score_blocks, score_others

# three documents of two words: (2, 1), (0, 3), (1, 0), of classes 1, 0, 0
INDPTR = np.array([0, 2, 3, 4], dtype=np.uint32)
INDICES = np.array([0, 1, 1, 0], dtype=np.uint32)
DATA = np.array([2, 1, 3, 1], dtype=np.uint16)
CLASSES = np.array([1, 0, 0], dtype=np.uint8)
LOGS = np.log(np.arange(20) + 1.0)
ROWS = np.array([0, 1, 1, 2], dtype=np.uint64)


def test_by_hand_words_of_drawn_documents() -> None:
    sums = np.zeros((2, 2), dtype=np.uint32)
    add_words(INDPTR, INDICES, DATA, CLASSES, ROWS, sums)
    # word 0 is in class 0 once, in class 1 twice; word 1 six times (a row comes twice) and once
    assert_array_equal(sums, [[1, 2], [6, 1]])


@pytest.mark.parametrize("common", [0, 1, 2])
def test_by_hand_scores_of_others(common: int) -> None:
    sums, scores = np.array([[1, 2], [6, 1]], dtype=np.uint32), np.empty(2)
    score_others(INDPTR, INDICES, DATA, ROWS[:2], common, sums, LOGS, scores)
    # log odds of the words are log(3/2) and log(2/7)
    assert_allclose(scores, [2 * np.log(1.5) + np.log(2 / 7), 3 * np.log(2 / 7)], rtol=1e-14)


@pytest.mark.parametrize("common", [[0, 0, 0], [2, 1, 0]])
def test_by_hand_scores_without_the_own_block(common: list[int]) -> None:
    sums, scores = np.array([[1, 2], [6, 1]], dtype=np.uint32), np.empty(4)
    starts = np.array([0, 2, 2, 4])
    arrays = INDPTR, INDICES, DATA, CLASSES, ROWS, starts, np.array(common), sums, LOGS
    score_blocks(*arrays, scores)
    # without rows 0 and 1 there are 1, 0 of word 0 and 3, 0 of word 1; without 1 and 2: 0, 2; 3, 1
    first, second = np.log([1 / 2, 1 / 4]), np.log([3 / 1, 2 / 4])
    expected = [2 * first[0] + first[1], 3 * first[1], 3 * second[1], second[0]]
    assert_allclose(scores, expected, rtol=1e-14)

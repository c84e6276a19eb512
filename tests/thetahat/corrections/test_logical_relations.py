"""Corrections that know which equalities can be true together."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.corrections import adjust, choose_correction_of_bounds, explain_refusal
from thetahat.corrections.bergmann_hommel import list_exhaustive_sets
from thetahat.corrections.shaffer import count_equal_pairs
from thetahat.errors import InvalidParameter
from thetahat.values.types import Alternative, FloatArray

LOGICAL = ("shaffer", "bergmann_hommel")


def adjusted(p_values: list[float], correction: str) -> FloatArray:
    return np.array(adjust(p_values, correction), dtype=np.float64)


@pytest.mark.outside("Shaffer (1986), table 2, as Garcia and Herrera (2008) print S(k) for k = 5")
def test_golden_numbers_of_true_equalities() -> None:
    # five models: one group of 5, 4, 3 + 2, 3, 2 + 2, 2 or none: 10, 6, 4, 3, 2, 1, 0 pairs
    assert count_equal_pairs(5).tolist() == [0, 1, 2, 3, 4, 6, 10]
    assert count_equal_pairs(4).tolist() == [0, 1, 2, 3, 6]
    # 200 models in one group, then 199 and one alone
    assert count_equal_pairs(200)[-3:].tolist() == [
        198 * 197 / 2 + 1,
        199 * 198 / 2,
        200 * 199 / 2,
    ]


def test_exact_partitions_are_counted_by_bell_numbers() -> None:
    assert [len(list_exhaustive_sets(k)) for k in (2, 3, 4, 5, 9)] == [2, 5, 15, 52, 21_147]
    assert len(np.unique(list_exhaustive_sets(6), axis=0)) == len(list_exhaustive_sets(6)) == 203


@pytest.mark.about("corrections/bergmann_hommel")
def test_naive_exhaustive_sets_are_what_equalities_imply() -> None:
    """Of all 64 sets of pairs of four models those that are transitive."""
    pairs = list(itertools.combinations(range(4), 2))
    sets = set()
    for chosen in itertools.product([False, True], repeat=6):
        equal = {pair for pair, is_in in zip(pairs, chosen, strict=True) if is_in}
        linked = equal | {(b, a) for a, b in equal}
        closed = all((a, d) in linked for a, b in linked for c, d in linked if b == c and a != d)
        if closed:
            sets.add(chosen)

    assert sets == {tuple(row) for row in list_exhaustive_sets(4).tolist()}
    assert {sum(chosen) for chosen in sets} == set(count_equal_pairs(4).tolist())


@pytest.mark.about("corrections/shaffer")
def test_limit_three_models_shaffer_is_the_protected_test() -> None:
    # one of three equalities false: at most one of the other two is true
    assert_allclose(adjusted([0.01, 0.04, 0.03], "shaffer"), [0.03, 0.04, 0.03], rtol=1e-14)
    assert_allclose(adjusted([0.01, 0.04, 0.03], "bergmann_hommel"), [0.03, 0.04, 0.03], rtol=1e-14)


@pytest.mark.parametrize("correction", LOGICAL)
def test_degenerate_some_p_values_of_all_pairs_are_missing(correction: str) -> None:
    p: list[float | None] = [0.01, None, 0.02, None, 0.2, 0.03]
    full = adjust([0.01 if v is None else v for v in p], correction)

    p_values = adjust(p, correction)

    assert p_values[1] is None
    assert p_values[3] is None
    for ours, raw, with_all in zip(p_values, p, full, strict=True):
        if ours is not None:
            assert raw is not None
            assert with_all is not None
            assert raw <= ours <= with_all


@pytest.mark.parametrize("correction", LOGICAL)
def test_invalid_number_of_pairs(correction: str) -> None:
    with pytest.raises(InvalidParameter, match="no number of models has exactly 4 pairs"):
        adjust([0.1, 0.2, 0.3, 0.4], correction)


def test_invalid_too_many_models() -> None:
    with pytest.raises(InvalidParameter, match="at most 9 of them, and there are 10"):
        adjust([0.5] * 45, "bergmann_hommel")


def test_invalid_what_does_not_go_with_logical_relations() -> None:
    two = Alternative.TWO_SIDED
    for correction in LOGICAL:
        assert explain_refusal(correction, 9, None, two) is None
        assert "control" in (explain_refusal(correction, 4, "a", two) or "")
        assert "less" in (explain_refusal(correction, 4, None, Alternative.LESS) or "")
    assert "at most 9 models, and there are 10" in (
        explain_refusal("bergmann_hommel", 10, None, two) or ""
    )
    assert explain_refusal("shaffer", 200, None, two) is None
    assert explain_refusal("holm", 200, "a", Alternative.LESS) is None


def test_exact_statements_about_a_margin_have_no_such_relations() -> None:
    assert [choose_correction_of_bounds(c) for c in LOGICAL] == ["holm", "holm"]
    assert choose_correction_of_bounds("finner") == "finner"

"""Conventions of other packages in tests of many models: here each is named, or not made."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from tests.thetahat.multiple_tests.many import by_source, demsar, details_of, outcome_of


@pytest.mark.outside("scmamp: 9.279; scipy and autorank: 10.228 (vector demsar_2006)")
def test_golden_friedman_has_two_conventions_for_ties_and_both_are_named() -> None:
    """Friedman's statistic of Demsar's table: scmamp 9.279, scipy and autorank 10.228.

    scmamp leaves the correction for ties out, and scipy and autorank make it; none of them says
    so in its output. Here it is the parameter ``ties``, echoed in the result.
    """
    corrected, printed = (outcome_of("friedman", demsar(), ties=t) for t in ("corrected", "none"))

    assert corrected.statistic == pytest.approx(10.2283464566929, rel=1e-12)
    assert printed.statistic == pytest.approx(9.278571428571437, rel=1e-12)
    assert (details_of(corrected)["ties"], details_of(printed)["ties"]) == ("corrected", "none")


def test_exact_nemenyi_takes_the_range_of_normals_at_infinite_degrees() -> None:
    """Nemenyi's critical difference: scmamp takes k (N - 1) degrees of freedom and gets 1.295.

    Mean ranks have a known variance, so that their range is that of normals, as in autorank and
    in Demsar's table: 1.254.
    """
    ours = details_of(outcome_of("nemenyi", demsar()))["critical_difference"]

    scale = math.sqrt(4 * 5 / (6 * 14))
    theirs = stats.studentized_range.ppf(0.95, 4, 4 * 13) / math.sqrt(2) * scale
    assert theirs == pytest.approx(1.2951, abs=1e-4)
    assert ours == pytest.approx(1.2535591471176057, rel=1e-12)


def test_exact_pairs_after_aligned_ranks_have_the_error_of_aligned_ranks() -> None:
    """scmamp and KEEL give pairs of aligned ranks k (N + 1) / 6, Friedman's error times N.

    Aligned ranks run to k N and not to k: with four models two equal ones differ at .05 in two
    tables of five. Ours is the variance over permutations within rows; theirs has to be asked for
    by ``post_hoc: garcia``, and comes with a caution.
    """
    losses = np.random.default_rng(381).normal(size=(24, 4))
    ours, theirs = (
        outcome_of("aligned_ranks", by_source(losses), post_hoc=convention)
        for convention in ("permutation", "garcia")
    )

    assert ours.post_hoc is not None
    assert theirs.post_hoc is not None
    ratio = ours.post_hoc.standard_error / theirs.post_hoc.standard_error
    assert theirs.post_hoc.standard_error == pytest.approx(math.sqrt(4 * 25 / 6), rel=1e-12)
    # the size that theirs has where ours has .05
    assert 2 * special.ndtr(-1.959964 / ratio) > 0.3
    assert [c.code for c in theirs.cautions if c not in ours.cautions] == ["liberal_post_hoc"]

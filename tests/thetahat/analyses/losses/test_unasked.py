"""What fits but takes very long is done where it is named, and listed where it is not."""

from __future__ import annotations

import numpy as np
import pytest

from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.method_selection import select
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.paired_tests.bayesian_signed_rank import BayesianSignedRank
from thetahat.paired_tests.bootstrap_difference import BootstrapDifference
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind


def _holdout(n: int) -> Layout:
    return build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp))


def test_exact_a_bootstrap_of_very_many_units_is_left_out_with_its_reason() -> None:
    # 999 resamples, so that 300 300 units are the most of 3e8 draws
    assert BootstrapDifference().too_slow_by_default(_holdout(300_300)) is None
    layout = _holdout(300_301)
    selection = select("tests", None, PAIRED_TESTS, layout, Choices())
    reasons = {entry.name: entry.reason for entry in selection.left_out}
    assert reasons["bootstrap_difference"].startswith(
        "bootstrap_difference would draw 999 resamples of 300301 units"
    )
    assert "bootstrap_difference" not in {entry.name for entry in selection.methods}


def test_exact_named_methods_are_run_whatever_their_cost() -> None:
    tests = (ChosenMethod("boot", "bootstrap_difference", BootstrapDifference()),)
    selection = select("tests", tests, PAIRED_TESTS, _holdout(300_301), Choices())
    assert [entry.key for entry in selection.methods] == ["boot"]


@pytest.mark.parametrize(("blocks", "too_much"), [(2000, False), (2001, True)])
def test_exact_draws_over_many_blocks_are_left_out(blocks: int, *, too_much: bool) -> None:
    layout = build_layout(BlockKind.SOURCE, np.arange(blocks))
    assert (BayesianSignedRank().too_slow_by_default(layout) is not None) is too_much

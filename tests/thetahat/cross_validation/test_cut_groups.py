"""Sources and clusters that a scheme cuts are named by a caution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thetahat
from tests.cases import each
from thetahat.schemes.base import Rows, Scheme
from thetahat.schemes.holdout import Holdout
from thetahat.schemes.time_series import TimeSeries

N = 60
Y = np.random.default_rng(20_261_126).normal(size=N)
CROSSES = ("sources_cross_blocks", "clusters_cross_blocks")


def find_cautions(scheme: str | Scheme, **roles: Any) -> dict[str, str]:
    result = thetahat.cross_validate(
        {"x": Y**2}, Y, {"m": "mean"}, task="regression", scheme=scheme, **roles
    )
    return {c.code: c.message for c in result.cautions if c.severity == "serious"}


@each(
    "name",
    ["k_fold", "leave_one_out", "holdout", "time_series", "random_subsampling", "bootstrap"],
)
def test_exact_a_scheme_that_cuts_sources_says_so(name: str) -> None:
    groups = [f"s{i % 5}" for i in range(N)]

    found = find_cautions(name, source=groups, cluster=groups, time=np.arange(N))

    assert "scheme cuts 5 of the 5 sources" in found["sources_cross_blocks"]
    assert found["clusters_cross_blocks"].startswith("5 of 5 clusters")


@each("name", ["leave_one_source_out", "source_k_fold"])
def test_exact_a_scheme_that_leaves_sources_out_says_nothing(name: str) -> None:
    groups = [f"s{i % 12}" for i in range(N)]

    assert "sources_cross_blocks" not in find_cautions(name, source=groups)


def test_exact_folds_of_whole_sources_cut_none() -> None:
    groups = [f"s{i % 12}" for i in range(N)]
    fold = [i % 3 for i in range(N)]  # of four whole sources each

    assert not find_cautions("predefined", source=groups, fold=fold).keys() & {*CROSSES}
    fold[0] = 1  # a row of s0, whose others are in fold 0
    found = find_cautions("predefined", source=groups, fold=fold)
    assert "scheme cuts 1 of the" in found["sources_cross_blocks"]


@pytest.mark.parametrize("scheme", [TimeSeries(n_folds=3, test_size=10), Holdout(test_size=0.25)])
def test_naive_training_rows_decide_and_not_rows_that_are_never_tested(scheme: Scheme) -> None:
    # the groups are stretches of time of 12 rows, so forward chaining cuts few of them
    groups = np.arange(N) // 12
    rows = Rows(n=N, time=np.arange(N))
    cut = {
        int(group)
        for split in scheme.splits(rows, 0)
        for group in set(groups[split.train]) & set(groups[split.test])
    }

    found = find_cautions(scheme, source=groups, time=np.arange(N))

    assert f"scheme cuts {len(cut)} of the" in found["sources_cross_blocks"]

"""Splits whose test parts may overlap: which methods are for them, and what they are given."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.cases import each
from tests.thetahat.analyses.losses.tables import evaluated_with_weights, result_of, table_of
from thetahat.analyses.losses import Choices, ChosenMethod, check
from thetahat.analyses.losses.method_selection import REGISTRIES
from thetahat.analyses.losses.plans import plan
from thetahat.analyses.losses.verdict_basis import VerdictBasis
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.paired_tests.wilcoxon import Wilcoxon
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout, build_layout, build_score_layout
from thetahat.values.types import BlockKind, Target
from thetahat.variances import VARIANCES

KIND = BlockKind.SUBSAMPLES
FITS = {
    family: {
        name
        for name, method in methods.items()
        if KIND in method.info.blocks
        and not method.info.by_request_only
        and not name.startswith("newey_west")  # for splits in the order of time
    }
    for family, methods in REGISTRIES.items()
}
"""What is for test parts that overlap; the golden result ``losses_subsamples`` has the names."""


def drawn(n: int = 30, n_test: int = 6, n_draws: int = 8, seed: int = 5, **more: Any) -> Layout:
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.permutation(n)[:n_test] for _ in range(n_draws)])
    return build_layout(
        KIND,
        np.repeat(np.arange(n_draws), n_test),
        **{"instance": rows, "n_train": float(n - n_test), **more},
    )


def losses(layout: Layout, shift: float = 0.3, seed: int = 9) -> LossTable:
    rng = np.random.default_rng(seed)
    base = rng.gamma(2.0, size=layout.n_rows)
    return table_of(layout, {"a": base, "b": base + shift + rng.normal(size=layout.n_rows)})


@each("family,name", [(family, name) for family in FITS for name in REGISTRIES[family]])
def test_exact_all_others_are_refused_with_a_reason(family: str, name: str) -> None:
    method = REGISTRIES[family][name]
    if name in FITS[family] or method.info.by_request_only:
        return
    chosen: Any = {family: (ChosenMethod(name, name, method()),)}

    with pytest.raises(
        UnsupportedCombination, match=rf"{name} is for .* and these are sub|needs the time"
    ):
        check(drawn(), Choices(**chosen), ["a", "b", "c"])


def test_exact_variances_and_intervals_of_a_result() -> None:
    result = result_of(losses(drawn()))

    assert set(result["models"]["a"]["variances"]) == FITS["variances"]
    assert {i["method"] for i in result["models"]["a"]["intervals"]} == FITS["intervals"]
    (compared,) = result["comparisons"]
    assert set(compared["tests"]) == FITS["tests"]
    recommended = [i for i in result["models"]["a"]["intervals"] if i["recommended"]]
    assert [(i["method"], i["variance"], i["target"]) for i in recommended] == [
        ("skewness_corrected", "nadeau_bengio_calibrated", "these_sources")
    ]
    assert compared["verdict"]["target"] == "these_sources"
    assert "no_partition" in {caution["code"] for caution in result["cautions"]}
    assert result["covariance"]["models"] == {}
    assert "same instances" in result["covariance"]["reason"]


def test_by_hand_corrected_variance_of_three_splits() -> None:
    # split means 1, 2, 4.5: mean 2.5, S^2 = (2.25 + 0.25 + 4) / 2 = 3.25; two test rows of ten,
    # so (1/3 + 2/8) 3.25 = 7/12 x 3.25 = 1.8958333
    layout = build_layout(KIND, [0, 0, 1, 1, 2, 2], instance=[0, 1, 1, 2, 0, 2], n_train=8.0)
    table = table_of(layout, {"a": [0.0, 2.0, 1.0, 3.0, 4.0, 5.0]})

    model = result_of(table)["models"]["a"]

    assert model["variances"]["nadeau_bengio"]["value"] == pytest.approx(7 / 12 * 3.25, rel=1e-14)
    assert model["mean"] == {"macro": 2.5, "pooled": 2.5, "blocks": [1.0, 2.0, 4.5]}
    assert (model["n"], model["blocks"]) == (3, 3)


def test_exact_theta_t_is_the_corrected_test_here() -> None:
    tests = result_of(losses(drawn()))["comparisons"][0]["tests"]

    for field in ("statistic", "p_value", "degrees_of_freedom"):
        assert tests["theta_t"][field] == tests["nadeau_bengio_t"][field]
    assert tests["theta_t"]["variance"] == "nadeau_bengio"


def test_exact_instances_are_tested_on_their_means_over_splits() -> None:
    layout = drawn()
    table = losses(layout)
    assert layout.instance is not None
    difference = table.models["a"].rows - table.models["b"].rows
    means = np.array([difference[layout.instance == i].mean() for i in range(layout.n_instances)])

    outcome = result_of(table)["comparisons"][0]["tests"]["sign"]

    assert outcome["unit"] == "instance"
    assert (outcome["a_better"], outcome["b_better"]) == ((means < 0).sum(), (means > 0).sum())
    assert [c["code"] for c in outcome["cautions"]] == ["ignores_training_variance"]


def test_exact_one_score_per_split_says_the_same() -> None:
    layout = drawn()
    table = losses(layout)
    by_scores = build_score_layout(KIND, np.full(8, 24.0), np.full(8, 6.0), None, 1)
    scores = {
        name: BlockLosses(by_scores, scores=m.moments.means) for name, m in table.models.items()
    }

    of_rows, of_scores = result_of(table), result_of(LossTable(by_scores, scores))

    for name in ("a", "b"):
        assert_allclose(
            of_scores["models"][name]["variances"]["nadeau_bengio"]["value"],
            of_rows["models"][name]["variances"]["nadeau_bengio"]["value"],
            rtol=1e-12,
        )
    assert set(of_scores["comparisons"][0]["tests"]) == {
        "bayesian_correlated_t",
        "nadeau_bengio_t",
        "theta_t",
    }


def test_degenerate_nothing_known_of_the_training_parts() -> None:
    table = losses(drawn(n_train=None))

    result = result_of(table)

    left_out = {entry["name"]: entry["reason"] for entry in result["not_applicable"]}
    assert "training size of every split" in left_out["nadeau_bengio"]
    assert result["models"]["a"]["intervals"] == []
    assert result["comparisons"][0]["verdict"]["decision"] == "undecided"


def test_degenerate_rows_that_cannot_be_matched() -> None:
    layout = drawn(instance=None)

    reason = PAIRED_TESTS["sign"]().inapplicable(layout)

    assert reason == "sign by instance needs an instance column to match the rows of subsamples"
    assert result_of(losses(layout))["comparisons"][0]["effect_size"]["unit"] == "block"
    assert layout.n_instances == 30  # what the largest split learns from and is tested on
    assert drawn(instance=None, n_train=None).n_instances == 6


def planned(layout: Layout) -> Any:
    """Plan for a difference of two and a half standard errors."""
    basis = VerdictBasis(
        difference=1.0,
        standard_error=0.4,
        degrees_of_freedom=float(layout.n_splits - 1),
        target=Target.THESE_SOURCES,
        method="student_t",
        variance="nadeau_bengio",
        traits=VARIANCES["nadeau_bengio"].info.variance,
    )
    return plan(basis, layout, alpha=0.05, power=0.8, margin=None)[0]


def test_exact_more_draws_are_no_plan() -> None:
    design = planned(drawn(n=300, n_test=30, n_draws=5))

    assert design.unit == "instances"
    (other,) = design.alternatives
    assert other.unit == "repeats"
    assert "decided 21 % of the comparisons" in other.reason


def test_limit_splits_that_test_every_row_once_are_not_added_to() -> None:
    each = build_layout(KIND, np.repeat(np.arange(5), 6), instance=np.arange(30), n_train=24.0)

    design = planned(each)

    assert design.unit == "instances"
    assert design.alternatives == ()


def test_limit_there_are_no_more_splits_than_all() -> None:
    """Every two of six left out are 15 splits; with 14 of them one more can be drawn."""
    pairs = list(combinations(range(6), 2))
    for j in (15, 14):
        rows = [i for pair in pairs[:j] for i in pair]
        layout = build_layout(KIND, np.repeat(np.arange(j), 2), instance=rows, n_train=4.0)
        units = [other.unit for other in planned(layout).alternatives]
        assert units == (["repeats"] if j == 14 else [])


@pytest.mark.parametrize("unit", ["block", "cluster"])
def test_invalid_unit(unit: Any) -> None:
    reason = Wilcoxon(unit=unit).inapplicable(drawn())

    assert reason is not None
    assert ("may overlap" if unit == "block" else "cluster column") in reason


def test_invalid_repeats_of_subsamples() -> None:
    with pytest.raises(InvalidParameter, match="there are 2 repeats") as caught:
        build_layout(KIND, [0, 1, 0, 1], repeat=[0, 0, 1, 1])
    assert caught.value.loc == ("repeat",)

    with pytest.raises(InvalidParameter, match="leave repeats out") as caught:
        build_score_layout(KIND, np.full(4, 9.0), np.full(4, 1.0), None, 2)
    assert caught.value.loc == ("repeats",)


def test_exact_weighted_risks_take_each_instance_once() -> None:
    layout = drawn()
    table = losses(layout)
    weights = np.linspace(0.5, 1.5, layout.n_rows)

    risks = evaluated_with_weights(table, Choices(), 3, weights)["models"]["a"]["risks"]["weighted"]

    assert layout.instance is not None
    rows = [layout.instance == i for i in range(layout.n_instances)]
    terms = [table.models["a"].rows[at].mean() * weights[at].mean() for at in rows]
    assert risks["estimate"] == pytest.approx(np.mean(terms), rel=1e-12)

# ruff: noqa: ARG002 - the methods made up here keep the arguments of their families
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.analyses.losses.tables import (
    evaluated,
    five_by_nine,
    named,
    result_of,
    scores_of,
    table_of,
)
from thetahat.analyses.losses import Choices, ChosenMethod
from thetahat.analyses.losses.bootstrap import prepare_resamples
from thetahat.analyses.losses.clipping import clip_interval, keep_in_range
from thetahat.analyses.losses.comparisons import Methods, compare
from thetahat.analyses.losses.inference import infer
from thetahat.analyses.losses.method_selection import SelectedMethods
from thetahat.analyses.losses.neighbours import NeighbourTests
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.pair_family import PairFamily
from thetahat.analyses.losses.parts import NO_PARTS
from thetahat.analyses.losses.result import NotApplicable
from thetahat.cautions import Caution
from thetahat.errors import InsufficientData, UnsupportedCombination
from thetahat.intervals.base import Interval
from thetahat.paired_tests.base import (
    PairBatch,
    PairedLosses,
    PairedTest,
    RandomStreams,
    TestOutcome,
)
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.json_values import to_json
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import Alternative, BlockKind, MeanKind, Target
from thetahat.variances.base import VarianceEstimate

INTERVAL = Interval(
    method="normal",
    variance="iid",
    target=Target.THESE_MODELS,
    mean=MeanKind.POOLED,
    estimate=0.05,
    standard_error=0.05,
    level=0.95,
    alternative=Alternative.TWO_SIDED,
    lower=-0.05,
    upper=0.15,
    degrees_of_freedom=None,
    cautions=(Caution("x", "y"),),
)


@dataclass(frozen=True)
class Picky(PairedTest):
    """A variance and a test that fit the layout but not the losses."""

    info: ClassVar[MethodInfo] = MethodInfo(name="picky", title="Picky", summary="Refuses.")

    def inapplicable(self, layout: Layout) -> str | None:
        return None

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        raise InsufficientData("these losses will not do")

    def test_pair(self, pair: PairedLosses, alternative: Alternative) -> TestOutcome:
        raise UnsupportedCombination("this pair will not do")


@dataclass(frozen=True)
class Halves(PairedTest):
    """A test whose p-value halves from pair to pair and that draws from its stream."""

    info: ClassVar[MethodInfo] = MethodInfo(name="halves", title="Halves", summary="Halves.")

    def inapplicable(self, layout: Layout) -> str | None:
        return None

    def test_many(
        self, batch: PairBatch, alternative: Alternative, streams: RandomStreams
    ) -> Sequence[TestOutcome]:
        rows = zip(batch.pairs, batch.positions.tolist(), strict=True)
        return [self._halve(pair, streams(*position)) for pair, position in rows]

    def _halve(self, pair: PairedLosses, rng: np.random.Generator) -> TestOutcome:
        p_value = 0.04 / 2 ** abs(pair.difference.moments.macro_mean)
        return TestOutcome(
            statistic=math.inf,
            p_value=None if p_value < 0.006 else p_value,
            degrees_of_freedom=None,
            target=Target.THESE_SOURCES,
            unit="block",
            details={"draw": rng.uniform(), "p_value": "never this"},
        )


def _left_out_of(chosen: ChosenMethod[Picky], *, is_named: bool) -> tuple[NotApplicable, ...]:
    table = five_by_nine(BlockKind.RANDOM)
    left_out = OmittedMethods()
    picky = SelectedMethods((chosen,), named=is_named)
    none: SelectedMethods[object] = SelectedMethods((), named=False)
    infer(table.models["nb"], picky, none, Choices(), None, left_out)  # type: ignore[arg-type]
    return left_out.list_all()


def test_degenerate_defaulted_variance_that_refuses_is_left_out_with_its_reason() -> None:
    assert _left_out_of(ChosenMethod("picky", "picky", Picky()), is_named=False) == (
        NotApplicable(name="picky", reason="these losses will not do", family="variances"),
    )


def test_degenerate_the_other_variances_keep_their_intervals() -> None:
    table = five_by_nine(BlockKind.RANDOM)
    theta_3 = named("variances", "theta_3")
    both = SelectedMethods((ChosenMethod("picky", "picky", Picky()), *theta_3), named=False)
    methods = SelectedMethods(named("intervals", "student_t"), named=False)

    inference = infer(table.models["nb"], both, methods, Choices(), None, OmittedMethods())

    assert [b.interval.variance for b in inference.built] == ["theta_3"]


def test_invalid_named_variance_that_refuses_is_an_error() -> None:
    with pytest.raises(InsufficientData, match="will not do"):
        _left_out_of(ChosenMethod("mine", "picky", Picky()), is_named=True)


def test_invalid_named_test_that_refuses_is_an_error() -> None:
    with pytest.raises(UnsupportedCombination, match="this pair"):
        result_of(five_by_nine(BlockKind.RANDOM), tests=(ChosenMethod("picky", "picky", Picky()),))


def test_degenerate_defaulted_test_that_refuses_is_left_out() -> None:
    table = five_by_nine(BlockKind.RANDOM)
    left_out = OmittedMethods()
    none: SelectedMethods[object] = SelectedMethods((), named=True)
    methods = Methods(
        none,  # type: ignore[arg-type]
        none,  # type: ignore[arg-type]
        SelectedMethods((ChosenMethod("picky", "picky", Picky()),), named=False),
    )

    choices = Choices(include=("tests",))

    (comparison,), _ = compare(
        table,
        methods,
        choices,
        1,
        dict.fromkeys(table.names),
        left_out,
        NO_PARTS,
        prepare_resamples(table, none, [], 1),  # type: ignore[arg-type]
        PairFamily.build(table, choices, 1),
        NeighbourTests.prepare(table, 1),
    )

    assert comparison.tests == {}
    assert left_out.list_all() == (
        NotApplicable(name="picky", reason="this pair will not do", family="tests"),
    )


def test_exact_adjusted_test_p_values_and_streams() -> None:
    layout = build_layout(BlockKind.SOURCE, [0, 0, 1, 1])
    table = table_of(
        layout, {"a": [0, 0, 0, 0], "b": [1, 1, 1, 1], "c": [3, 3, 3, 3], "d": [3.5, 3.5, 3.5, 4]}
    )
    chosen = (ChosenMethod("h", "halves", Halves()),)

    pairs = result_of(table, tests=chosen)["comparisons"]
    # differences 1, 3, 3.625 from a; 2, 2.625 from b; .625 from c: p of a-b .02, a-c .005 (none)
    outcomes = [c["tests"]["h"] for c in pairs]
    raw = [o["p_value"] for o in outcomes]
    assert raw[1] is None
    assert raw[2] is None
    assert_allclose([raw[0], raw[3]], [0.02, 0.01])
    # Holm over the four there are: .00648 x 4, .01 x 3, .02 x 2, .0259 x 1 lifted to .04
    p_bd = 0.04 / 2**2.625
    assert_allclose(
        [outcomes[i]["p_value_adjusted"] for i in (4, 3, 0, 5)], [4 * p_bd, 0.03, 0.04, 0.04]
    )
    assert outcomes[1]["p_value_adjusted"] is None
    assert all(o["statistic"] is None for o in outcomes)  # infinite
    assert len({o["draw"] for o in outcomes}) == 6

    against_d = result_of(table, tests=chosen, control="d")["comparisons"]
    assert [(c["a"], c["b"]) for c in against_d] == [("a", "d"), ("b", "d"), ("c", "d")]
    # the stream belongs to the pair, not to its place in the list
    assert against_d[0]["tests"]["h"]["draw"] == outcomes[2]["draw"]


def test_exact_one_pair_has_no_adjusted_p_value() -> None:
    comparison = result_of(five_by_nine(BlockKind.SOURCE))["comparisons"][0]

    assert comparison["tests"]
    assert all(t["p_value_adjusted"] is None for t in comparison["tests"].values())


def test_exact_clipping() -> None:
    cut = clip_interval(INTERVAL, (0.0, 1.0), quantity="loss")

    assert (cut.lower, cut.upper) == (0.0, 0.15)
    assert [c.code for c in cut.cautions] == ["x", "interval_clipped_to_range"]
    assert "-0.05 to 0.15" in cut.cautions[1].message
    assert keep_in_range(INTERVAL, None, clip=True, quantity="loss") is INTERVAL
    assert clip_interval(INTERVAL, (-1.0, 1.0), quantity="loss") is INTERVAL


def test_exact_clipping_leaves_open_ends_open() -> None:
    less = replace(INTERVAL, lower=None, upper=1.2)
    greater = replace(INTERVAL, upper=None)

    assert clip_interval(less, (0.0, 1.0), quantity="loss").lower is None
    assert clip_interval(less, (0.0, 1.0), quantity="loss").upper == 1.0
    assert "open to 1.2" in clip_interval(less, (0.0, 1.0), quantity="loss").cautions[1].message
    assert clip_interval(greater, (0.0, 1.0), quantity="loss").upper is None


def test_degenerate_an_interval_outside_the_range_ends_at_its_edge() -> None:
    above = clip_interval(INTERVAL, (-1.0, -0.5), quantity="loss")
    below = clip_interval(INTERVAL, (0.5, 1.0), quantity="loss")

    assert (above.lower, above.upper) == (-0.5, -0.5)
    assert (below.lower, below.upper) == (0.5, 0.5)


def test_exact_clip_is_to_the_range_of_the_loss_or_the_request() -> None:
    table = five_by_nine(BlockKind.SOURCE)

    plain = result_of(table, clip=False)["models"]["nb"]["intervals"]
    own = result_of(table)
    assert own == result_of(table, clip=True)
    requested = result_of(table, range=(-0.05, 1.0))
    wide = result_of(table, level=0.999999)
    assert min(i["lower"] for i in plain if i["variance"]) < 0
    assert min(i["lower"] for i in own["models"]["nb"]["intervals"] if i["variance"]) == 0
    lowest = min(i["lower"] for i in requested["models"]["nb"]["intervals"] if i["variance"])
    assert lowest == -0.05
    (difference,) = (
        interval
        for interval in wide["comparisons"][0]["intervals"]
        if (interval["method"], interval["variance"]) == ("student_t", "nadeau_bengio")
    )
    assert (difference["lower"], difference["upper"]) == (-1.0, 1.0)
    assert difference["cautions"][-1]["code"] == "interval_clipped_to_range"
    assert requested["comparisons"][0]["verdict"] == result_of(table)["comparisons"][0]["verdict"]


def test_degenerate_clip_without_a_range() -> None:
    result = result_of(scores_of({"a": [0.1, 0.2, 0.4, 0.3, 0.3]}), clip=True)

    assert "range_unknown" in [c["code"] for c in result["cautions"]]


def test_exact_details_never_replace_fields() -> None:
    estimate = VarianceEstimate(
        value=-0.25,
        target=Target.THESE_SOURCES,
        mean=MeanKind.MACRO,
        estimate=1.0,
        degrees_of_freedom=4.0,
        usable=False,
        details={"value": 9, "ratio": np.float64(0.5)},
    )

    fields = to_json(estimate)
    assert fields["value"] == -0.25
    assert fields["standard_error"] is None
    assert fields["ratio"] == 0.5


def test_exact_arrays_have_no_standard_error() -> None:
    variances = result_of(five_by_nine(BlockKind.SOURCE))["models"]["nb"]["variances"]

    assert len(variances["theta_omega_k"]["value"]) == 5
    assert variances["theta_omega_k"]["standard_error"] is None
    assert variances["theta_gamma_kl"]["value"][0][0] is None


def test_exact_named_variances_only() -> None:
    result = result_of(
        five_by_nine(BlockKind.RANDOM),
        variances=named("variances", "theta_4"),
        intervals=named("intervals", "normal"),
        tests=(),
    )

    assert list(result["models"]["nb"]["variances"]) == ["theta_4"]
    assert [i["method"] for i in result["models"]["nb"]["intervals"]] == ["normal"]
    assert result["comparisons"][0]["tests"] == {}
    assert result["not_applicable"] == []


def test_degenerate_intervals_without_a_variance_are_left_out_with_the_reason() -> None:
    table = table_of(build_layout(BlockKind.HOLDOUT, [0]), {"nb": [0.5], "svm": [0.25]})

    result = evaluated(table, Choices(), seed=1)

    reasons = {e["name"]: e["reason"] for e in result["not_applicable"]}
    assert result["models"]["nb"]["intervals"] == []
    assert "needs a variance" in reasons["normal"]
    assert "needs a variance" in reasons["student_t"]
    assert "all 0 or 1" in reasons["wilson"]
    assert "all 0 or 1" in reasons["clopper_pearson"]


def test_invalid_a_named_share_of_losses_that_are_none() -> None:
    table = table_of(
        build_layout(BlockKind.HOLDOUT, [0, 0]), {"nb": [0.5, 1.0], "svm": [0.25, 0.0]}
    )

    with pytest.raises(UnsupportedCombination, match=r"wilson does not fit: .* all 0 or 1"):
        evaluated(table, Choices(intervals=named("intervals", "wilson")), seed=1)

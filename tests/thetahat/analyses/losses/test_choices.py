from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import thetahat
from tests.thetahat.analyses.losses.tables import five_by_nine, named
from thetahat.analyses.losses import Choices, ChosenMethod, check
from thetahat.analyses.losses.method_selection import select
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.paired_tests.sign import Sign
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, Target
from thetahat.variances import VARIANCES
from thetahat.variances.theta_4 import Theta4

FOLDS = five_by_nine(BlockKind.RANDOM).layout
SOURCES = five_by_nine(BlockKind.SOURCE).layout


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("level", 0.0),
        ("level", 1.0),
        ("level", float("nan")),
        ("power", 1.0),
        ("margin", 0.0),
        ("margin", float("inf")),
        ("margin", float("nan")),
        ("rope", -0.1),
        ("rope", float("inf")),
        ("range", (1.0, 1.0)),
        ("range", (0.0, float("nan"))),
        ("range", (float("-inf"), float("inf"))),
        ("correction", "scheffe"),
        ("paired_unit", "row"),
        ("unit", "a1"),
        ("unit", "block"),
        ("alternative", "both"),
        ("target", "these"),
    ],
)
def test_invalid_choices_name_their_field(field: str, value: Any) -> None:
    with pytest.raises(InvalidParameter, match=field) as caught:
        Choices(**{field: value})

    assert caught.value.loc == (field,)


def test_invalid_correction_names_those_there_are() -> None:
    with pytest.raises(
        InvalidParameter,
        match="benjamini_hochberg, benjamini_yekutieli, bergmann_hommel, bonferroni, finner, ",
    ):
        Choices(correction="scheffe")


def test_exact_defaults_and_good_values() -> None:
    choices = Choices(level=0.9, margin=0.1, rope=0.0, range=(0.0, 1.0), paired_unit="block")

    assert choices.alpha == pytest.approx(0.1, rel=1e-15)
    assert Choices().get_correction(8) == "holm"
    assert Choices().get_correction(9) == Choices(control="a").get_correction(3) == "max_t"
    assert Choices().power == 0.8


def test_invalid_key_twice() -> None:
    with pytest.raises(InvalidParameter, match="as") as caught:
        Choices(variances=named("variances", "theta_3", "theta_4", "theta_3"))

    assert caught.value.loc == ("variances", 2)


def test_exact_same_name_under_two_keys() -> None:
    first, second = (
        ChosenMethod("theta_4", "theta_4", Theta4()),
        ChosenMethod("again", "theta_4", Theta4()),
    )

    assert len(Choices(variances=(first, second)).variances or ()) == 2


def test_exact_defaults_leave_out_what_does_not_fit() -> None:
    selection = select("variances", None, VARIANCES, FOLDS, Choices())
    names = {entry.name for entry in selection.methods}
    left_out = {entry.name: entry for entry in selection.left_out}

    assert not selection.named
    assert {"theta_4", "nadeau_bengio"} <= names
    assert "quadratic" not in names | set(left_out)  # by request only
    assert left_out["theta_B"].family == "variances"
    assert "source" in left_out["theta_B"].reason


def test_exact_named_methods_are_taken_as_they_are() -> None:
    chosen = named("variances", "theta_4")

    selection = select("variances", chosen, VARIANCES, FOLDS, Choices())
    assert selection.named
    assert selection.methods == chosen
    assert selection.left_out == ()


def test_invalid_named_method_that_does_not_fit_names_those_that_do() -> None:
    choices = Choices(variances=named("variances", "theta_A", "theta_4"))

    with pytest.raises(UnsupportedCombination, match=r"theta_4.*fit: .*theta_A, theta_B") as caught:
        check(SOURCES, choices, ["nb", "svm"])

    assert caught.value.loc == ("variances", 1)
    assert caught.value.value == "theta_4"
    fits = caught.value.message.rsplit(":", 1)[1]
    assert "theta_3" not in fits
    assert "quadratic" not in fits


def test_invalid_interval_that_does_not_fit() -> None:
    choices = Choices(intervals=named("intervals", "wilson"))

    with pytest.raises(UnsupportedCombination, match="student_t") as caught:
        check(FOLDS, choices, ["nb"])

    assert caught.value.loc == ("intervals", 0)


@pytest.mark.parametrize("entry", [{"name": "sign"}, 3, None])
def test_invalid_entry_that_is_neither_a_name_nor_a_method(entry: Any) -> None:
    with pytest.raises(InvalidParameter, match="An entry is the name of a method") as refused:
        thetahat.evaluate({"a": [1.0, 2], "b": [2.0, 3]}, blocks="holdout", tests=["sign", entry])

    assert refused.value.loc == ("tests", 1)


def test_invalid_control_that_is_no_model() -> None:
    with pytest.raises(InvalidParameter, match="nb, svm") as caught:
        check(FOLDS, Choices(control="tree"), ["nb", "svm"])

    assert caught.value.loc == ("control",)


@pytest.mark.parametrize(
    ("layout", "target"),
    [
        (FOLDS, Target.NEW_SOURCE),
        (FOLDS, Target.NEW_POPULATION),
        (SOURCES, Target.THESE_MODELS),
        (five_by_nine(BlockKind.HOLDOUT).layout, Target.THESE_SOURCES),
    ],
)
def test_invalid_target_that_no_method_estimates(layout: Layout, target: Target) -> None:
    with pytest.raises(UnsupportedCombination, match=target.value) as caught:
        check(layout, Choices(target=target), ["nb", "svm"])

    assert caught.value.loc == ("target",)


def test_invalid_unit_that_a_named_test_cannot_pair() -> None:
    choices = Choices(tests=named("tests", "sign"), paired_unit="cluster")

    with pytest.raises(UnsupportedCombination, match="cluster") as caught:
        check(FOLDS, choices, ["nb", "svm"])

    assert caught.value.loc == ("tests", 0)


def test_exact_unit_and_rope_reach_the_tests_that_leave_them_open() -> None:
    chosen = (
        ChosenMethod("sign", "sign", PAIRED_TESTS["sign"]()),
        ChosenMethod("own", "sign", Sign(unit="instance")),
    )

    by_block = select("tests", chosen, PAIRED_TESTS, FOLDS, Choices(paired_unit="block"))
    assert [getattr(entry.method, "unit", "") for entry in by_block.methods] == [
        "block",
        "instance",
    ]
    choices = Choices(margin=0.2)
    assert choices.complete_method(WithRope()) == WithRope(rope=0.2)
    assert Choices(margin=0.2, rope=0.1).complete_method(WithRope()) == WithRope(rope=0.1)
    assert choices.complete_method(WithRope(rope=0.3)) == WithRope(rope=0.3)
    assert Choices().complete_method(WithRope()) == WithRope()


@dataclass(frozen=True)
class WithRope:
    rope: float | None = None


def test_exact_choices_that_fit_are_accepted() -> None:
    check(FOLDS, Choices(target=Target.THESE_MODELS, control="nb"), ["nb", "svm"])
    check(SOURCES, Choices(target=Target.THESE_SOURCES), ["nb", "svm"])
    check(SOURCES, Choices(variances=named("variances", "theta_A")), ["nb"])

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.analyses.losses.tables import five_by_nine, normal_table, scores_of, verdict_of
from thetahat.analyses.losses.choices import Gate
from thetahat.analyses.losses.entry_points import evaluate
from thetahat.analyses.losses.evidence import PairQuestion, VerdictTerms, compute_evidence
from thetahat.analyses.losses.result import Decision, Requirement
from thetahat.analyses.losses.verdict_basis import VerdictBasis
from thetahat.analyses.losses.verdicts import judge
from thetahat.values.types import BlockKind, FloatArray, Target
from thetahat.values.words import choose_words

LAYOUT = five_by_nine(BlockKind.RANDOM).layout
SCORES = replace(LAYOUT, words=choose_words(BlockKind.RANDOM, higher_is_better=True))
SOURCES = five_by_nine(BlockKind.SOURCE).layout


def question(
    difference: float = 0.0,
    error: float = 0.1,
    degrees: float | None = None,
    a: str = "a",
    b: str = "b",
    target: Target = Target.THESE_MODELS,
) -> PairQuestion:
    basis = VerdictBasis(
        difference=difference,
        standard_error=error,
        degrees_of_freedom=degrees,
        target=target,
        method="normal" if degrees is None else "student_t",
        variance="bayle_all_pairs",
    )
    return PairQuestion(a=a, b=b, basis=basis, constant=None, n_units=45)


def terms(**changes: Any) -> VerdictTerms:
    options: dict[str, Any] = {
        "level": 0.95,
        "margin": None,
        "correction": "holm",
        "power": 0.8,
        "layout": LAYOUT,
    }
    return VerdictTerms(**{**options, **changes})


def decide(*differences: float, **changes: Any) -> list[str]:
    return [v.decision for v in judge([question(d) for d in differences], terms(**changes))]


def test_against_statsmodels_two_one_sided_tests() -> None:
    # statsmodels/stats/tests/test_tost.py (R package equivalence::tost): fifteen pairs
    # vector tost_paired_var1
    x = [2.84, 2.51, 2.41, 2.95, 3.14, 3.79, 4.14, 3.85, 3.02, 3.45, 5.37, 3.81, 4.19, 3.16, 3.84]
    y = [2.6, 2.82, 2.18, 3.46, 4.01, 3.04, 3.47, 4.06, 2.91, 3.59, 4.51, 3.16, 3.86, 3.31, 3.02]
    d = np.array(x) - np.array(y)
    question_asked = question(float(d.mean()), float(d.std(ddof=1)) / 15**0.5, 14.0)

    verdict = compute_evidence(question_asked, 0.6)

    assert verdict.difference is not None
    assert verdict.equivalence is not None
    assert verdict.not_worse is not None
    assert_allclose(verdict.difference, 0.245199929713149, rtol=1e-9)
    assert_allclose(verdict.equivalence, 0.003166881489265175, rtol=1e-9)
    # a is worse by .165, so the nearer margin is the upper one: the same one-sided test
    assert_allclose(verdict.not_worse, verdict.equivalence, rtol=1e-12)


# Standard error .1, z(.975) = 1.96, z(.95) = 1.645: the ends of the 1 - alpha interval are d -+
# .196, those of the 1 - 2 alpha interval d -+ .1645.
@pytest.mark.parametrize(
    ("difference", "margin", "decision", "also"),
    [
        (-0.197, None, "better", []),
        (-0.195, None, "undecided", []),
        (0.197, None, "worse", []),
        (0.0, 0.165, "equivalent", ["not_worse"]),
        (0.0, 0.164, "undecided", []),
        (-0.2, 0.37, "equivalent", ["better", "not_worse"]),
        (0.2, 0.37, "equivalent", ["worse", "not_worse"]),
        (-0.2, 0.36, "better", ["not_worse"]),
        (-0.1, 0.1, "not_worse", []),
        (-0.064, 0.1, "undecided", []),
        (-0.065, 0.1, "not_worse", []),
        (0.2, 0.1, "worse", []),
        (0.2, 0.36, "worse", []),
    ],
)
def test_exact_every_decision_in_order(
    difference: float, margin: float | None, decision: str, also: list[str]
) -> None:
    (verdict,) = judge([question(difference)], terms(margin=margin))

    assert [verdict.decision, *verdict.also] == [decision, *also]
    assert verdict.margin == margin
    assert (verdict.plan is None) == (decision != "undecided")
    assert verdict.plan_reason is None


def test_exact_level_is_used() -> None:
    assert decide(-0.195, level=0.94) == ["better"]
    assert decide(-0.197, level=0.96) == ["undecided"]


def test_by_hand_no_equivalence_beyond_the_margin_at_a_tiny_level() -> None:
    # alpha .9: the 1 - 2 alpha interval does not exist, and .12 is outside the margin of .1
    (verdict,) = judge([question(0.12)], terms(level=0.1, margin=0.1))

    assert "equivalent" not in [verdict.decision, *verdict.also]


# Three pairs, two-sided p of .01, .02, .045 are z = 2.5758, 2.3263, 2.0047
Z = (-0.25758293, -0.23263479, -0.20046544)


@pytest.mark.parametrize(
    ("correction", "decisions"),
    [
        ("none", ["better", "better", "better"]),
        ("bonferroni", ["better", "undecided", "undecided"]),
        ("holm", ["better", "better", "better"]),  # .01 < .0167, .02 < .025, .045 < .05
        ("hochberg", ["better", "better", "better"]),
        ("benjamini_hochberg", ["better", "better", "better"]),
    ],
)
def test_exact_correction_adjusts_alpha_first(correction: str, decisions: list[str]) -> None:
    assert decide(*Z, correction=correction) == decisions


def test_by_hand_holm_stops_at_the_first_failure() -> None:
    # .02, .03, .045: .02 is above .05/3, so none holds; Hochberg starts at .045 < .05, so all do
    z = (-0.23263479, -0.21700904, -0.20046544)

    assert decide(*z, correction="holm") == ["undecided"] * 3
    assert decide(*z, correction="hochberg") == ["better"] * 3


def test_by_hand_equivalence_is_corrected_by_its_own_p_values() -> None:
    # d = 0, margin .2: p = P(Z < -2) = .02275, above .05/3 and below .05
    assert decide(0.0, margin=0.2) == ["equivalent"]
    assert decide(0.0, 0.0, 0.0, margin=0.2) == ["undecided"] * 3
    assert decide(0.0, 0.0, 0.0, margin=0.2, correction="none") == ["equivalent"] * 3


def _numbers(values: Iterable[float | None]) -> FloatArray:
    """Return numbers that may be None as an array."""
    return np.array(list(values), dtype=np.float64)


def test_by_hand_adjusted_p_values_are_reported() -> None:
    verdicts = judge([question(z) for z in Z], terms())

    assert_allclose(_numbers(v.p_value for v in verdicts), [0.01, 0.02, 0.045], rtol=1e-5)
    assert_allclose(_numbers(v.p_value_adjusted for v in verdicts), [0.03, 0.04, 0.045], rtol=1e-5)


def test_by_hand_p_values_of_the_statements_about_a_margin() -> None:
    """d = 0 with error .1 and a margin of .2: P(Z < -2) = .0227501 for both statements."""
    (verdict,) = judge([question(0.0)], terms(margin=0.2))
    assert_allclose(
        _numbers([verdict.p_value_equivalent, verdict.p_value_not_worse]), 0.0227501, rtol=1e-5
    )
    assert verdict.p_value_equivalent_adjusted is None
    assert verdict.p_value_not_worse_adjusted is None

    for three in judge([question(0.0)] * 3, terms(margin=0.2, correction="bonferroni")):
        raw = _numbers([three.p_value_equivalent, three.p_value_not_worse])
        adjusted = [three.p_value_equivalent_adjusted, three.p_value_not_worse_adjusted]
        assert_allclose(_numbers(adjusted), 3 * raw, rtol=1e-12)
    (without,) = judge([question(0.0)], terms())
    assert without.p_value_equivalent is None


@pytest.mark.parametrize("margin", [None, 0.15])
@pytest.mark.parametrize("shift", [-0.8, -0.2, 0.0, 0.3, 0.9])
def test_exact_swapping_the_models_flips_the_decision(shift: float, margin: float | None) -> None:
    flipped = {"better": "worse", "worse": "better"}
    table = normal_table(8, shifts=(0.0, shift), k=8)
    swapped = type(table)(table.layout, dict(reversed(list(table.models.items()))))

    first, other = verdict_of(table, margin=margin), verdict_of(swapped, margin=margin)
    if "not_worse" not in {first["decision"], other["decision"]}:
        assert flipped.get(first["decision"], first["decision"]) == other["decision"]
    assert first["p_value"] == pytest.approx(other["p_value"], rel=1e-12)


def test_exact_words_for_better_and_worse() -> None:
    (better,) = judge([question(-0.31, degrees=9.0, a="nb", b="svm")], terms())
    (worse,) = judge([question(0.31, target=Target.NEW_SOURCE)], terms(layout=SOURCES))
    (beside_control,) = judge([question(0.31)], terms()._replace(control="b"))

    # t(.975, 9) = 2.262157, so the ends are .31 -+ .2262157; p by quadrature of the t density
    assert better.reason == (
        "As trained, nb is better than svm: its mean loss is lower by 0.31 (95 % interval 0.08 "
        "to 0.54, p = 0.013)."
    )
    assert worse.decision == beside_control.decision == "worse"
    assert worse.reason == (
        "For a new source, b is better than a: its mean loss is lower by 0.31 (95 % interval 0.11 "
        "to 0.51, p = 0.0019)."
    )
    assert beside_control.reason == (
        "As trained, a is worse than b: its mean loss is higher by 0.31 (95 % interval 0.11 to "
        "0.51, p = 0.0019)."
    )


def test_exact_words_for_scores() -> None:
    (better,) = judge([question(0.31)], terms(layout=SCORES))
    (worse,) = judge([question(-0.31)], terms(layout=SCORES))

    assert "its mean score is higher by 0.31" in better.reason
    assert "b is better than a: its mean score is higher by 0.31" in worse.reason


def test_exact_words_for_margins() -> None:
    (equivalent,) = judge([question(0.0)], terms(margin=0.2))
    (not_worse,) = judge([question(-0.1)], terms(margin=0.1))
    (undecided,) = judge([question(0.0)], terms(margin=0.1))

    assert equivalent.reason == (
        "As trained, a and b are equivalent within a margin of 0.2: the 90 % interval of their "
        "difference, -0.16 to 0.16, lies inside it (p = 0.023)."
    )
    assert not_worse.reason == (
        "As trained, a is not worse than b by more than 0.1: with 95 % confidence the difference "
        "is below 0.06 (p = 0.023)."
    )
    assert undecided.reason == (
        "As trained, it is not clear which of a and b is better: the difference is 0.00 "
        "(95 % interval -0.20 to 0.20, p = 1). The data fit no difference at all, and also "
        "one of 0.1."
    )


def test_exact_scores_are_not_worse_above_minus_the_margin() -> None:
    (not_worse,) = judge([question(0.1)], terms(margin=0.1, layout=SCORES))
    (losses,) = judge([question(-0.1)], terms(margin=0.1))

    assert not_worse.decision is losses.decision is Decision.NOT_WORSE
    assert not_worse.p_value == losses.p_value
    assert "with 95 % confidence the difference is above -0.06" in not_worse.reason


def test_exact_words_after_a_correction() -> None:
    verdicts = judge([question(-0.2), question(0.0)], terms())

    # p = .0455, times 2
    assert verdicts[0].decision == "undecided"
    assert verdicts[0].reason.endswith(
        "(95 % interval -0.396 to -0.004, p = 0.091 corrected for 2 pairs). "
        "The interval leaves out 0, but it is not corrected for several pairs."
    )


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (BlockKind.RANDOM, "On data like these"),
        (BlockKind.SOURCE, "On these sources"),
    ],
)
def test_exact_words_for_the_target(kind: BlockKind, words: str) -> None:
    verdict = verdict_of(five_by_nine(kind), target=Target.THESE_SOURCES)

    assert verdict["target"] == "these_sources"
    assert words in verdict["reason"]


def test_degenerate_copies_without_a_known_range_show_nothing_about_a_margin() -> None:
    table = scores_of({"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3]})

    without, within = verdict_of(table), verdict_of(table, margin=0.01)
    assert without["decision"] == "undecided"
    assert without["reason"] == ("The losses of a and b are identical, so there is no better one.")
    assert without["p_value"] == 1
    assert without["method"] is None
    assert without["plan"] is None
    assert without["plan_reason"]
    assert (within["decision"], within["also"]) == ("undecided", [])
    assert "p_value_equivalent" not in within
    assert "no spread and no known range" in within["reason"]


@pytest.mark.parametrize(
    ("n", "decision"),
    [(13, "undecided"), (14, "better")],  # worth 5.32 and 5.48: 2^-4.32 = .0501, 2^-4.48 = .0449
)
def test_degenerate_equal_differences_go_by_the_sign(n: int, decision: str) -> None:
    table = scores_of({"a": [0.25] * n, "b": [0.5] * n})

    verdict = verdict_of(table, margin=0.1)
    assert verdict["decision"] == decision
    assert verdict["method"] == "sign"
    independent = n / (1 + n / 9)  # each split trains on nine times as much as it tests on
    assert verdict["p_value"] == pytest.approx(2.0 ** (1 - independent), rel=1e-12)
    assert f"each of the {n} differences is -0.25" in verdict["reason"]
    assert verdict["plan"] is None


def test_degenerate_no_basis_is_undecided() -> None:
    question_asked = PairQuestion(a="a", b="b", basis=None, constant=None, n_units=9)

    (verdict,) = judge([question_asked], terms(margin=0.1))
    assert verdict.decision == "undecided"
    assert "there is no interval of their difference" in verdict.reason
    assert verdict.p_value is None
    assert verdict.plan_reason == "There is no estimate of the variance to plan with."


def test_degenerate_no_pairs() -> None:
    assert judge([], terms()) == []


def test_calibrated_verdict_errs_at_its_level_on_normal_blocks() -> None:
    # Block means of equal models, independent and normal: theta_gamma's t is exact, and `better`
    # or `worse` is said in 5 % of the tables.
    rng = np.random.default_rng(3_110)
    n_tables = 1500
    n_errors = 0
    for values in rng.normal(size=(n_tables, 6)):
        d = float(values.mean())
        question_asked = question(d, float(values.std(ddof=1)) / 6**0.5, 5.0)
        n_errors += judge([question_asked], terms())[0].decision != "undecided"

    error = (0.05 * 0.95 / n_tables) ** 0.5
    assert abs(n_errors / n_tables - 0.05) < 4 * error  # fails for 1 seed in 16 000


def test_exact_equalities_take_shaffer_and_margins_holm() -> None:
    # z of .15, .21 and .30 over .1: p = .1336, .0357, .0027; with one equality false at most one
    # of the other two is true, so that the second is not doubled
    questions = [question(d) for d in (0.15, 0.21, 0.3)]

    holm, shaffer, exhaustive = (
        judge(questions, terms(correction=c)) for c in ("holm", "shaffer", "bergmann_hommel")
    )

    assert [v.decision for v in holm] == ["undecided", "undecided", "worse"]
    assert [v.decision for v in shaffer] == ["undecided", "worse", "worse"]
    (by_holm,), (by_shaffer,) = (_numbers([of[1].p_value_adjusted]) for of in (holm, shaffer))
    assert_allclose(by_holm, 2 * by_shaffer, rtol=1e-12)
    assert [v.decision for v in exhaustive] == ["undecided", "worse", "worse"]
    assert "corrected for 3 pairs)" in shaffer[1].reason

    near = [question(d) for d in (0.01, 0.1, 0.05)]
    plain, logical = (
        judge(near, terms(correction=c, margin=0.3)) for c in ("holm", "bergmann_hommel")
    )
    assert [v.decision for v in logical] == ["equivalent"] * 3
    assert "corrected for 3 pairs by Holm's step-down procedure" in logical[0].reason
    named = " by Holm's step-down procedure"
    assert [v.reason for v in plain] == [v.reason.replace(named, "") for v in logical]


def test_equal_differences_in_the_order_of_time_are_no_independent_signs() -> None:
    losses = {"a": [0] * 30, "b": [1] * 30}
    result = evaluate(losses, blocks="holdout", better="lower", time=list(range(30)))
    verdict = result.comparisons[0].verdict
    assert (verdict.decision, verdict.p_value) == ("undecided", 1.0)


def test_equal_differences_of_two_sources_say_nothing_of_a_new_one() -> None:
    """The gate passed on the interval for these sources, which the request had not asked for."""
    losses = {"a": [[0] * 100] * 2, "b": [[1] * 100] * 2}
    options: dict[str, Any] = {"blocks": "source", "n_train": 0, "better": "lower"}
    gate = Gate(model="a", against="b", require=Requirement.BETTER)
    result = evaluate(losses, gate=gate, **options)
    assert result.gate is not None
    assert result.gate.outcome == "undecided"
    others = result.comparisons[0].other_verdicts
    assert others is not None
    assert others[Target.THESE_SOURCES].decision == "better"
    asked = evaluate(losses, gate=gate, target="these_sources", **options)
    assert asked.gate is not None
    assert asked.gate.outcome == "pass"

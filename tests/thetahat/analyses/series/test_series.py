"""Series: designs, batches, looks, decisions and plans."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.analyses.losses.result import GateOutcome, Requirement
from thetahat.analyses.series.batches import Batch, average_clusters
from thetahat.analyses.series.design import Expected, SeriesDesign, Unit
from thetahat.analyses.series.plans import plan_series
from thetahat.analyses.series.statements import Statement, judge_requirement, list_statements
from thetahat.analyses.series.steps import SequentialLook, SeriesState, add_batch, begin_series
from thetahat.errors import EvaluationError, InvalidParameter, UnsupportedCombination
from thetahat.sequential.binomial_mixture import BinomialMixture
from thetahat.sequential.bounded import Bounded
from thetahat.sequential.planned import Planned

PAIR: Any = {"models": ("new", "old")}


def run(design: SeriesDesign, *batches: Batch) -> tuple[SeriesState, list[SequentialLook]]:
    state, looks = begin_series(design), []
    for batch in batches:
        state, look = add_batch(design, state, batch)
        state = SeriesState.from_json(json.loads(json.dumps(state.to_json())))
        looks.append(look)
    return state, looks


def draw_batch(n: int, shift: float, seed: int) -> Batch:
    rng = np.random.default_rng(seed)
    old = rng.normal(1.0, 1.0, n)
    return Batch(losses={"new": old + rng.normal(shift, 1.0, n), "old": old})


@pytest.mark.parametrize(
    ("ends", "margin", "expected"),
    [
        ((-0.3, -0.1), None, "better"),
        ((0.1, 0.3), None, "worse"),
        ((-0.1, 0.1), None, ""),
        ((-0.1, 0.1), 0.2, "equivalent not_worse"),
        ((-0.15, -0.05), 0.2, "equivalent better not_worse"),
        ((-0.9, 0.1), 0.2, "not_worse"),
        ((-0.9, 0.2), 0.2, ""),
        ((0.05, 0.15), 0.2, "equivalent worse not_worse"),
    ],
)
def test_by_hand_statements(ends: Any, margin: Any, expected: str) -> None:
    assert " ".join(list_statements(ends, margin)) == expected


@pytest.mark.parametrize(
    ("requirement", "ends", "margin", "outcome"),
    [
        ("better", (-0.3, -0.1), None, "pass"),
        ("better", (-0.3, 0.1), None, "undecided"),
        ("better", (0.05, 0.1), 0.2, "fail"),
        ("not_worse", (-0.9, 0.1), 0.2, "pass"),
        ("not_worse", (0.05, 0.1), 0.2, "pass"),
        ("not_worse", (0.05, 0.3), 0.2, "fail"),
        ("equivalent", (-0.5, -0.3), 0.2, "fail"),
        ("equivalent", (-0.5, -0.1), 0.2, "undecided"),
        ("equivalent", (-0.1, 0.1), 0.2, "pass"),
    ],
)
def test_by_hand_requirements(requirement: str, ends: Any, margin: Any, outcome: str) -> None:
    holding = list_statements(ends, margin)
    found = judge_requirement(Requirement(requirement), holding, ends, margin)

    assert found is GateOutcome(outcome)


def test_exact_a_decision_stays() -> None:
    """New is better in the first rows and much worse in later ones."""
    design = SeriesDesign(**PAIR, margin=0.2)
    state, looks = run(
        design, draw_batch(200, -0.5, 1), draw_batch(200, 0.5, 2), draw_batch(4000, 1.0, 3)
    )

    assert [look.decision for look in looks] == [Statement.BETTER] * 3
    assert Statement.WORSE in looks[-1].holds
    assert (state.decision, state.decided_at_look) == (Statement.BETTER, 1)


def test_exact_scores_turn_the_statements_and_not_the_numbers() -> None:
    batch = draw_batch(300, 0.5, 4)
    _, (as_losses,) = run(SeriesDesign(**PAIR), batch)
    _, (as_scores,) = run(SeriesDesign(**PAIR, better="higher"), batch)

    assert (as_losses.lower, as_losses.upper) == (as_scores.lower, as_scores.upper)
    assert (as_losses.decision, as_scores.decision) == (Statement.WORSE, Statement.BETTER)


def test_exact_one_model_is_compared_with_the_reference() -> None:
    losses = (np.random.default_rng(5).random(2000) < 0.1).astype(float)
    design = SeriesDesign(models=("new",), reference=0.2, method=BinomialMixture())
    _, (look,) = run(design, Batch(losses={"new": losses}))

    assert look.decision is Statement.BETTER
    assert look.estimate == losses.mean()
    assert look.sentence.startswith("After 2000 rows new is better than the reference of 0.2: the ")


def test_exact_the_p_value_never_rises() -> None:
    design = SeriesDesign(**PAIR)
    _, looks = run(design, *(draw_batch(100, -0.2 if i < 5 else 0.3, i) for i in range(10)))
    p_values = [look.p_value for look in looks]

    assert p_values == sorted(p_values, reverse=True)  # type: ignore[type-var]
    assert looks[-1].e_value is not None
    assert looks[4].e_value is not None
    assert looks[-1].e_value < looks[4].e_value


def test_degenerate_a_huge_e_value_is_left_out() -> None:
    _, (look,) = run(SeriesDesign(**PAIR), draw_batch(20_000, -5.0, 6))

    assert look.e_value is None
    assert look.p_value == 2.2250738585072014e-308  # the least p-value


def test_naive_clusters_are_averaged() -> None:
    values = np.array([1.0, 2.0, 6.0, 4.0, 3.0])
    labels = ["b", "a", "b", "c", "b"]
    means: dict[str, list[float]] = {}
    for value, label in zip(values, labels, strict=True):
        means.setdefault(label, []).append(float(value))
    expected = [sum(group) / len(group) for group in means.values()]

    assert_allclose(average_clusters(values, labels), expected, rtol=1e-15)


def test_exact_the_units_of_clusters_are_their_means() -> None:
    batch = draw_batch(600, -0.5, 7)
    cluster = [f"c{i % 120}" for i in range(600)]
    design = SeriesDesign(**PAIR, unit=Unit.CLUSTER)
    _, (look,) = run(design, Batch(losses=batch.losses, cluster=cluster))

    assert (look.rows, look.n) == (600, 120)
    assert "in 120 clusters" in look.sentence
    difference = (batch.losses["new"] - batch.losses["old"]).reshape(5, 120).mean(axis=0)
    assert_allclose(look.standard_deviation, difference.std(), rtol=1e-12)


def test_exact_a_batch_after_the_last_planned_look_is_refused() -> None:
    design = SeriesDesign(**PAIR, method=Planned(200, (0.5, 1.0)))
    with pytest.raises(UnsupportedCombination, match="last planned look"):
        run(design, draw_batch(100, 0, 8), draw_batch(100, 0, 9), draw_batch(1, 0, 10))


def test_exact_futile_needs_a_goal_out_of_reach() -> None:
    method = Planned(1000, (0.5, 1.0))
    stop = (Statement.BETTER, Statement.FUTILE)
    design = SeriesDesign(**PAIR, method=method, stop=stop)
    state, (_, look) = run(design, draw_batch(300, 0.05, 11), draw_batch(200, 0.05, 12))

    assert look.conditional_power is not None
    assert look.conditional_power < 0.1
    assert state.decision is Statement.FUTILE


def test_naive_the_plan_is_the_first_number_of_rows_that_decides() -> None:
    expected = Expected(difference=-0.1, standard_deviation=1.0, batch_units=50)
    for method in (None, Bounded((0.0, 1.0)), Planned(4000)):
        options: Any = {} if method is None else {"method": method}
        design = SeriesDesign(**PAIR, margin=0.3, expected=expected, **options)
        plan = plan_series(design, begin_series(design), None)
        assert plan is not None
        assert plan.units is not None

        def decides(n: int, design: SeriesDesign = design) -> bool:
            interval = design.method.foresee(n, -0.1, 1.0, design.question)
            found = () if interval is None else list_statements(interval, 0.3)
            return any(held in design.decisions for held in found)

        assert decides(plan.units)
        assert not any(decides(n) for n in range(max(1, plan.units - 300), plan.units))
        assert plan.batches == plan.additional_batches == -(-plan.units // 50)


@pytest.mark.calibration
def test_calibrated_half_of_all_series_decide_before_the_plan() -> None:
    expected = Expected(difference=-0.15, standard_deviation=1.0, batch_units=25)
    design = SeriesDesign(models=("new",), reference=0.0, expected=expected)
    plan = plan_series(design, begin_series(design), None)
    rng, repetitions, earlier = np.random.default_rng(20_261_126), 300, 0
    for _ in range(repetitions):
        state, looks = begin_series(design), 0
        while state.decision is None:
            batch = Batch(losses={"new": rng.normal(-0.15, 1.0, 25)})
            state, _ = add_batch(design, state, batch)
            looks += 1
        assert plan is not None
        assert plan.batches is not None
        earlier += looks <= plan.batches

    # 0.5 with a standard error of 0.029; looks by batch, and the look back, move it by less than .1
    assert 0.4 < earlier / repetitions < 0.72


def test_degenerate_plans() -> None:
    design = SeriesDesign(**PAIR)
    state, (look,) = run(design, draw_batch(300, -2.0, 13))
    assert plan_series(design, begin_series(design), None) is None  # nothing is known
    assert plan_series(design, state, look) is None  # decided
    nothing = SeriesDesign(
        **PAIR, expected=Expected(difference=0.0, standard_deviation=1.0, batch_units=9)
    )
    plan = plan_series(nothing, begin_series(nothing), None)
    assert plan is not None
    assert plan.units is None
    assert plan.sentence.endswith("no decision is expected.")


WRONG: Any = [
    ({"models": ()}, ("models",), "one model"),
    ({"models": ("a", "b", "c")}, ("models",), "series for each pair"),
    ({"models": ("a", "a")}, ("models",), "different names"),
    ({"models": ("a",)}, ("reference",), "needs a reference"),
    ({**PAIR, "reference": 0.1}, ("reference",), "one model alone"),
    ({**PAIR, "level": 95}, ("level",), "did you mean 0.95"),
    ({**PAIR, "margin": 0}, ("margin",), "above 0"),
    ({**PAIR, "stop": (Statement.NOT_WORSE,)}, ("stop", 0), "needs a margin"),
    ({**PAIR, "stop": (Statement.BETTER, Statement.FUTILE)}, ("stop", 1), "needs the method"),
    ({**PAIR, "stop": (Statement.BETTER,) * 2}, ("stop",), "twice"),
    ({**PAIR, "method": Planned(400), "stop": (Statement.FUTILE,)}, ("stop",), "beside futile"),
    ({**PAIR, "method": BinomialMixture(), "unit": Unit.CLUSTER}, ("method",), "Use bounded"),
    (
        {"models": ("a",), "reference": 1.5, "method": BinomialMixture()},
        ("reference",),
        "between 0 and 1",
    ),
]


@pytest.mark.parametrize(("fields", "loc", "message"), WRONG)
def test_invalid_designs(fields: Any, loc: Any, message: str) -> None:
    with pytest.raises(EvaluationError, match=message) as error:
        SeriesDesign(**fields)
    assert error.value.loc == loc


ONES = np.ones(3)
BATCHES: Any = [
    ({"new": ONES}, None, ("losses",), "no losses of old"),
    ({"new": ONES, "old": ONES, "nwe": ONES}, None, ("losses", "nwe"), "did you mean"),
    ({"new": ONES, "old": ONES[:2]}, None, ("losses", "old"), "same rows"),
    ({"new": ONES[:0], "old": ONES[:0]}, None, ("losses",), "at least one row"),
    ({"new": ONES, "old": ONES * np.nan}, None, ("losses", "old", 0), "not a finite number"),
    ({"new": ONES, "old": ONES}, [1, 2, 3], ("cluster",), "have no cluster"),
]


@pytest.mark.parametrize(("losses", "cluster", "loc", "message"), BATCHES)
def test_invalid_batches(losses: Any, cluster: Any, loc: Any, message: str) -> None:
    with pytest.raises(InvalidParameter, match=f"(?i){message}") as error:
        run(SeriesDesign(**PAIR), Batch(losses=losses, cluster=cluster))
    assert error.value.loc == loc


def test_invalid_batches_of_other_series() -> None:
    with_clusters = SeriesDesign(**PAIR, unit=Unit.CLUSTER)
    of_rates = SeriesDesign(**PAIR, method=BinomialMixture())
    halves = {"new": ONES, "old": ONES / 2}
    with pytest.raises(InvalidParameter, match="each row needs its cluster"):
        run(with_clusters, Batch(losses=halves))
    with pytest.raises(InvalidParameter, match="2 entries for 3 rows"):
        run(with_clusters, Batch(losses=halves, cluster=[1, 2]))
    with pytest.raises(InvalidParameter, match=r"old has 0\.5 in row 0") as error:
        run(of_rates, Batch(losses=halves))
    assert error.value.loc == ("losses", "old", 0)

"""The study of intervals over one partition, against slow or independent computations."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor

import thetahat
from tests.cases import each
from thetahat_replications.one_partition import shipped_verdicts
from thetahat_replications.one_partition.__main__ import SETS, run
from thetahat_replications.one_partition.batch_learners import LEARNERS
from thetahat_replications.one_partition.candidates import CANDIDATES
from thetahat_replications.one_partition.designs import CHOOSING, JUDGING, DrawnPopulation
from thetahat_replications.one_partition.measures import measure, summarise
from thetahat_replications.one_partition.shipped_rows import replace_rows
from thetahat_replications.one_partition.simulation import LossSeries, compute_moments

PAGES = Path("docs/results/one_partition")
POPULATIONS = {population.name: population for population in (*CHOOSING, *JUDGING)}


def draw_classes() -> tuple[np.ndarray, np.ndarray]:
    return POPULATIONS["two normals"].draw(np.random.default_rng(4), 2, 40)


SKLEARN = {
    "ridge 3": lambda: Ridge(alpha=3.0),
    "discriminant": LinearDiscriminantAnalysis,
    "logistic": lambda: LogisticRegression(C=1.0, tol=1e-10, max_iter=1000),
    "3 neighbours": lambda: KNeighborsRegressor(3),
}


@each("name", SKLEARN)
def test_against_sklearn_out_of_fold_predictions(name: str) -> None:
    x, y = draw_classes()

    ours = LEARNERS[name](x, y, 5)

    for r in range(len(y)):
        for start in range(0, 40, 8):
            test = np.arange(start, start + 8)
            train = np.setdiff1d(np.arange(40), test)
            fitted = SKLEARN[name]().fit(x[r, train], y[r, train])
            theirs = (
                fitted.predict_proba(x[r, test])[:, 1]
                if hasattr(fitted, "predict_proba")
                else fitted.predict(x[r, test])
            )
            # logistic: 8 Newton steps and the unpenalised intercept, held at 1e-6
            assert_allclose(ours[r, test], theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("is_difference", [False, True])
def test_exact_the_intervals_on_the_spread_between_folds(*, is_difference: bool) -> None:
    name = "nadeau_bengio"
    rng = np.random.default_rng(9)
    rows = rng.gamma(1.5, size=(2, 60))
    block = np.repeat(np.arange(5), 12)
    values = rows[:1] - rows[1:] if is_difference else rows[:1]
    (candidate,) = [candidate for candidate in CANDIDATES if candidate.name == name]

    series = LossSeries(
        place=("drawn", 60, 5, "l", "a"),
        is_difference=is_difference,
        moments=compute_moments(values, 5),
    )
    ends = candidate.build_ends(series)

    result = thetahat.evaluate({"a": rows[0], "b": rows[1]}, block=block.tolist(), variances=[name])
    interval = (
        result.comparisons[0].interval
        if is_difference
        else (result.models["a"].recommended or {})[thetahat.Target.THESE_SOURCES]
    )
    assert interval is not None
    assert interval.variance == name
    assert interval.lower is not None
    assert interval.upper is not None
    assert_allclose([end[0] for end in ends], [interval.lower, interval.upper], rtol=1e-9)


def test_by_hand_coverage_length_and_power_of_three_intervals() -> None:
    lower, upper = np.array([-1.0, 0.5, 0.0]), np.array([1.0, 1.5, 0.0])

    measured = measure(lower, upper, target=0.0, true_sd=1.0)
    summary = summarise([measured, replace(measured, coverage=0.95, length=1.0)])

    assert measured.coverage == 1 / 2  # the last has no interval
    assert measured.built == 2 / 3
    assert_allclose(measured.length, 1.5 / 3.919928, rtol=1e-6)
    # both exclude 3 and both exclude -3; the ideal interval does so in Phi(3 - 1.96) = .850838
    assert_allclose(measured.power, 2 / 3 / 0.850838, rtol=1e-5)
    assert (summary.coverage, summary.least, summary.too_rare) == (0.725, 0.5, 0.5)
    assert summary.within_goal == 0.5


def test_exact_designs_are_not_shared_between_choosing_and_judging() -> None:
    assert not {p.name for p in CHOOSING} & {p.name for p in JUDGING}
    assert not {p.draw for p in CHOOSING} & {p.draw for p in JUDGING}


@pytest.mark.parametrize("name", SETS)
def test_every_page_is_kept_with_its_columns(name: str) -> None:
    small: list[DrawnPopulation] = [
        replace(population, sizes=population.sizes[:1], learners=population.learners[:2])
        for population in SETS[name][:1]
    ]

    for stem, table in zip((name, f"{name}_designs"), run(small, name, 5, 1), strict=True):
        kept = (PAGES / f"{stem}.md").read_text()
        assert table.rows
        assert kept.startswith(f"# {table.title}\n")
        assert f"| {' | '.join(table.columns)} |" in kept


def test_exact_new_verdicts_stand_beside_those_of_the_interval_before() -> None:
    place = {"design": "5-fold", "loss": "squared", "n": 50, "trained": "stable"}
    old = {
        **place,
        "subject": "verdict",
        "target": "these_sources",
        "name": "student_t:nadeau_bengio",
    }
    what = shipped_verdicts.ONE_PARTITION
    new = {**old, "name": what.recommended}
    test = {**old, "subject": "test", "name": "mcnemar"}
    words = [{**place, "target": target, "said": 0} for target in ("these_sources", "these_models")]

    merged = shipped_verdicts.replace_verdicts([old, test], [new], what)

    assert merged == [old, new, test]
    again = shipped_verdicts.replace_verdicts(merged, [{**new, "size": 1}], what)
    assert again[1] == {**new, "size": 1}
    assert shipped_verdicts.select_shown(merged) == [new, test]
    assert shipped_verdicts.replace_words(words, [{**words[0], "said": 1}]) == [
        {**words[0], "said": 1},
        words[1],
    ]
    with pytest.raises(ValueError, match="no verdicts for"):
        shipped_verdicts.replace_verdicts([test], [new], what)


def test_exact_new_rows_take_their_places_and_keep_the_other_intervals() -> None:
    place = {
        "population": "p", "loss": "l", "n": 50, "of": "model", "learner": "x",
        "scheme": "5-fold", "target": "these_sources",
    }  # fmt: skip
    old = {**place, "repetitions": 9, "interval": "a", "coverage": [0.9, 0.1], "width": None}
    old |= {"length": None, "power": None}
    new = {**place, "repetitions": 5, "interval": "b", "coverage": [0.8, 0.2], "width": [1, 0.1]}
    new |= {"length": [1.2, 0.1], "power": [0.7, 0.1]}
    other = {**old, "scheme": "holdout", "others": {}, "before": None}

    replaced = replace_rows(
        [{**old, "others": {"c": [0.7, 0.1]}, "before": None}, other],
        [{**new, "others": {"c": [0.1, 0.1], "b": [0.8, 0.2]}, "before": None}],
    )

    others = {"c": [0.7, 0.1], "b": [0.8, 0.2], "a": [0.9, 0.1]}
    assert replaced == [{**new, "others": others, "before": None}, other]


def test_exact_intervals_that_were_drawn_anew_are_nowhere_the_old_ones() -> None:
    place = {"population": "p", "loss": "l", "n": 5, "of": "model", "learner": "m"}
    place |= {"scheme": "5-fold", "target": "these_sources"}
    names = "skewness_corrected:instances_with_allowance", "student_t:instances_with_allowance"
    old, new = (
        {
            **place,
            "repetitions": repetitions,
            "interval": names[0],
            "coverage": [share, 0.1],
            "width": [1, 0.1],
            "length": [1.2 * share, 0.1],
            "power": [0.7 * share, 0.1],
            "others": {name: [share, 0.1] for name in (*names, "t")},
        }
        for repetitions, share in ((60, 1.0), (1000, 0.98))
    )

    (row,) = replace_rows([old], [new])

    others = {name: [0.98, 0.1] for name in names} | {"t": [1.0, 0.1]}
    assert row == {**new, "others": others}


def test_invalid_rows_without_a_place() -> None:
    row = dict.fromkeys(("population", "loss", "n", "of", "learner", "scheme", "target"), "x")

    with pytest.raises(ValueError, match="no rows for"):
        replace_rows([], [row])


def test_degenerate_the_command_refuses_an_unknown_set() -> None:
    command = [sys.executable, "-m", "thetahat_replications.one_partition", "nothing"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "there is no set nothing" in done.stderr

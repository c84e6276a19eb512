"""The study of tests, verdicts and plans: its populations, its rows and its files."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import nct, t

import thetahat
from thetahat.analyses.losses.evidence import VerdictTerms
from thetahat.analyses.losses.plans import SHARE_DECIDED_BY_REPEATS
from thetahat.analyses.studies.oracle_shares import add_oracles
from thetahat.values.layout import build_block_layout
from thetahat.values.types import BlockKind, Target
from thetahat_replications.record_files import read_records, write_records
from thetahat_replications.test_errors import __main__ as command
from thetahat_replications.test_errors import plan_checks, simulation
from thetahat_replications.test_errors.designs import DESIGNS, Cell, list_cells
from thetahat_replications.test_errors.oracles import list_oracles
from thetahat_replications.test_errors.plan_checks import PlanQuestion, check_plans
from thetahat_replications.test_errors.populations import (
    MODELS,
    LossName,
    compute_linear_risk,
    draw_rows,
    get_strength,
)
from thetahat_replications.test_errors.repeat_checks import (
    average_decided,
    check_repeats,
    is_repeated,
    repeat_more,
)
from thetahat_replications.test_errors.repetitions import (
    find_bases,
    make_seed,
    repeat_cell,
    run_experiment,
)
from thetahat_replications.test_errors.simulation import split_by_cell, wrap
from thetahat_replications.test_errors.tables import ask, decide, read_bases, tabulate

N = 400_000


def find_cell(design: str, loss: LossName = "zero_one", n: int = 50) -> Cell:
    return next(
        cell for cell in list_cells() if (cell.design.name, cell.loss, cell.n) == (design, loss, n)
    )


@pytest.mark.parametrize("loss", ["zero_one", "squared"])
@pytest.mark.parametrize("model", ["a", "d"])
def test_calibrated_the_risk_of_a_linear_rule(loss: LossName, model: str) -> None:
    drawn = draw_rows(loss, "none", 50, N, 1, np.random.default_rng(3))
    x, constant = drawn.features[model], 0.3
    slopes = np.array([0.7, 0.2, -0.4, 0.1])
    values = constant + x @ slopes
    losses = (values > 0) != drawn.y if loss == "zero_one" else (drawn.y - values) ** 2

    risk = compute_linear_risk(loss, model, 50, constant, slopes)

    error = float(np.std(losses)) / math.sqrt(N)
    assert abs(float(np.mean(losses)) - risk) < 5 * error  # fails by chance in 1 of 1.7 million


@pytest.mark.parametrize("loss", ["zero_one", "squared"])
@pytest.mark.parametrize("groups", ["none", "clusters", "own sources", "alike sources"])
def test_calibrated_three_models_are_equal_and_one_is_worse(loss: LossName, groups: Any) -> None:
    n_sources = 2000
    drawn = draw_rows(loss, groups, 50, 20_000, n_sources, np.random.default_rng(4))
    unit = np.arange(20_000) * n_sources // 20_000

    for model in MODELS[1:]:
        difference = drawn.fixed_losses[model] - drawn.fixed_losses["a"]
        means = np.bincount(unit, difference) / np.bincount(unit)
        z = means.mean() / (means.std(ddof=1) / math.sqrt(n_sources))
        if model == "d":
            assert z > 5
        else:
            assert abs(z) < 5


def test_exact_the_worse_model_loses_as_one_over_the_root_of_n() -> None:
    few, many = (get_strength("d", n).explained for n in (100, 400))

    equal = get_strength("a", 100).explained
    assert_allclose((equal - few) / (equal - many), 2)
    assert get_strength("b", 100) == get_strength("a", 7)


@pytest.mark.parametrize("design", [design.name for design in DESIGNS])
def test_property_a_repetition_depends_on_its_index_alone(design: str) -> None:
    cell = find_cell(design)

    first = repeat_cell(cell, 1, 0, 0)

    assert first == pytest.approx(repeat_cell(cell, 1, 0, 0), nan_ok=True)
    assert first != pytest.approx(repeat_cell(cell, 1, 1, 0), nan_ok=True)
    assert any(name.startswith("interval/b/") for name in first)
    assert any(name.startswith("test/d/") for name in first)


def test_exact_the_truth_of_fitted_models_is_that_of_their_rules() -> None:
    experiment = run_experiment(find_cell("10-fold", n=1000), 5)

    assert experiment.truths is not None
    best, worst = 0.2, 0.5
    for model in MODELS:
        assert best <= experiment.truths[model] <= worst
    # with 900 rows to learn from the rule is nearly the best one
    assert experiment.truths["a"] < best + 0.02


def build_records(differences: dict[str, list[float]]) -> dict[str, np.ndarray]:
    """Return records of a cell whose standard errors are 1, with normal quantiles."""
    records: dict[str, np.ndarray] = {}
    for pair, values in differences.items():
        place = f"interval/{pair}/these_sources"
        records[f"{place}/difference"] = np.array(values)
        records[f"{place}/error"] = np.ones(len(values))
        records[f"{place}/degrees"] = np.full(len(values), np.inf)
        records[f"mean/{pair}"] = np.array(values)
        p_values = np.array([0.01 if abs(value) > 1.96 else 0.5 for value in values])
        records[f"test/{pair}/sign/these_sources"] = p_values
    return records


def test_exact_verdicts_of_paired_rates_are_those_of_a_result() -> None:
    cell = find_cell("holdout")
    records = wrap(repeat_cell(cell, 3, 0, 0))
    losses = run_experiment(cell, make_seed(3, cell.name, 0)).table.models
    like = find_bases(run_experiment(cell, 1).table)["d", Target.THESE_MODELS]
    terms = VerdictTerms(
        level=0.95,
        margin=0.1,
        correction="holm",
        power=0.8,
        layout=build_block_layout(BlockKind.HOLDOUT, [17]),
    )

    for pair in ("b", "c", "d"):
        (basis,) = read_bases(records, pair, Target.THESE_MODELS, like)
        alone: Any = {name: losses[name].values for name in (pair, "a")}
        comparison = thetahat.evaluate(alone, blocks="holdout", margin=0.1).comparisons[0]
        verdict = comparison.verdict
        interval: Any = comparison.interval
        assert basis is not None
        assert (verdict.method, interval.variance) == ("tango", None)
        ends = pytest.approx((interval.lower, interval.upper), rel=1e-9)
        assert basis.compute_ends(0.025) == ends
        assert basis.compute_p_value() == verdict.p_value
        (words,) = decide([ask(pair, basis)], terms)
        assert words == {verdict.decision, *verdict.also}


def test_by_hand_sizes_and_words(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = find_cell("5x10")
    monkeypatch.setattr(simulation, "list_cells", lambda: iter([cell]))
    # the margin is the mean of d: 3. Of b: one missed above, one below; of c: none
    records = build_records(
        {"b": [2.5, -2.5, 0.0, 0.0], "c": [0.0, 0.0, 0.0, 1.0], "d": [5.0, 4.0, 3.0, 0.0]}
    )

    rows = {row["subject"]: row for row in tabulate({cell.name: records})}

    verdict = rows["verdict"]
    assert verdict["size"][0] == 0.25
    assert verdict["power"][0] == 0.75
    assert rows["test"]["size"][0] == 0.25
    words = verdict["words"]
    assert (words["equal_worse"][0], words["equal_better"][0]) == (0.125, 0.125)
    assert words["worse_worse"][0] == 0.75
    # 3 - 0 is 3 standard errors, so the last sample says that d is equivalent, which is false
    assert (words["worse_equivalent"][0], words["worse_not_worse"][0]) == (0.25, 0.25)
    # of b and c at 0 and of c at 1, with 2 standard errors to the margin
    assert words["equal_equivalent"][0] == 0.75
    # Holm's correction doubles the p-value of b (0.0124) where d comes first: false in the first
    # two samples; in the last one d is said to be equivalent
    assert words["any_false"][0] == 0.75


def test_exact_the_command_writes_both_files_that_the_library_can_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [find_cell("10-fold", "squared"), find_cell("tasks", "squared")]
    for module in (simulation, plan_checks):
        monkeypatch.setattr(module, "list_cells", lambda: iter(cells))
    arguments = [
        "--repetitions",
        "6",
        "--plans",
        "3",
        "--processes",
        "1",
        "--output",
        str(tmp_path),
    ]
    monkeypatch.setattr(sys, "argv", ["test_errors", *arguments])

    command.main()

    study = json.loads((tmp_path / "test_errors.json").read_text())
    rows = [dict(zip(study["columns"], row, strict=True)) for row in study["rows"]]
    assert {row["design"] for row in rows} == {"10-fold", "tasks"}
    assert all(0 <= row["size"] <= 1 for row in rows)
    own = {(row["design"], row["target"]): row["own_null"] for row in rows}
    assert own["10-fold", "these_sources"]
    assert study["values"]["zero_one"] == "binary"
    page = (tmp_path / "test_errors.md").read_text()
    assert "## Tests of two models" in page
    assert "### tasks" in page


def test_exact_records_are_kept(tmp_path: Path) -> None:
    write_records(tmp_path / "r.npz", {"10-fold, x|mean/d": np.array([1.0, np.nan])})

    kept = split_by_cell(read_records(tmp_path / "r.npz"))["10-fold, x"]
    assert_allclose(kept["mean/d"], [1.0, np.nan])


def test_exact_an_interrupted_study_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = find_cell("holdout")
    monkeypatch.setattr(simulation, "list_cells", lambda: iter([cell]))
    monkeypatch.setattr(simulation, "STEP", 2)
    whole = simulation.simulate(3, 4, 1)[cell.name]
    simulation.simulate(3, 2, 1, tmp_path)
    (file,) = tmp_path.iterdir()
    kept = read_records(file)
    write_records(file, {**kept, f"{cell.name}|mean/b": kept[f"{cell.name}|mean/b"] + 100})

    continued = simulation.simulate(3, 4, 1, tmp_path)[cell.name]

    # the kept part is read, and the other one is computed
    assert_allclose(continued["mean/b"], whole["mean/b"] + [100, 100, 0, 0])
    assert_allclose(continued["mean/d"], whole["mean/d"])
    assert len(list(tmp_path.iterdir())) == 2


def test_exact_a_planned_experiment_is_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = find_cell("leave-one-source-out")
    monkeypatch.setattr(plan_checks, "list_cells", lambda: iter([cell]))

    rows = check_plans({cell.name: 0.15}, 1, 8, 1)

    assert {(row["model"], row["assumes"]) for row in rows} == {
        ("d", "margin"),
        ("d", "observed"),
        ("b", "observed"),
    }
    for row in rows:
        assert row["unit"] == "sources"
        assert row["growth"] > 1
        assert 0 <= row["shown"][0] <= 1
        assert row["carried_out"] <= row["planned"] <= 8


@pytest.mark.parametrize("name", ["10-fold", "5-fold", "5x10", "random draws"])
def test_exact_repeats_divide_the_same_rows_into_a_hundred_splits(name: str) -> None:
    cell = find_cell(name)

    first = run_experiment(cell, 4, models=("a",)).table
    more = run_experiment(cell, 4, models=("a",), **repeat_more(cell.design)).table

    assert more.layout.n_splits == 100
    assert first.layout.n_instances <= more.layout.n_instances <= cell.n
    assert first.layout.n_splits < 100
    assert is_repeated(cell.design) == (name in {"5x10", "random draws"})


def test_naive_repeats_are_counted_where_the_first_experiment_was_undecided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cell = find_cell("5-fold", "squared")
    monkeypatch.setattr(plan_checks, "list_cells", lambda: iter([cell]))

    (row,) = check_repeats(2, 12, 1)

    decided = []
    for index in range(12):
        seed = make_seed(2, f"repeats, {cell.name}", index)
        verdicts = []
        for scheme in ({}, {"n_repeats": 20}):
            table = run_experiment(cell, seed, models=("a", "d"), **scheme).table
            basis = find_bases(table)["d", Target.THESE_SOURCES]
            half = basis.standard_error * t.ppf(0.975, basis.degrees_of_freedom or math.inf)
            verdicts.append(basis.difference > half)
        if not verdicts[0]:
            decided.append(verdicts[1])
    assert row["undecided"] == len(decided)
    assert row["decided"][0] == pytest.approx(np.mean(decided), abs=1e-4)
    assert 0.3 < row["error_ratio"] < 1
    assert average_decided([row, {**row, "repeated": True}], repeated=False) == row["decided"][0]


def test_exact_the_sentence_about_repeats_has_the_shares_of_the_kept_study() -> None:
    kept = json.loads(Path("thetahat/analyses/losses/test_errors.json").read_text())["repeats"]

    for name, repeated in (("one", False), ("several", True)):
        share = average_decided(kept, repeated=repeated)
        assert pytest.approx(share, abs=0.005) == SHARE_DECIDED_BY_REPEATS[name]


def test_naive_a_plan_without_a_margin_assumes_the_observed_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cell = find_cell("tasks")
    sizes: dict[str, int] = {}

    def run(cell: Cell, seed: int, **options: Any) -> Any:
        if "n_sources" in options:
            sizes["/".join(options["models"])] = options["n_sources"]
        return run_experiment(cell, seed, **options)

    monkeypatch.setattr(plan_checks, "run_experiment", run)
    monkeypatch.setattr(plan_checks, "QUESTIONS", (PlanQuestion("b", "observed"),))
    monkeypatch.setattr(plan_checks, "MAX_GROWTH", 10**6)
    (trial,) = plan_checks._run_cell(cell, 1.0, 5, 1).values()
    first = run_experiment(cell, make_seed(5, f"plan 1, {cell.name}", 0), models=("a", "b")).table
    task = np.arange(50) * 20 // 50
    losses = np.subtract(*(np.asarray(first.models[model].values) for model in "ba"))
    difference = np.bincount(task, losses) / np.bincount(task)
    error = difference.std(ddof=1)

    # the power of the noncentral t test, for the total that the second experiment had
    total = sizes["a/b"]
    powers = [
        1 - nct.cdf(t.ppf(0.975, k - 1), k - 1, abs(difference.mean()) / error * math.sqrt(k))
        for k in (total - 1, total)
    ]
    assert trial[0].undecided
    assert powers[0] < 0.8 <= powers[1] + 1e-4


def test_hand_the_oracle_knows_the_standard_deviation() -> None:
    """A difference of 2 with a standard deviation of 1 is found with Phi(.04), the share .6."""
    cell = find_cell("5x10")
    spread = np.sqrt(1.5) * np.tile([-1.0, 0.0, 1.0], 500)
    records = {cell.name: {"mean/d": 2 + spread}}
    (oracle,) = [row for row in list_oracles(records) if row["target"] == "these_sources"]
    row = {**oracle, "subject": "verdict", "power": 0.6 * oracle["power"]}
    several = {**row, "subject": "multiple"}

    assert_allclose(oracle["power"], 0.516, atol=1e-3)
    shares = [each["of_oracle"] for each in add_oracles([row, several], [oracle])]
    assert_allclose(shares[0], 0.6, rtol=1e-12)
    assert shares[1] is None

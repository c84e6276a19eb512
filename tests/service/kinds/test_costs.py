"""Costs in every form of a request, on the command line, and in what is shown of the result."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thetahat
from tests.cases import each
from tests.presentation.reading import row_of, table_of
from tests.service.kinds.model_logs import inspect_eval
from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from tests.service.kinds.test_logs import INSPECT, request, uploaded
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat_presentation.showing import show
from thetahat_service.cli import main
from thetahat_service.errors import InvalidRequest
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.drawing import draw
from thetahat_service.figures.style import Style

N = 120
RNG = np.random.default_rng(36)
OLD = (RNG.random(N) < 0.2).astype(int).tolist()
NEW = [1 - value if i < 3 else value for i, value in enumerate(OLD)]
COSTS = {"new": RNG.lognormal(-1.6, 0.5, N).tolist(), "old": RNG.lognormal(0, 0.5, N).tolist()}
NUMBERS = {"new": 0.2, "old": 1.25}
GATE = {"model": "new", "against": "old", "cheaper_by": 0.5}
BODY: dict[str, Any] = {"kind": "losses", "blocks": "holdout", "margin": 0.1}
INLINE = {**BODY, "losses": {"new": NEW, "old": OLD}, "cost_unit": "USD", "gate": GATE}


@pytest.fixture(scope="module")
def result() -> Any:
    return run_kind({**INLINE, "cost": COSTS}).result


def test_exact_the_library_and_the_service_agree(result: Any) -> None:
    evaluated = thetahat.evaluate(
        {"new": NEW, "old": OLD},
        blocks="holdout",
        margin=0.1,
        cost=COSTS,
        cost_unit="USD",
        gate=thetahat.Gate(**GATE),  # type: ignore[arg-type]
        seed=7,
    ).to_dict()

    for part in ("models", "comparisons", "gate", "cost"):
        assert json.loads(json.dumps(evaluated[part])) == result[part]


def test_exact_columns_of_a_data_set(result: Any, tmp_path: Path) -> None:
    table = {"new": NEW, "old": OLD, "c_new": COSTS["new"], "c_old": COSTS["old"]}
    file = parquet_file(tmp_path, table)
    columns = {"losses": ["new", "old"], "cost": {"new": "c_new", "old": "c_old"}}
    body = {**BODY, "dataset": str(file.id), "cost_unit": "USD", "gate": GATE}
    ran = run_kind({**body, "columns": columns}, [file]).result

    for part in ("models", "comparisons", "gate", "cost"):
        assert ran[part] == result[part]
    numbers = run_kind({**body, "columns": {"losses": ["new", "old"]}, "cost": NUMBERS}, [file])
    assert numbers.result["comparisons"][0]["cost"]["ratio"] == 0.16


def test_exact_blocks_of_costs_have_the_shape_of_the_losses() -> None:
    def cut(values: list[Any]) -> list[list[Any]]:
        return [values[i : i + 30] for i in range(0, N, 30)]

    losses = {"new": cut(NEW), "old": cut(OLD)}
    cost = {name: cut(values) for name, values in COSTS.items()}
    body = {"kind": "losses", "blocks": "source", "losses": losses}
    rows = {"losses": {"new": NEW, "old": OLD}, "block": [i // 30 for i in range(N)]}
    in_blocks = run_kind({**body, "cost": cost}).result
    in_rows = run_kind({**body, **rows, "cost": COSTS}).result

    assert in_blocks["comparisons"] == in_rows["comparisons"]
    target = in_blocks["summary"]["target"]
    assert in_blocks["models"]["old"]["cost"]["interval"]["target"] == target


def test_exact_rows_that_are_left_out_take_their_costs_with_them() -> None:
    old = [None if i % 10 == 0 else value for i, value in enumerate(OLD)]
    body = {**INLINE, "losses": {"new": NEW, "old": old}, "missing": "leave_out", "cost": COSTS}
    kept = [i for i in range(N) if i % 10]
    means = run_kind(body).result["models"]

    for name, values in COSTS.items():
        assert means[name]["cost"]["mean"] == pytest.approx(np.mean([values[i] for i in kept]))


def test_exact_costs_of_predictions() -> None:
    y = ["yes" if value else "no" for value in OLD]
    predictions = {"new": ["no"] * N, "old": y}
    body = {"kind": "predictions", "blocks": "holdout", "loss": "zero_one", "y": y}
    ran = run_kind({**body, "predictions": predictions, "cost": COSTS}).result

    assert ran["models"]["old"]["cost"]["mean"] == pytest.approx(np.mean(COSTS["old"]))
    assert ran["comparisons"][0]["cost"]["cheaper"] == "new"
    assert set(ran["cost"]["pareto"]) == {"new", "old"}


def test_exact_costs_of_learners_and_of_logs(tmp_path: Path) -> None:
    x = RNG.normal(size=(60, 2))
    y = np.where(x[:, 0] + RNG.normal(size=60) > 0, "yes", "no")
    body = {
        "kind": "cross_validation",
        "data": {"X": x.tolist(), "y": y.tolist()},
        "task": "classification",
        "learners": {"lda": "linear_discriminant", "most": "majority"},
        "scheme": {"name": "k_fold", "params": {"n_folds": 5}},
    }
    ran = run_kind({**body, "cost": {"lda": 3.0, "most": 1.0}, "cost_unit": "s"}).result
    assert ran["comparisons"][0]["cost"]["ratio"] == 3.0
    assert ran["cost"]["unit"] == "s"
    with pytest.raises(InvalidParameter, match="none of the models"):
        run_kind({**body, "cost": {"lda": 3.0, "most": 1.0, "mots": 1.0}})

    runs: dict[int | str, list[str]] = {i: ["C"] if i % 3 else ["I"] for i in range(12)}
    logs = [
        uploaded(tmp_path, model, INSPECT, inspect_eval("arc", model, runs)) for model in ("a", "b")
    ]
    of_logs = run_kind({**request(logs, "match"), "cost": {"a": 1.0, "b": 4.0}}, logs).result
    assert of_logs["comparisons"][0]["cost"]["ratio"] == 0.25


@each(
    "changes,places",
    [
        (
            {"cost": {"new": -1, "odl": 1, "od": 2}},
            ["cost.odl", "cost.od", "cost.old", "cost.new"],
        ),
        (
            {"cost": {"new": [1, -2, None, *[0] * (N - 3)], "old": -1}},
            ["cost.old", "cost.new.1", "cost.old"],
        ),
        ({"cost": {"new": COSTS["new"][1:], "old": COSTS["old"][2:]}}, ["cost.new", "cost.old"]),
        ({"cost": None}, ["gate.cheaper_by", "cost_unit"]),
    ],
)
def test_exact_every_fault_of_costs_is_named(changes: dict[str, Any], places: list[str]) -> None:
    body = {name: value for name, value in {**INLINE, **changes}.items() if value is not None}
    with pytest.raises(InvalidParameter) as caught:
        run_kind(body)

    assert [".".join(map(str, each.loc)) for each in (caught.value, *caught.value.others)] == places


def test_exact_the_number_of_rows_that_are_no_costs_is_named() -> None:
    cost = {**COSTS, "old": [-1, None, *COSTS["old"][2:]]}
    with pytest.raises(InvalidParameter, match="1 other row has no such number, either"):
        run_kind({**INLINE, "cost": cost})


@each(
    "changes,place",
    [
        ({"cost": {"new": -1, "old": 1}}, "cost.new"),
        ({"cost": {"new": "1", "old": 1}}, "cost.new"),
        ({"cost": {"new": 1}}, "cost.old"),
        ({"cost": {**NUMBERS, "odl": 1}}, "cost.odl"),
        ({"cost": {**COSTS, "old": [*COSTS["old"][:-1], None]}}, f"cost.old.{N - 1}"),
        ({"cost": {**COSTS, "old": [*COSTS["old"][:-1], -3]}}, f"cost.old.{N - 1}"),
        ({"cost": None}, "gate.cheaper_by"),
        ({"cost": None, "gate": None}, "cost_unit"),
        ({"cost": NUMBERS, "gate": {**GATE, "cheaper_by": 1}}, "gate.cheaper_by"),
    ],
)
def test_invalid_costs_have_a_place(changes: dict[str, Any], place: str) -> None:
    body = {name: value for name, value in {**INLINE, **changes}.items() if value is not None}
    with pytest.raises((EvaluationError, InvalidRequest)) as caught:
        run_kind(body)

    assert ".".join(map(str, place_of(caught.value))) == place


def test_invalid_columns_of_costs(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"new": NEW, "old": OLD, "c": ["one"] * N})
    body = {**BODY, "dataset": str(file.id)}
    for cost, words in (
        ({"new": "c", "old": "d"}, "no column 'd'"),
        ({"new": "new"}, "has no cost"),
    ):
        with pytest.raises((EvaluationError, InvalidRequest), match=words) as caught:
            run_kind({**body, "columns": {"losses": ["new", "old"], "cost": cost}}, [file])
        assert place_of(caught.value) == ("columns", "cost", "old")
    columns = {"losses": ["new"], "cost": {"new": "c"}}
    with pytest.raises(EvaluationError, match="not numeric"):
        run_kind({**body, "columns": columns}, [file])
    with pytest.raises(EvaluationError, match="in one of the two"):
        run_kind({**body, "columns": columns, "cost": {"new": 1.0}}, [file])


@each("kind", ["learning_curve", "selection"])
def test_invalid_kinds_without_costs_refuse_a_gate_about_them(kind: str) -> None:
    example = files(f"thetahat_service.kinds.{kind}").joinpath("example_request.json")
    gate = {**GATE, "against": "mean"}
    body = {**json.loads(example.read_text()), "margin": 0.5, "gate": gate}
    with pytest.raises(InvalidParameter, match="the request has no cost") as caught:
        run_kind(body)
    assert place_of(caught.value) == ("gate", "cheaper_by")


def test_exact_what_is_shown(result: Any) -> None:
    document = show(result)
    cost = result["comparisons"][0]["cost"]
    models = table_of(document, "Quality against cost")
    pairs = table_of(document, "Costs of pairs")

    assert cost["sentence"] in document.findings.sentences
    assert document.findings.tables[0].columns[-1] == "Mean cost (USD)"
    for name, model in result["models"].items():
        assert float(row_of(models, name)[1]) == pytest.approx(model["cost"]["mean"], rel=0.02)
    assert row_of(models, "new")[-3:] == ["yes", "", ""]
    assert row_of(models, "old")[-3:] == ["no", "new", "equivalent"]
    assert row_of(pairs, "new \N{MINUS SIGN} old")[-1] == cost["sentence"]
    assert float(row_of(pairs, "new \N{MINUS SIGN} old")[1]) == pytest.approx(
        cost["ratio"], rel=1e-3
    )


def test_exact_the_figure_draws_every_model(result: Any) -> None:
    figure = next(each for each in list_figures(result) if each.name == "quality_cost")
    rows = figure.build_spec(Style())["data"]["values"]

    assert [(row["model"], row["remains"]) for row in rows] == [("new", True), ("old", False)]
    assert [row["cost"] for row in rows] == [
        result["models"][row["model"]]["cost"]["mean"] for row in rows
    ]
    assert draw(figure.build_spec(Style()), "svg").startswith(b"<svg")


def test_exact_options_of_commands(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "losses.csv"
    lines = ["new,old,c_new,c_old"]
    lines += [f"{NEW[i]},{OLD[i]},{COSTS['new'][i]!r},{COSTS['old'][i]!r}" for i in range(N)]
    table.write_text("\n".join(lines))
    of_file = [str(table), "--model", "new", "--blocks", "holdout", "--margin", "0.1"]

    def run(command: str, *options: str) -> tuple[int, str, str]:
        status = main([command, *of_file, *options])
        captured = capfd.readouterr()
        return status, captured.out, captured.err

    columns = ["--cost", "new=c_new", "--cost", "old=c_old", "--cost-unit", "USD"]
    numbers = ["--cost", "new=0.2", "--cost", "old=1.25"]
    status, out, _ = run("compare", "--model", "old", *columns, "--json")
    assert status == 0
    printed = json.loads(out)
    assert printed["cost"]["measured"] is True
    assert printed["cost"]["unit"] == "USD"
    gate = ["--against", "old", "--cheaper-by"]
    assert run("gate", *gate, "0.8", *numbers)[0] == 0
    assert run("gate", *gate, "0.9", *numbers)[0] == 1
    assert run("gate", *gate, "0.5", *columns)[0] == 0
    for options, words in (
        (["--cost", "new"], "must be MODEL=NUMBER"),
        (["--cost", "new=1", "--cost", "new=2"], "once for each model"),
        (["--cost", "new=1", "--cost", "old=c_old"], "Give one of the two"),
        (["--cost", "new=c_new", "--cost", "old=c_odl"], "no column 'c_odl'"),
    ):
        status, _, err = run("compare", "--model", "old", *options)
        assert status == 2
        assert words in " ".join(err.split())

"""Groups in every form of a request, and in what is shown of its result."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import thetahat
from tests.service.kinds.model_logs import inspect_eval
from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from tests.service.kinds.test_logs import INSPECT, request, uploaded
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat_service.cli import main
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.drawing import draw
from thetahat_service.figures.style import Style

N = 240
RNG = np.random.default_rng(36)
SEX = RNG.choice(["f", "m"], N).tolist()
AGE = [None if u < 0.1 else "<40" if u < 0.6 else "40+" for u in RNG.random(N)]
OLD = (RNG.random(N) < 0.3).astype(int).tolist()
NEW = (RNG.random(N) < [0.1 if sex == "f" else 0.3 for sex in SEX]).astype(int).tolist()
GATE = {"model": "new", "against": "old", "require": "no_group_worse"}
BODY: dict[str, Any] = {"kind": "losses", "blocks": "holdout", "margin": 0.1}
INLINE = {
    **BODY,
    "losses": {"new": NEW, "old": OLD},
    "groups": {"sex": SEX, "age": AGE},
    "group_by": ["sex", ["sex", "age"]],
    "gate": GATE,
}


@pytest.fixture(scope="module")
def result() -> Any:
    return run_kind(INLINE).result


def test_exact_the_library_and_the_service_agree(result: Any) -> None:
    evaluated = thetahat.evaluate(
        {"new": NEW, "old": OLD},
        blocks="holdout",
        margin=0.1,
        groups={"sex": SEX, "age": AGE},
        group_by=["sex", ["sex", "age"]],
        gate=thetahat.Gate(**GATE),  # type: ignore[arg-type]
        seed=7,
    ).to_dict()

    for part in ("models", "comparisons", "gate"):
        assert json.loads(json.dumps(evaluated[part])) == result[part]


def test_exact_columns_of_a_data_set(result: Any, tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"new": NEW, "old": OLD, "sex": SEX, "age": AGE})
    columns = {"losses": ["new", "old"], "groups": ["sex", "age"]}
    body = {**BODY, "dataset": str(file.id), "columns": columns, "gate": GATE}
    ran = run_kind({**body, "group_by": INLINE["group_by"]}, [file]).result

    for part in ("models", "comparisons", "gate"):
        assert ran[part] == result[part]


def test_exact_rows_that_are_left_out_leave_their_group(tmp_path: Path) -> None:
    old = [None if age is None else value for age, value in zip(AGE, OLD, strict=True)]
    changes = {"losses": {"new": NEW, "old": old}, "groups": {"age": AGE}, "missing": "leave_out"}
    body = {**{key: INLINE[key] for key in INLINE if key != "group_by"}, **changes}
    groups = run_kind(body).result["comparisons"][0]["groups"]["age"]["items"]
    absent = groups[-1]

    assert [item["group"]["age"] for item in groups] == ["40+", "<40", None]
    assert (absent["n"], absent["difference"], absent["decision"]) == (0, None, "undecided")
    assert absent["reason"].startswith("None of its rows is tested")
    assert sum(item["n"] for item in groups) == sum(age is not None for age in AGE)


def test_exact_groups_of_predictions_and_cross_validations(tmp_path: Path) -> None:
    rng = np.random.default_rng(37)
    x = rng.normal(size=(90, 2))
    y = np.where(x[:, 0] + rng.normal(size=90) > 0, "yes", "no")
    sex = np.array(SEX[:90])
    data = {"X": x.tolist(), "y": y.tolist(), "groups": {"sex": sex.tolist()}}
    body = {
        "kind": "cross_validation",
        "data": data,
        "task": "classification",
        "learners": {"lda": "linear_discriminant", "most": "majority"},
        "scheme": {"name": "k_fold", "params": {"n_folds": 5}},
        "metrics": ["recall"],
    }
    ran = run_kind(body)
    of_data = ran.result["models"]["lda"]["groups"]["sex"]["items"]
    file = parquet_file(tmp_path, {"a": x[:, 0], "b": x[:, 1], "y": y, "sex": sex})
    named = {"target": "y", "groups": ["sex"]}
    without = {name: value for name, value in body.items() if name != "data"}
    of_file = run_kind({**without, "dataset": str(file.id), "columns": named}, [file]).result

    assert sum(item["n"] for item in of_data) == 90
    assert of_data == of_file["models"]["lda"]["groups"]["sex"]["items"]
    whole = ran.result["models"]["lda"]["mean"]["pooled"]
    assert_allclose(sum(item["share"] * item["mean"] for item in of_data), whole, rtol=1e-12)
    for item in of_data:
        recall = item["metrics"]["recall"]
        assert recall["interval"]["lower"] < recall["estimate"] < recall["interval"]["upper"]


def test_exact_tasks_of_logs_are_groups(tmp_path: Path) -> None:
    runs: dict[str, dict[int | str, list[str]]] = {
        task: {i: ["C"] if i % every else ["I"] for i in range(12)}
        for task, every in (("arc", 3), ("mmlu", 2))
    }
    logs = [
        uploaded(tmp_path, f"{task}-{model}", INSPECT, inspect_eval(task, model, of_task))
        for task, of_task in runs.items()
        for model in ("new", "old")
    ]
    ran = run_kind(request(logs, "match", logs={"groups": ["task"]}), logs).result
    items = ran["models"]["new"]["groups"]["task"]["items"]

    assert [item["group"]["task"] for item in items] == ["arc", "mmlu"]
    assert [item["mean"] for item in items] == pytest.approx([8 / 12, 0.5])
    cautions = ran["models"]["new"]["groups"]["task"]["cautions"]
    assert "groups_of_these_sources" in {caution["code"] for caution in cautions}


# What is shown -----------------------------------------------------------------------------------


def test_exact_the_figure_has_the_intervals_of_the_result(result: Any) -> None:
    figures = {figure.name: figure for figure in list_figures(result)}
    spec = figures["groups_sex"].build_spec(Style())
    drawn = {(row["group"], row["model"]): row for row in spec["data"]["values"]}

    assert "groups_sex_x_age" in figures
    for name, model in result["models"].items():
        groups = model["groups"]["sex"]
        for item in groups["items"]:
            row = drawn[item["group"]["sex"], name]
            ends = [item["mean"], item["interval"]["lower"], item["interval"]["upper"]]
            assert [row["estimate"], row["lower"], row["upper"]] == ends
        assert {"model": name, "whole": groups["whole"]} in spec["layer"][0]["data"]["values"]
    assert draw(spec, "svg").startswith(b"<svg")


def test_exact_the_command_line_has_the_gate_of_the_request(
    result: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("THETAHAT_URL", raising=False)
    table = tmp_path / "losses.csv"
    rows = zip(NEW, OLD, SEX, ["" if age is None else age for age in AGE], strict=True)
    table.write_text("new,old,sex,age\n" + "\n".join(",".join(map(str, row)) for row in rows))
    words = ["--model", "new", "--against", "old", "--margin", "0.1", "--require", "no_group_worse"]
    options = ["--blocks", "holdout", "--group", "sex", "--group", "sex,age", "--json"]
    status = main(["gate", str(table), *words, *options])
    gate = json.loads(capsys.readouterr().out)

    assert status == {"pass": 0, "fail": 1, "undecided": 3}[gate["outcome"]]
    assert gate == result["gate"]


# Bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message", "place"),
    [
        ({"groups": {"sex": ["f"]}, "group_by": None}, "has 1 entries", ("groups", "sex")),
        ({"groups": {"sex": [["f"]] * N}, "group_by": None}, "A group must", ("groups", "sex", 0)),
        ({"group_by": ["sexe"]}, "names 'sexe'", ("group_by", 0)),
        ({"groups": None}, "the request has no groups", ("gate", "require")),
        ({"groups": None, "gate": None}, "group_by needs groups", ("group_by",)),
    ],
)
def test_invalid_groups(change: Any, message: str, place: Any) -> None:
    body = {name: value for name, value in {**INLINE, **change}.items() if value is not None}
    with pytest.raises((EvaluationError, ValueError), match=message) as caught:
        run_kind(body)
    assert place_of(caught.value) == place


def test_invalid_groups_of_runs() -> None:
    body = {**INLINE, "item": [i // 2 for i in range(N)]}
    with pytest.raises(InvalidParameter, match="Groups need one row for each item"):
        run_kind(body)


def test_invalid_group_columns_of_a_data_set(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"new": NEW, "old": OLD, "sex": SEX})
    named = {"losses": ["new", "old"], "groups": ["sexe"]}
    body = {**BODY, "dataset": str(file.id)}
    with pytest.raises(Exception, match="There is no column 'sexe'") as caught:
        run_kind({**body, "columns": named}, [file])
    assert place_of(caught.value) == ("columns", "groups", 0)
    with pytest.raises(Exception, match="Name the columns in columns") as caught:
        run_kind({**body, "columns": {"losses": ["new"]}, "groups": {"sex": SEX}}, [file])
    assert place_of(caught.value) == ("groups",)


@pytest.mark.parametrize("kind", ["learning_curve", "selection"])
def test_invalid_a_gate_about_groups_of_a_kind_without_groups(kind: str) -> None:
    example = files(f"thetahat_service.kinds.{kind}").joinpath("example_request.json")
    body = {**json.loads(example.read_text()), "margin": 0.5, "gate": {**GATE, "against": "mean"}}
    with pytest.raises(InvalidParameter, match="the request has no groups") as caught:
        run_kind(body)
    assert place_of(caught.value) == ("gate", "require")

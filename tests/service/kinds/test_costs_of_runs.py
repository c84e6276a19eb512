"""Costs by row of runs, beside a judge, and of the runs in logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thetahat
from tests.cases import each
from tests.service.data.test_evaluation_tools import load
from tests.service.kinds.model_logs import inspect_json
from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from tests.service.kinds.test_logs import INSPECT, request, uploaded
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat_service.cli import main
from thetahat_service.errors import InvalidRequest
from thetahat_service.kinds.base import DatasetFile

RNG = np.random.default_rng(366)
N = 40
RUNS = 3
ITEM = np.repeat(np.arange(N), RUNS).tolist()
LOSSES = {m: (RNG.random(N * RUNS) < p).astype(int).tolist() for m, p in (("a", 0.3), ("b", 0.4))}
COSTS = {m: RNG.lognormal(k, 0.5, N * RUNS).tolist() for m, k in (("a", 0), ("b", 1))}
BODY: dict[str, Any] = {"kind": "losses", "blocks": "holdout", "margin": 0.3, "cost_unit": "USD"}


def average(values: list[Any]) -> list[float]:
    return [float(mean) for mean in np.reshape(values, (N, RUNS)).mean(axis=1)]


def list_costs(result: Any) -> list[Any]:
    costs = [result["models"][name]["cost"] for name in ("a", "b")]
    return [*costs, result["comparisons"][0]["cost"], result["cost"]]


def check_costs(found: Any, wanted: Any) -> None:
    for one, other in zip(list_costs(found), list_costs(wanted), strict=True):
        for name, value in other.items():
            if name == "interval":
                ends = [[part[end] for end in ("lower", "upper")] for part in (one[name], value)]
                assert ends[0] == pytest.approx(ends[1], rel=1e-12)
            elif name != "caution_texts":
                assert one[name] == (
                    pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
                )


def test_exact_costs_of_runs_are_those_of_the_means_of_items(tmp_path: Path) -> None:
    means = {
        name: {m: average(v) for m, v in by_model.items()}
        for name, by_model in (("losses", LOSSES), ("cost", COSTS))
    }
    wanted = run_kind({**BODY, **means}).result
    inline = run_kind({**BODY, "losses": LOSSES, "item": ITEM, "cost": COSTS}).result
    columns = {f"c_{m}": values for m, values in COSTS.items()}
    file = parquet_file(tmp_path, {**LOSSES, **columns, "i": ITEM})
    names = {"losses": ["a", "b"], "item": "i", "cost": {"a": "c_a", "b": "c_b"}}
    uploaded_rows = run_kind({**BODY, "dataset": str(file.id), "columns": names}, [file]).result
    of_library = thetahat.evaluate(
        LOSSES, blocks="holdout", margin=0.3, item=ITEM, cost=COSTS, cost_unit="USD", seed=7
    ).to_dict()

    for found in (inline, uploaded_rows, json.loads(json.dumps(of_library))):
        check_costs(found, wanted)
    assert inline["models"]["b"]["cost"]["mean"] == pytest.approx(np.mean(COSTS["b"]))


@each("has_clusters", [False, True])
def test_exact_costs_beside_a_judge_are_over_all_rows(
    has_clusters: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
) -> None:
    n = len(ITEM)
    labelled = [i % 3 == 0 if not has_clusters else item % 2 == 0 for i, item in enumerate(ITEM)]
    labels = {
        m: [v if known else None for v, known in zip(values, labelled, strict=True)]
        for m, values in LOSSES.items()
    }
    cluster = {"cluster": ITEM} if has_clusters else {}
    body = {**BODY, **cluster, "losses": labels, "judge": {"losses": LOSSES}, "cost": COSTS}
    plain = run_kind({"kind": "losses", "blocks": "holdout", **cluster, "losses": COSTS}).result
    found = run_kind(body).result
    of_library = thetahat.evaluate(
        labels,
        blocks="holdout",
        margin=0.3,
        cluster=ITEM if has_clusters else None,
        judge={"losses": LOSSES},
        cost=COSTS,
        cost_unit="USD",
        seed=7,
    ).to_dict()
    empty = {m: np.array(values, dtype=float) for m, values in labels.items()}
    table = {**empty, "j_a": LOSSES["a"], "j_b": LOSSES["b"], "c_a": COSTS["a"], "c_b": COSTS["b"]}
    file = parquet_file(tmp_path, {**table, "i": ITEM})
    columns: dict[str, Any] = {
        "losses": ["a", "b"],
        "judge": {"losses": ["j_a", "j_b"]},
        "cost": {"a": "c_a", "b": "c_b"},
        **({"cluster": "i"} if has_clusters else {}),
    }
    of_file = run_kind({**BODY, "dataset": str(file.id), "columns": columns}, [file]).result

    for name in ("a", "b"):
        wanted = plain["models"][name]["recommended"]["these_models"]
        cost = found["models"][name]["cost"]
        assert cost["mean"] == pytest.approx(np.mean(COSTS[name]), rel=1e-12)
        assert [cost["interval"][end] for end in ("lower", "upper")] == pytest.approx(
            [wanted["lower"], wanted["upper"]], rel=1e-9
        )
    check_costs(of_file, found)
    check_costs(json.loads(json.dumps(of_library)), found)
    with pytest.raises(InvalidParameter, match=f"has {n - 1} costs, and there are {n} rows"):
        run_kind({**body, "cost": {**COSTS, "a": COSTS["a"][1:]}})


def build_log(folder: Path, model: str, change: Any = None) -> DatasetFile:
    """Return a log of inspect_ai with three epochs of each item, their time and their tokens."""
    runs: dict[int | str, list[str]] = {
        i: ["I" if loss else "C" for loss in LOSSES[model][RUNS * i : RUNS * (i + 1)]]
        for i in range(N)
    }
    log = json.loads(inspect_json("arc", model, runs))
    for place, sample in enumerate(log["samples"]):
        sample["total_time"] = COSTS[model][place]
        used = {"input_tokens": 10 + place, "output_tokens": 5, "total_tokens": 15 + place}
        grader = {"input_tokens": 999, "output_tokens": 999, "total_tokens": 1998}
        sample["model_usage"] = {model: used, "grader": grader}
        if change is not None:
            change(place, sample)
    return uploaded(
        folder, f"{model}-{len(list(folder.iterdir()))}", INSPECT, json.dumps(log).encode()
    )


def test_exact_costs_of_inspect_logs(tmp_path: Path) -> None:
    logs = [build_log(tmp_path, model) for model in ("a", "b")]
    scores = {m: [1 - loss for loss in values] for m, values in LOSSES.items()}
    rows = {**BODY, "better": "higher", "losses": scores, "item": ITEM, "cost": COSTS}
    wanted = run_kind({**rows, "cost_unit": "seconds"}).result
    body = request(logs, "match", margin=0.3, logs={"cost": "seconds"})
    found = run_kind(body, logs).result
    tokens = run_kind({**body, "logs": {**body["logs"], "cost": "cost.tokens"}}, logs).result

    check_costs(found, wanted)
    assert found["cost"]["unit"] == "seconds"
    assert tokens["cost"]["unit"] == "tokens"
    assert tokens["models"]["a"]["cost"]["mean"] == pytest.approx(15 + (N * RUNS - 1) / 2)
    assert logs[0].details["costs"] == (
        "The file says what each run cost: seconds, tokens, input_tokens, output_tokens. It is "
        "compared where logs.cost names one of them."
    )
    assert "cost" not in run_kind(request(logs, "match"), logs).result


def lose_one(place: int, sample: Any) -> None:
    if place == 4:
        sample["model_usage"] = {}


def make_free(place: int, sample: Any) -> None:
    sample["total_time"] = 0


def make_negative(place: int, sample: Any) -> None:
    sample["total_time"] = -1 if place == 2 else 1


@each(
    "change,logs,more,place,words",
    [
        (None, {"cost": "tokns"}, {}, "logs.cost", r"no cost 'tokns' \(did you mean 'tokens'\?\)"),
        (None, {"cost": "task"}, {}, "logs.cost", "is not numeric"),
        (None, {"cost": "tokens"}, {"cost": {"a": 1, "b": 2}}, "logs.cost", "in one of the two"),
        (None, {}, {"cost": COSTS}, "cost", "in logs.cost"),
        (None, {}, {"cost_unit": "USD"}, "cost_unit", "there is no cost"),
        (lose_one, {"cost": "tokens"}, {}, "logs.cost", "1 of 120 runs of 'b' have a score and no"),
        (make_free, {"cost": "seconds"}, {}, "logs.cost", "Every run of 'b' has the cost 0"),
        (make_negative, {"cost": "seconds"}, {}, "logs.cost", "row 2 of file 1 of logs is -1"),
    ],
)
def test_invalid_costs_in_logs(
    change: Any, logs: Any, more: Any, place: str, words: str, tmp_path: Path
) -> None:
    files = [build_log(tmp_path, "a"), build_log(tmp_path, "b", change)]
    with pytest.raises((EvaluationError, InvalidRequest), match=words) as caught:
        run_kind(request(files, "match", logs=logs, **more), files)

    assert ".".join(map(str, place_of(caught.value))) == place


@pytest.mark.outside("the output of promptfoo 0.121.20: latencyMs of each result")
def test_golden_costs_of_promptfoo(tmp_path: Path) -> None:
    files = []
    for name in ("old", "new"):
        results = load(f"promptfoo-{name}.json")
        for result in results["results"]["results"]:
            result["provider"] = {"id": name}
        content = json.dumps(results).encode()
        files.append(uploaded(tmp_path, name, "application/json", content))
    seconds = {
        name: [
            each["latencyMs"] / 1000
            for each in load(f"promptfoo-{name}.json")["results"]["results"]
            if each["failureReason"] != 2
        ]
        for name in ("old", "new")
    }
    body = request(files, "score", missing="leave_out", logs={"cost": "seconds"})
    found = run_kind(body, files).result
    n = found["models"]["old"]["n"] if "n" in found["models"]["old"] else len(seconds["new"])

    assert found["models"]["new"]["cost"]["mean"] == pytest.approx(np.mean(seconds["new"]))
    assert n == len(seconds["new"])
    with pytest.raises(InvalidParameter, match="has the cost 0 in 'usd'"):
        run_kind({**body, "logs": {**body["logs"], "cost": "usd"}}, files)


def test_exact_costs_of_a_deepeval_run(tmp_path: Path) -> None:
    run = load("deepeval-new.json")
    cases = (run.get("testRunData") or run)["testCases"]
    for place, case in enumerate(cases):
        case.update(tokenCost=0.25 * place, completionTime=2.0, outputTokenCount=place)
    file = uploaded(tmp_path, "run", "application/json", json.dumps(run).encode())

    assert {"cost.usd", "cost.seconds", "cost.output_tokens"} <= {
        str(column["name"]) for column in file.columns
    }


def test_exact_the_command_line_names_and_compares_costs_of_logs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for model in ("a", "b"):
        runs: Any = {i: ["C", "C" if i % (2 if model == "a" else 3) else "I"] for i in range(60)}
        log = json.loads(inspect_json("arc", model, runs))
        for place, sample in enumerate(log["samples"]):
            sample["total_time"] = place % 5 + 1 if model == "a" else place % 4 + 3.5
        paths.append(tmp_path / f"{model}.json")
        paths[-1].write_text(json.dumps(log))
    arguments = ["compare", *map(str, paths), "--margin", "0.3"]
    assert main([*arguments, "--cost", "seconds"]) == 0
    shown = capsys.readouterr()
    assert "a and b are equivalent within 0.3, and a is 40 % cheaper (3 against 5 seconds" in (
        " ".join(shown.out.split())
    )
    assert "costs of runs from seconds" in shown.err
    assert "The file says what each run cost: seconds." in shown.err
    assert main([*arguments, "--cost", "a=seconds", "--cost", "b=seconds"]) == 2
    assert "--cost COLUMN" in capsys.readouterr().err

"""Result files of evaluation tools as tables.

``files/evaluation_tools`` has files about the same eight questions: of promptfoo 0.121.20, with a
provider that answers from a list, of DeepEval 4.3.1, with metrics of its own, of HELM 0.5.16, and
records that the types of every_eval_ever 0.3.0 wrote. The last run of each new model failed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.service.data.checked_files import inspected, keep
from thetahat_service.data.base import Inspected
from thetahat_service.data.reading import read_columns
from thetahat_service.errors import InvalidFile

FILES = Path(__file__).parent / "files" / "evaluation_tools"
JSON = "application/json"
JSONL = "application/jsonl"
Change = Callable[[Any], Any]


def read_text(name: str) -> bytes:
    return (FILES / name).read_bytes()


def load(name: str) -> Any:
    return json.loads(read_text(name))


def tabulate(
    folder: Path, content: bytes, media_type: str = JSON
) -> tuple[Inspected, dict[str, list[Any]]]:
    inspection, kept = inspected(folder, media_type, content)
    return inspection, {name: list(values) for name, values in read_columns(kept).items()}


def _set(*path: Any, value: Any) -> Change:
    def apply(file: Any) -> Any:
        place = file
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        return file

    return apply


def change_helm(right: int) -> Any:
    """Return the run of HELM with another number of right answers, and another order."""
    run = load("helm-run.json")
    for place, entry in enumerate(run):
        for stat in entry["stats"]:
            if stat["name"]["name"] == "exact_match":
                stat["sum"] = stat["mean"] = float(place < right)
    return run[::-1]


def count(values: list[Any]) -> float:
    return float(sum(value for value in values if value == value))  # noqa: PLR0124 - NaN


@pytest.mark.outside("the counts that promptfoo wrote into its own file")
@pytest.mark.parametrize("model", ["old", "new"])
def test_golden_promptfoo_passed_and_failed_runs(tmp_path: Path, model: str) -> None:
    summary = load(f"promptfoo-{model}.json")["results"]["stats"]

    inspection, columns = tabulate(tmp_path, read_text(f"promptfoo-{model}.json"))

    assert count(columns["score.pass"]) == summary["successes"]
    assert sum(value == 0 for value in columns["score.pass"]) == summary["failures"]
    assert sum(value != value for value in columns["score.pass"]) == summary["errors"]  # noqa: PLR0124
    assert set(columns["model"]) == {"assistant"}
    assert len(set(columns["item"])) == inspection.rows == 8
    assert inspection.details["tool"] == "promptfoo"
    assert ("failed_runs" in inspection.details) == (summary["errors"] > 0)


def test_exact_a_failed_run_is_named_and_counted(tmp_path: Path) -> None:
    details = tabulate(tmp_path, read_text("promptfoo-new.json"))[0].details

    assert details["failed_runs"] == (
        "1 of 8 runs ended in an error or are invalid, and lack scores (assistant: 1); "
        "the first is item "
        "'7, Kyiv #" + str(details["failed_runs"]).partition("#")[2][:8] + "': no answer after 30 s"
    )


def test_exact_runs_of_earlier_promptfoo_failed_where_their_response_has_an_error(
    tmp_path: Path,
) -> None:
    file = load("promptfoo-new.json")
    for result in file["results"]["results"]:
        if result.pop("failureReason") == 2:
            result["response"] = {"error": result["error"]}
        elif not result["success"]:
            result["error"] = "Expected output to equal another one"

    details = tabulate(tmp_path, json.dumps(file).encode())[0].details

    assert str(details["failed_runs"]).startswith("1 of 8 runs ended in an error")


def test_exact_repeats_of_promptfoo_are_runs_of_one_item(tmp_path: Path) -> None:
    _, columns = tabulate(tmp_path, read_text("promptfoo-two.jsonl"), JSONL)

    assert set(columns["model"]) == {"old assistant, plain", "old assistant, short"}
    assert len(set(columns["item"])) == 6
    runs = set(zip(columns["model"], columns["item"], columns["epoch"], strict=True))
    assert len(runs) == 24
    assert set(columns["epoch"]) == {1, 2}


def test_exact_a_provider_of_promptfoo_that_is_listed_twice_is_two_models(tmp_path: Path) -> None:
    file = load("promptfoo-old.json")
    results = file["results"]["results"]
    file["results"]["results"] = results + [{**result, "promptIdx": 1} for result in results]

    _, columns = tabulate(tmp_path, json.dumps(file).encode())

    assert set(columns["model"]) == {"assistant, promptIdx 0", "assistant, promptIdx 1"}
    assert set(columns["epoch"]) == {1}


def test_exact_a_score_that_is_nan_is_missing(tmp_path: Path) -> None:
    run = change_helm(3)
    for instance in run:
        for stat in instance["stats"] if instance["instance_id"] == run[0]["instance_id"] else ():
            stat["mean"] = stat["sum"] = float("nan")

    _, columns = tabulate(tmp_path, json.dumps(run * 2).encode())

    assert sum(value != value for value in columns["score.exact_match"]) == 1  # noqa: PLR0124


@pytest.mark.outside("the scores that DeepEval listed in its own summary")
@pytest.mark.parametrize("name", ["old", "new", "latest"])
def test_golden_deepeval_scores_of_each_metric(tmp_path: Path, name: str) -> None:
    run = load(f"deepeval-{name}.json")

    inspection, columns = tabulate(tmp_path, read_text(f"deepeval-{name}.json"))

    for metric in run.get("testRunData", run)["metricsScores"]:
        values = [v for v in columns[f"score.{metric['metric']}"] if v == v]  # noqa: PLR0124
        assert values == metric["scores"]
        assert inspection.rows - len(values) == metric["errors"]
    assert set(columns["model"]) == {"old assistant" if name == "old" else "new assistant"}
    assert ("failed_runs" in inspection.details) == (name != "old")


@pytest.mark.outside("the means that HELM wrote into stats.json of the same run")
def test_golden_helm_means_of_a_run(tmp_path: Path) -> None:
    inspection, columns = tabulate(tmp_path, read_text("helm-run.json"))

    assert inspection.details["tool"] == "HELM"
    assert len(set(columns["item"])) == inspection.rows == 8
    assert set(columns["filter"]) == {"none"}
    assert set(columns["epoch"]) == {1}
    stats = {stat["name"]["name"]: stat["mean"] for stat in load("helm-stats.json")}
    assert stats.keys() >= {"exact_match", "num_prompt_tokens"}
    for name, mean in stats.items():
        assert sum(columns[f"score.{name}"]) / 8 == pytest.approx(mean, rel=1e-15)


@pytest.mark.outside("the means that HELM wrote into stats.json of the same run")
def test_golden_costs_of_helm_are_its_tokens_and_its_runtime(tmp_path: Path) -> None:
    inspection, columns = tabulate(tmp_path, read_text("helm-run.json"))
    stats = {stat["name"]["name"]: stat["mean"] for stat in load("helm-stats.json")}
    mean = sum(columns["cost.input_tokens"]) / 8

    assert mean == pytest.approx(stats["num_prompt_tokens"], rel=1e-15)
    assert columns["cost.seconds"] == columns["score.inference_runtime"]
    output = columns["score.num_output_tokens"]
    assert columns["cost.output_tokens"] == output
    tokens = np.add(columns["cost.input_tokens"], output)
    assert columns["cost.tokens"] == tokens.tolist()
    assert str(inspection.details["costs"]).startswith(
        "The file says what each run cost: seconds, tokens, input_tokens, output_tokens."
    )


def test_exact_costs_of_every_eval_ever_are_those_of_its_schema(tmp_path: Path) -> None:
    """``token_usage`` and ``performance`` of the records of samples, both of which may lack."""
    lines = [json.loads(line) for line in read_text("every-old_samples.jsonl").splitlines()]
    for place, line in enumerate(lines):
        line["token_usage"] = {
            "input_tokens": 10 + place,
            "output_tokens": 5,
            "total_tokens": 15 + place,
        }
        line["performance"] = {"latency_ms": 250.0 * place, "generation_time_ms": 1.0}
    lines[1]["performance"] = None
    content = b"\n".join(json.dumps(line).encode() for line in lines)

    inspection, columns = tabulate(tmp_path, content, JSONL)

    assert columns["cost.tokens"] == [15 + place for place in range(len(lines))]
    seconds = columns["cost.seconds"]
    assert np.isnan(seconds[1])
    assert seconds[2:4] == [0.5, 0.75]
    assert "seconds, tokens, input_tokens, output_tokens" in str(inspection.details["costs"])
    assert "costs" not in tabulate(tmp_path, read_text("every-old_samples.jsonl"), JSONL)[0].details


def test_exact_perturbed_copies_trials_and_means_of_helm(tmp_path: Path) -> None:
    first = load("helm-run.json")[0]
    typos = {"name": "typos", "robustness": True, "prob": 0.1, "computed_on": "perturbed"}
    other = {"name": {"name": "f1", "split": "test"}, "count": 2, "sum": 1.5}
    entries = [
        first,
        {**first, "perturbation": typos},
        {**first, "train_trial_index": 1},
        {**first, "stats": [other]},  # HELM writes instances again for each class of metrics
    ]

    inspection, columns = tabulate(tmp_path, json.dumps(entries).encode())

    assert inspection.rows == 3
    assert columns["filter"] == ["none", "typos prob=0.1", "none"]
    assert columns["epoch"] == [1, 1, 2]
    assert columns["score.f1"][0] == 0.75
    shown = {"instance_id": "id1", "train_trial_index": 0, "predicted_text": "A"}
    public = json.dumps([{**shown, "stats": {"exact_match": 1.0}}]).encode()
    assert tabulate(tmp_path, public)[1]["score.exact_match"] == [1.0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_set(0, "stats", 0, "mean", value="x"), "which is no number"),
        (_set(1, "stats", value=7), "must be a list"),
        (_set(1, "train_trial_index", value="a"), "is no whole number"),
        (_set(1, value={"instance_id": "id1"}), "has no stats, train_trial_index"),
        (lambda run: [*run, change_helm(0)[-1], change_helm(8)[-1]], "has two values of"),
    ],
)
def test_invalid_runs_of_helm(tmp_path: Path, change: Change, words: str) -> None:
    with pytest.raises(InvalidFile, match=words):
        keep(tmp_path, JSON, json.dumps(change(load("helm-run.json"))).encode())


def test_exact_splits_of_helm_are_told_apart_by_filter(tmp_path: Path) -> None:
    run = load("helm-run.json")
    first = run[0]["instance_id"]
    for entry in run:
        if entry["instance_id"] == first:
            for stat in entry["stats"]:
                stat["name"]["split"] = "valid"

    _, columns = tabulate(tmp_path, json.dumps(run).encode())

    filters = dict(zip(columns["item"], columns["filter"], strict=True))
    assert filters.pop(first) == "valid none"
    assert {*filters.values()} == {"test none"}


def test_invalid_an_instance_of_two_splits_of_helm(tmp_path: Path) -> None:
    run = load("helm-run.json")
    again = json.loads(json.dumps(run[0]))
    for stat in again["stats"]:
        stat["name"]["split"] = "valid"
    with pytest.raises(InvalidFile, match="is in the splits 'test' and 'valid'"):
        keep(tmp_path, JSON, json.dumps([*run, again]).encode())


def write_openai_log(events: list[dict[str, Any]], **spec: Any) -> bytes:
    """Return a log in the form of openai/evals, ``evals/record.py`` of commit 00414586."""
    run = {"completion_fns": ["gpt-x"], "eval_name": "law.dev.v0", "run_id": "R", **spec}
    written = [{"run_id": "R", "event_id": i, **event} for i, event in enumerate(events)]
    lines = [{"spec": run}, *written, {"final_report": {"accuracy": 0.5}}]
    return b"\n".join(json.dumps(line).encode() for line in lines)


def _event(sample: str, kind: str, **data: Any) -> dict[str, Any]:
    return {"sample_id": sample, "type": kind, "data": data}


def test_exact_events_of_openai_evals(tmp_path: Path) -> None:
    events = [
        _event("law.dev.0", "sampling", prompt="Q0", sampled=["a"]),
        _event("law.dev.0", "match", correct=True, expected="a", picked="a"),
        _event("law.dev.0", "metrics", f1=0.5, choice="A"),
        _event("law.dev.1", "match", correct=False, expected="b", picked="a"),
        _event("law.dev.1", "match", correct=True, expected="b", picked="b"),
        _event("law.dev.2", "sampling", prompt="Q2", sampled=[]),
        _event("law.dev.2", "match", correct=False, expected="b"),
        _event("law.dev.2", "error", type="Timeout", message="no answer"),
        _event("law.dev.3", "sampling", prompt="Q3", sampled=["x"]),
    ]
    inspection, columns = tabulate(tmp_path, write_openai_log(events), JSONL)

    assert columns["item"] == [f"law.dev.{i}" for i in (0, 1, 1, 2, 3)]
    assert columns["epoch"] == [1, 1, 2, 1, 1]
    assert {*columns["model"]} == {"gpt-x"}
    assert {*columns["task"]} == {"law.dev.v0"}
    np.testing.assert_equal(columns["score.correct"], [1.0, 0.0, 1.0, np.nan, np.nan])
    np.testing.assert_equal(columns["score.f1"], [0.5, *[np.nan] * 4])
    assert "the first is item 'law.dev.2': no answer" in str(inspection.details["failed_runs"])
    assert inspection.details["tool"] == "OpenAI Evals"
    with pytest.raises(InvalidFile, match="no model in completion_fns"):
        keep(tmp_path, JSONL, write_openai_log(events, completion_fns=None))


def test_exact_two_runs_of_openai_evals_in_one_file_are_two_models(tmp_path: Path) -> None:
    logs = [
        write_openai_log([_event(f"s{i}", "match", correct=i > k) for i in range(3)])
        for k in range(2)
    ]
    _, columns = tabulate(tmp_path, b"\n".join(logs), JSONL)
    assert columns["model"] == ["gpt-x, run 1"] * 3 + ["gpt-x, run 2"] * 3
    assert columns["epoch"] == [1] * 6

    other = write_openai_log([_event("s3", "match", correct=True)])
    _, columns = tabulate(tmp_path, logs[0] + b"\n" + other, JSONL)
    assert {*columns["model"]} == {"gpt-x"}


def test_invalid_helm_statistics_of_a_whole_run(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"This is stats\.json of a HELM run"):
        keep(tmp_path, JSON, read_text("helm-stats.json"))


def test_exact_items_are_known_by_content_whatever_the_order(tmp_path: Path) -> None:
    for tool in ("deepeval", "promptfoo"):
        old, new = (
            tabulate(tmp_path, read_text(f"{tool}-{name}.json"))[1] for name in ("old", "new")
        )
        pairs = [set(zip(each["item"], each["doc_hash"], strict=True)) for each in (old, new)]
        assert pairs[0] == pairs[1]


def test_exact_two_evaluations_of_every_eval_ever_are_two_models(tmp_path: Path) -> None:
    lines = read_text("every-new_samples.jsonl").splitlines()
    again = [line.replace(b"capitals/new/1", b"capitals/new/2") for line in lines]

    _, columns = tabulate(tmp_path, b"\n".join([*lines, *again]), JSONL)

    assert set(columns["model"]) == {f"example/new, capitals/new/{i}" for i in (1, 2)}
    assert set(columns["epoch"]) == {1}
    assert "evaluation" not in columns


def test_exact_values_of_every_eval_ever(tmp_path: Path) -> None:
    inspection, columns = tabulate(tmp_path, read_text("every-new_samples.jsonl"), JSONL)

    assert set(columns["model"]) == {"example/new"}
    assert set(columns["task"]) == {"capitals"}
    assert set(columns["filter"]) == {"exact_match/none", "length/none"}
    assert columns["item"][:4] == ["capitals_0", "capitals_0", "capitals_1", "capitals_1"]
    assert columns["score.score"][:4] == [1.0, 5.0, 1.0, 4.0]
    assert "2 of 16 runs ended in an error" in str(inspection.details["failed_runs"])
    one = b"\n".join(read_text("every-new_samples.jsonl").splitlines()[::2])
    assert "filter" not in tabulate(tmp_path, one, JSONL)[1]


CASE = ("testCases", 0)
METRIC = (*CASE, "metricsData", 0)
RESULT = ("results", "results", 0)


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("promptfoo-old.json", _set("results", "version", value=2), "version 2; version 3 is"),
        ("promptfoo-old.json", _set(*RESULT, "score", value="1"), "is '1', which is no number"),
        ("promptfoo-old.json", _set(*RESULT, value={}), "no promptIdx, provider, score, testCase"),
        ("promptfoo-old.json", _set("results", "results", value={}), "must be a list"),
        ("promptfoo-old.json", _set(*RESULT, "provider", value={}), "without id and label"),
        ("promptfoo-old.json", _set("results", "results", value=[]), "no rows"),
        ("deepeval-old.json", _set(*CASE, "metricsMetadata", value=[]), "metricsData is"),
        ("deepeval-old.json", _set(*METRIC, "score", value="x"), "which is no number"),
        ("deepeval-old.json", _set(*METRIC, "name", value="Short"), "two metrics with the name"),
        ("deepeval-old.json", _set(*METRIC, "name", value=None), "has no name"),
    ],
)
def test_invalid_files_of_tools(tmp_path: Path, name: str, change: Change, words: str) -> None:
    content = json.dumps(change(load(name))).encode()

    with pytest.raises(InvalidFile, match=words):
        keep(tmp_path, JSON, content)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_set("schema_version", value="1.0.0"), "schema_version '1.0.0'; 0.2 and 0.3 are"),
        (_set("evaluation", value=None), "has no evaluation"),
        (_set("evaluation", "score", value=[1]), "which is no number"),
        (_set("evaluation_results", value=[]), "ends in _samples.jsonl"),
    ],
)
def test_invalid_records_of_every_eval_ever(tmp_path: Path, change: Change, words: str) -> None:
    first, *others = read_text("every-old_samples.jsonl").splitlines()
    content = b"\n".join([json.dumps(change(json.loads(first))).encode(), *others])

    with pytest.raises(InvalidFile, match=words):
        keep(tmp_path, JSONL, content)


def test_invalid_two_metrics_of_the_same_samples_are_no_tasks(tmp_path: Path) -> None:
    content = read_text("every-old_samples.jsonl")
    lines = [json.loads(line) for line in content.splitlines()]
    for line in lines:
        line["evaluation_name"] = line.pop("evaluation_result_id")

    with pytest.raises(InvalidFile, match="have 8 samples in common"):
        keep(tmp_path, JSONL, b"\n".join(json.dumps(line).encode() for line in lines))


def test_exact_an_evaluation_result_of_deepeval_is_its_test_run(tmp_path: Path) -> None:
    """``EvaluationResult`` names the members of the same test cases in another way."""
    run = load("deepeval-new.json")
    result = {
        "test_results": [
            {re.sub("([A-Z])", lambda m: "_" + m[1].lower(), key): of for key, of in case.items()}
            for case in run.get("testRunData", run)["testCases"]
        ],
        "confident_link": None,
    }

    inspection, columns = tabulate(tmp_path, json.dumps(result).encode())
    _, expected = tabulate(tmp_path, read_text("deepeval-new.json"))

    assert inspection.details["tool"] == "DeepEval"
    scores = [name for name in expected if name.startswith("score.")]
    assert scores
    for name in (*scores, "item"):
        np.testing.assert_array_equal(columns[name], expected[name])


def write_output_items(model: str, right: int) -> list[dict[str, Any]]:
    """Return output items in the documented form of OpenAI's Evals API."""
    grader = "Match-483dee9a-1f2b-4c3d-8e4f-0123456789ab"
    return [
        {
            "object": "eval.run.output_item",
            "id": f"outputitem_{i}",
            "run_id": f"evalrun_{model}",
            "status": "pass" if i < right else "fail",
            "datasource_item_id": i,
            "datasource_item": {"question": f"q{i}"},
            "results": [{"name": grader, "sample": None, "passed": i < right, "score": None}],
            "sample": {
                "model": model,
                "error": {"code": "timeout", "message": "no answer"} if i == 7 else None,
                "usage": {"prompt_tokens": 10 + i, "completion_tokens": 3, "total_tokens": 13 + i},
            },
        }
        for i in range(8)
    ]


def test_exact_output_items_of_openai_in_pages_and_lines(tmp_path: Path) -> None:
    items = write_output_items("gpt-x", 3)
    page = {"object": "list", "data": items, "has_more": False}
    lines = b"\n".join(json.dumps(item).encode() for item in items)

    for content, media_type in (
        (json.dumps(page).encode(), JSON),
        (json.dumps(items).encode(), JSON),
        (lines, JSONL),
    ):
        inspection, columns = tabulate(tmp_path, content, media_type)
        assert inspection.details["tool"] == "OpenAI Evals API"
        assert str(inspection.details["failed_runs"]).startswith("1 of 8 runs ended in an error")
        assert count(columns["score.Match"]) == 3
        assert np.isnan(columns["score.Match"][7])
        assert set(columns["model"]) == {"gpt-x"}
        assert [*map(str, columns["item"])] == [*map(str, range(8))]
        assert columns["cost.input_tokens"] == [10.0 + i for i in range(8)]


def test_invalid_pages_of_output_items_that_are_not_all(tmp_path: Path) -> None:
    page = {"object": "list", "data": write_output_items("gpt-x", 3), "has_more": True}
    with pytest.raises(InvalidFile, match="has has_more: true, so that further items are missing"):
        keep(tmp_path, JSON, json.dumps(page).encode())


@pytest.mark.parametrize(
    "results",
    [
        {"arc": {"alias": "arc", "acc,none": 0.7, "acc_stderr,none": 0.01}},
        {"arc": {"acc": 0.7, "acc_stderr": 0.01}},
    ],
)
def test_invalid_the_summary_of_a_harness_names_its_samples(
    tmp_path: Path, results: dict[str, Any]
) -> None:
    with pytest.raises(InvalidFile, match=r"summary of a run of lm-evaluation-harness.*samples_"):
        keep(tmp_path, JSON, json.dumps({"results": results}).encode())


def test_invalid_other_json(tmp_path: Path) -> None:
    for content in (b'{"a": 1}', b"[1, 2]", b"[]", b'"text"'):
        with pytest.raises(
            InvalidFile,
            match="DeepEval, every_eval_ever, HELM, OpenAI Evals, OpenAI Evals API, promptfoo",
        ):
            keep(tmp_path, JSON, content)

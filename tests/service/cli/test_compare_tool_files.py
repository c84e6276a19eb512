"""``thetahat compare`` and ``gate`` with the result files of evaluation tools."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.service.cli.test_compare_scored_items import compare, means_of, refuse
from tests.service.data.test_evaluation_tools import FILES, change_helm, write_openai_log
from tests.service.kinds.model_logs import inspect_json
from tests.service.surfaces.commands import inspect
from thetahat_service.cli import main
from thetahat_service.data.logs import find_export

OLD, NEW = 5 / 7, 6 / 7
"""The shares of right answers to the seven questions that no run failed on."""


@pytest.fixture(autouse=True)
def without_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THETAHAT_URL", raising=False)


def find_pair(tool: str) -> list[str]:
    return [str(path) for path in sorted(FILES.glob(f"{tool}-[no]*"), reverse=True)]


@pytest.mark.parametrize(
    ("tool", "names", "options"),
    [
        ("promptfoo", ["promptfoo-old", "promptfoo-new"], ["--score", "pass"]),
        ("deepeval", ["old assistant", "new assistant"], ["--score", "Right Answer"]),
        (
            "every",
            ["example/old", "example/new"],
            ["--score", "score", "--filter", "exact_match/none"],
        ),
    ],
)
def test_by_hand_two_files_of_a_tool(
    capsys: pytest.CaptureFixture[str], tool: str, names: list[str], options: list[str]
) -> None:
    paths, wanted = find_pair(tool), [*options, "--better", "higher"]

    refusal = refuse(capsys, *paths, *wanted)
    result, understood = compare(capsys, *paths, *wanted, "--missing", "leave_out")

    assert "runs ended in an error or are invalid, and lack scores" in refusal
    assert "1 of 8 items have no score of some model" in refusal
    assert "The option is --missing leave_out" in refusal
    assert means_of(result) == dict(zip(names, (round(OLD, 9), round(NEW, 9)), strict=True))
    assert f"{paths[1]}: " in understood
    assert "runs ended in an error or are invalid, and lack scores" in understood


def test_by_hand_folders_of_helm_name_model_and_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for model, right in (("example_old", 3), ("example_new", 6)):
        folder = tmp_path / f"mmlu:subject=law,model={model},data_augmentation=canonical"
        folder.mkdir()
        (folder / "per_instance_stats.json").write_text(json.dumps(change_helm(right)))
        shutil.copy(FILES / "helm-stats.json", folder / "stats.json")

    result, understood = compare(capsys, str(tmp_path), "--score", "exact_match")

    assert means_of(result) == {"example_old": 3 / 8, "example_new": 6 / 8}
    assert "task mmlu:subject=law,data_augmentation=canonical" in understood


def test_by_hand_runs_of_helm_in_two_suites_are_two_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for suite, right in (("v1.0", 3), ("v1.1", 6)):
        for subject in ("law", "art"):
            folder = tmp_path / suite / f"mmlu:subject={subject},model=a"
            folder.mkdir(parents=True)
            (folder / "per_instance_stats.json").write_text(json.dumps(change_helm(right)))

    result, understood = compare(capsys, str(tmp_path), "--score", "exact_match")

    assert means_of(result) == {"a, v1.0": 3 / 8, "a, v1.1": 6 / 8}
    assert "task mmlu:subject=art" in understood
    copy = folder / "display_predictions.json"
    shutil.copy(folder / "per_instance_stats.json", copy)
    twice = [str(copy), str(folder / "per_instance_stats.json")]
    assert "are of one run of HELM" in refuse(capsys, *twice, "--score", "exact_match")


def test_by_hand_settings_of_helm_are_models_where_one_was_asked_in_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for settings, right in (
        ("model=a,max_train_instances=0", 3),
        ("model=a,max_train_instances=5", 6),
    ):
        folder = tmp_path / f"mmlu:subject=law,method=joint,{settings}"
        folder.mkdir()
        (folder / "per_instance_stats.json").write_text(json.dumps(change_helm(right)))

    result, understood = compare(capsys, str(tmp_path), "--score", "exact_match")

    assert means_of(result) == {
        "a, method=joint, max_train_instances=0": 3 / 8,
        "a, method=joint, max_train_instances=5": 6 / 8,
    }
    assert "task mmlu:subject=law; score" in understood


def test_exact_logs_of_openai_evals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = []
    for model, right in (("old", 3), ("new", 6)):
        events = [
            {"sample_id": f"q{i}", "type": "match", "data": {"correct": i < right}}
            for i in range(8)
        ]
        path = tmp_path / f"{model}.jsonl"
        path.write_bytes(write_openai_log(events, completion_fns=[model]))
        paths.append(str(path))

    result, _ = compare(capsys, *paths)

    assert means_of(result) == {"old": 3 / 8, "new": 6 / 8}


def test_by_hand_two_prompts_in_one_file(capsys: pytest.CaptureFixture[str]) -> None:
    result, understood = compare(capsys, str(FILES / "promptfoo-two.jsonl"), "--score", "score")

    four_of_six = round(4 / 6, 9)
    assert means_of(result) == dict.fromkeys(
        ("old assistant, plain", "old assistant, short"), four_of_six
    )
    assert all(model["n"] == 6 for model in result["models"].values())
    assert "higher is better" in understood


def test_invalid_two_files_of_several_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = FILES / "promptfoo-two.jsonl"
    second = shutil.copy(first, tmp_path / "again.jsonl")

    refusal = refuse(capsys, str(first), str(second), "--score", "pass", "--better", "higher")

    assert "promptfoo-two.jsonl has 2 models (old assistant, plain, old assistant" in refusal
    assert "Keep one model in each file" in refusal


def test_exact_a_folder_takes_the_samples_beside_their_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("old", "new"):
        shutil.copy(FILES / f"every-{name}_samples.jsonl", tmp_path)
        (tmp_path / f"every-{name}.json").write_text('{"schema_version": "0.3.0"}')

    options = ["--score", "score", "--filter", "length/none", "--better", "lower"]
    result, _ = compare(capsys, str(tmp_path), *options, "--missing", "leave_out")

    assert set(result["models"]) == {"example/old", "example/new"}


@pytest.mark.parametrize("name", ["promptfoo", "deepeval"])
def test_exact_a_gate_takes_a_file_that_is_no_request(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    score = {"promptfoo": "pass", "deepeval": "Right Answer"}[name]
    models = {"promptfoo": ["promptfoo-new", "promptfoo-old"]}.get(
        name, ["new assistant", "old assistant"]
    )

    status = main(
        [
            *("gate", *find_pair(name), "--score", score, "--better", "higher", "--margin", "0.9"),
            *("--missing", "leave_out", "--model", models[0], "--against", models[1]),
            *("--require", "not_worse"),
        ]
    )

    assert status == 0, capsys.readouterr().err


def test_exact_one_file_is_no_request(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["gate", find_pair("deepeval")[0], "--model", "a", "--against", "b"])

    assert status == 2
    assert "The logs have several scores" in capsys.readouterr().err


def test_exact_failed_samples_of_inspect_ai_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log: dict[str, Any] = json.loads(inspect_json("qa", "m", {i: ["C", "I"] for i in range(6)}))
    log["samples"][3]["error"] = {"message": "Connection lost", "traceback": "", "ansi": ""}
    log["samples"][3]["scores"] = {}
    path = tmp_path / "m.json"
    path.write_text(json.dumps(log))

    result, understood = compare(capsys, str(path))

    assert (
        "1 of 12 runs ended in an error or are invalid, and lack scores (m: 1); "
        "the first is item '1': "
        "Connection lost"
    ) in understood
    assert "runs_without_score" in result["cautions"]
    caution = result["caution_texts"]["runs_without_score"]
    assert caution["message"].startswith("1 of 12 runs of 'm' have no score")
    assert means_of(result) == {"m": round((5 * 0.5 + 1) / 6, 9)}


def test_exact_tasks_of_logs_are_called_tasks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for model, shift in (("old", 0), ("new", 1)):
        (tmp_path / model).mkdir()
        for task in ("law", "maths", "poems"):
            rows = [
                {"doc_id": i, "filter": "none", "exact_match": float((i * i + shift * i) % 3 == 0)}
                for i in range(12)
            ]
            name = f"samples_{task}_2026-01-0{shift + 1}T10-00-00.jsonl"
            (tmp_path / model / name).write_text("\n".join(map(json.dumps, rows)))

    result, _ = compare(capsys, str(tmp_path / "old"), str(tmp_path / "new"))

    assert result["unit"] == {"singular": "task", "plural": "tasks"}


EXPORTS = {
    "ragas": "user_input,retrieved_contexts,response,reference,context_recall,faithfulness",
    "MLflow": "inputs,ground_truth,outputs,token_count,toxicity/v1/score,exact_match/v1/score",
    "LangSmith": "inputs.question,outputs.answer,feedback.correctness,latency,status",
    "Braintrust": "id,input,output,expected,scores.Factuality,metrics.duration,tags",
    "Phoenix": "context.span_id,attributes.input.value,attributes.output.value,eval.Right.score",
}


def write_export(path: Path, heading: str, seed: int) -> str:
    rng = np.random.default_rng(seed)
    lines = [heading]
    for row in range(9):
        cells = (
            f"{rng.random():.3f}" if "score" in name or name in NUMBERS else f"{name} of {row}"
            for name in heading.split(",")
        )
        lines.append(",".join(cells))
    path.write_text("\n".join(lines))
    return str(path)


NUMBERS = ("context_recall", "faithfulness", "feedback.correctness", "latency")


@pytest.mark.parametrize("tool", EXPORTS)
def test_invalid_a_table_of_metrics_names_its_tool_and_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tool: str
) -> None:
    paths = [write_export(tmp_path / f"{n}.csv", EXPORTS[tool], n) for n in (1, 2)]

    message = refuse(capsys, paths[0], "--better", "higher")
    options = shlex.split(message.partition("FILE OTHER ")[2].partition("(or")[0])
    result, _ = compare(capsys, *paths, *options, "--better", "higher")

    assert f"a table of {tool}, whose columns" in message
    assert "are metrics of one model, not models" in message
    assert [*result["models"]] == ["1", "2"]
    found = inspect(Path(paths[0]))
    assert f"The file is a table of {tool}" in " ".join(found["questions"])
    assert (found["kind"], found["kind_reason"]) == ("losses", f"It is a table of {tool}.")
    roles = {column["name"]: column["role"] for column in found["columns"]}
    assert {*roles.values()} == {"item", "score", "detail"}
    assert (roles[options[1]], roles[options[3]]) == ("item", "score")


@pytest.mark.parametrize(
    "heading",
    [
        *("id,expected,scores.a,scores.b", "answer,gpt,llama", "question,response,a,b"),
        *("item,faithfulness", "inputs,a/value,b/value", "id,feedback.a,feedback.b"),
        "input,output,gpt_precision,llama_precision",
    ],
)
def test_exact_other_tables_are_of_no_tool(heading: str) -> None:
    assert find_export(heading.split(",")) is None


@pytest.mark.parametrize(
    "text",
    [
        "question,[openai:gpt-4o] Answer {{q}},[anthropic:x] Answer {{q}}\n"
        + "".join(f"q{i},[PASS] (1.00) yes,[FAIL] (0.00) no\n" for i in range(9)),
        "question,[openai:gpt-4o] Answer,Status,Score,Named Scores,Grader Reason,Comment,"
        "[a:x] Answer,Status,Score,Named Scores,Grader Reason,Comment\n"
        + "".join(f"q{i},yes,PASS,1.00,,ok,,no,FAIL,0.00,,bad,\n" for i in range(9)),
        "question,[openai:gpt-4o] Answer,Status,Score,Named Scores,Grader Reason,Comment\n"
        + "".join(f"q{i},yes,PASS,1.00,,ok,\n" for i in range(9)),
    ],
)
def test_invalid_a_csv_of_promptfoo_names_its_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = tmp_path / "results.csv"
    path.write_text(text)

    message = refuse(capsys, str(path), "--better", "higher")

    assert "a CSV export of promptfoo" in message
    assert "promptfoo export eval ID -o FILE.json" in message

"""``thetahat inspect``: roles with reasons, examples, cells and questions."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from thetahat_service.cli import main


def inspect(capsys: pytest.CaptureFixture[str], path: Path, text: str) -> Any:
    path.write_text(text)
    assert main(["inspect", str(path), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def table(heading: str, *columns: Sequence[Any]) -> str:
    rows = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join([heading, *rows]) + "\n"


N = 24
A = [round((i * 7 % 24) / 24 + 0.01, 3) for i in range(N)]
B = [round((i * 5 % 24) / 24 + 0.02, 3) for i in range(N)]


def test_exact_roles_have_reasons_and_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schools, index = [f"s{i % 4}" for i in range(N)], [3 * (i * 11 % 24) for i in range(N)]
    found = inspect(capsys, tmp_path / "t.csv", table(",school,a,b", index, schools, A, B))

    assert found["rows"] == N
    roles = {column["name"]: column["role"] for column in found["columns"]}
    assert roles == {"column_0": "index", "school": "label", "a": "model", "b": "model"}
    assert found["columns"][1]["examples"] == ["s0", "s1", "s2"]
    assert found["columns"][1]["reason"] == "is text, with 4 different values in 24 rows"
    questions = " ".join(found["questions"])
    assert "How good each of 2 models is on rows like these: yes (a, b)." in questions
    assert "for a new school: name it as the block" in questions


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (table("a,b", A, B), "the 24 rows are taken as independent"),
        (table("a", A), "A second model on the same rows would be needed"),
        (table("a,b", A, [*B[:-1], "n/a x"]), "'n/a x' in row 23 is no number"),
        (table("a,latency_ms", A, [100 + v for v in A]), "Whether 'latency_ms' is a model"),
        (
            table("item_a,a,item_b,b", range(1, N + 1), A, range(N, 0, -1), B),
            "Row 0 has item '1' in column 'item_a' and item '24' in column 'item_b'",
        ),
        (table("gpt4,llama,entropy", A, B, A[::-1]), "Whether 'entropy' is a model has to be said"),
        (table("y_true,a", A, B), "kind predictions"),
        (table("note", [f"text {i}" for i in range(N)]), "No column has losses or scores"),
        (
            table("a,b,c", A, B, [round((a + b) / 2, 6) for a, b in zip(A, B, strict=True)]),
            "Whether 'c' is a model has to be said, because it is the mean of 'a', 'b' in every",
        ),
        (table("a,b", [*A, sum(A)], [*B, sum(B)]), "Row 24 seems to sum up other rows"),
        (table("a,b", [-999, *A[1:]], B), "Column 'a' has -999 in row 0 (1 rows), and 0.052"),
        (table("a,b", A, [*B[:5], "", *B[6:]]), "Model 'b' has no value in row 5: fill them in"),
        (table("cluster,a,b", ["x", "y"] * 12, A, B), "takes column 'cluster' as the cluster of"),
    ],
)
def test_exact_questions_say_what_would_be_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    found = inspect(capsys, tmp_path / "t.csv", text)

    assert said in " ".join(found["questions"])


def test_exact_a_long_table_is_understood(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(i // 2, "ab"[i % 2], f"t{i % 4 // 2}", A[i]) for i in range(N)]
    heading = "item,model,task,score"
    found = inspect(capsys, tmp_path / "t.csv", table(heading, *zip(*rows, strict=True)))

    roles = [column["role"] for column in found["columns"]]
    assert roles == ["item", "model of the row", "task", "score"]
    assert "for a new task: yes, with column 'task' as the blocks" in " ".join(found["questions"])
    unclear = inspect(capsys, tmp_path / "u.csv", table("model,score", ["a", "b"] * 12, A))
    assert "none names the item" in unclear["questions"][0]


def test_exact_the_text_has_the_columns_and_the_missing_cells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table("a,b", A, ["", *B[1:]]))

    assert main(["inspect", str(path)]) == 0
    printed = capsys.readouterr().out

    assert f"{path}: 24 rows, 2 columns" in printed
    assert "b: model, because it has numbers" in printed
    assert "no value in 1 rows, the first is row 0" in printed
    assert main(["inspect", str(tmp_path / "none.csv")]) == 2


def test_exact_numbers_of_a_file_to_learn_from_are_features(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ages, sick = [20 + i % 9 for i in range(N)], [i % 2 for i in range(N)]
    text = table("age,dose,school,target,pass", ages, A, ["a", "b", "c"] * 8, A, sick)
    found = inspect(capsys, tmp_path / "t.csv", text)

    assert found["kind"] == "cross_validation"
    roles = [(column["name"], column["role"], column["task"]) for column in found["columns"]]
    assert roles == [
        ("age", "feature", None),
        ("dose", "feature", "regression"),
        ("school", "label", "classification"),
        ("target", "target", "regression"),
        ("pass", "feature", "classification"),
    ]
    questions = " ".join(found["questions"])
    assert "How good learners are that are trained on these rows: yes" in questions
    assert "a new school: name it as the source, and leave whole sources out" in questions
    assert "How good trained models are: no" in questions


@pytest.mark.parametrize(
    ("heading", "columns", "kind"),
    [
        ("a,b", (A, B), "losses"),
        ("a,b", (A, [-v for v in B]), "cross_validation"),
        ("a,b", (A, [40 * v for v in B]), "cross_validation"),
        ("loss_a,loss_b", (A, [40 * v for v in B]), "losses"),
        ("correct,latency_ms", ([i % 2 for i in range(N)], A), "losses"),
        ("y_true,a", (A, B), "predictions"),
        ("target,a", (A, B), "cross_validation"),
        ("target,pred_a", (A, B), "predictions"),
        ("label,a", (["x", "y"] * 12, ["x", "x", "y"] * 8), "predictions"),
        ("label,a", (["x", "y"] * 12, ["x", "x", "z"] * 8), "cross_validation"),
        ("id,target", (range(N), [i % 2 for i in range(N)]), "predictions"),
        ("id,prediction", (range(N), [i % 2 for i in range(N)]), "predictions"),
        ("pred_a,pred_b", (A, B), "predictions"),
        ("year,target", ([2000 + i % 5 for i in range(N)], A), "cross_validation"),
        ("note", ([f"text {i}" for i in range(N)],), "cross_validation"),
    ],
)
def test_exact_what_a_file_holds_is_guessed(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    heading: str,
    columns: tuple[Sequence[Any], ...],
    kind: str,
) -> None:
    found = inspect(capsys, tmp_path / "t.csv", table(heading, *columns))

    assert found["kind"] == kind
    assert found["kind_reason"].endswith(".")


@pytest.mark.parametrize(
    ("name", "lacking"), [("target", "predictions of them"), ("prediction", "the true values")]
)
def test_exact_what_a_submission_lacks_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, lacking: str
) -> None:
    text = table(f"id,{name}", range(N), [i % 2 for i in range(N)])
    found = inspect(capsys, tmp_path / "t.csv", text)

    assert found["questions"][0].startswith(
        f"How good a model is: no. Columns with {lacking} would be needed."
    )


def test_exact_ids_beyond_the_reach_of_a_double_stay_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # as doubles the twelve ids are one number, because of the blank at the end
    ids = [1_790_000_000_000_000_000 + i // 2 for i in range(N - 1)]
    found = inspect(capsys, tmp_path / "t.csv", table("user,a,b", [*ids, ""], A, B))

    user = found["columns"][0]
    assert user["role"] == "label"
    assert user["examples"][:2] == ["1790000000000000000", "1790000000000000001"]


def questions_of(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Return the sentences on the questions, by their beginnings."""
    sentences = [s.partition(": ") for s in inspect(capsys, path, path.read_text())["questions"]]
    return {start: rest for start, _, rest in sentences}


RATED = ["day,sex,item,new,old,judge_new,judge old"] + [
    f"2026-11-{i // 2 + 1:02},{'fm'[i % 2]},{i // 2},{i % 3 % 2 if i < 24 else ''},"
    f"{i % 5 % 2 if i < 24 else ''},{i % 3 % 2},{i % 7 % 2}"
    for i in range(40)
]


def test_exact_each_question_names_its_columns_and_the_options_to_type(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rated.csv"
    path.write_text("\n".join(RATED) + "\n")
    found = questions_of(path, capsys)

    assert "yes, by sex (--group sex;" in found["For whom a model is worst"]
    judge = found["What grades of a judge add to labels of some rows"]
    assert judge == "yes, with --judge new=judge_new --judge 'old=judge old'."
    time, item = (
        found["How neighbours in time depend on each other"],
        found["How much runs of one item vary"],
    )
    assert (time, item[:22]) == ("yes, with --time day.", "yes, with --item item ")
    agreement = found["How far raters agree"]
    assert "--rater judge_new --rater 'judge old'" in agreement

    models = ["--model", "new", "--model", "old", "--missing", "leave_out"]
    for options in (
        ["--group", "sex", "--blocks", "holdout", *models],
        ["--judge", "new=judge_new", "--judge", "old=judge old", "--blocks", "holdout"],
        ["--time", "day", *models],
        ["--item", "item", *models],
    ):
        assert main(["compare", str(path), *options]) == 0, capsys.readouterr().err
    assert main(["agreement", str(path), "--rater", "judge_new", "--rater", "judge old"]) == 0


def test_exact_questions_without_columns_say_what_is_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plain.csv"
    path.write_text("a,b\n0.1,0.2\n0.2,0.4\n0.7,0.5\n")
    found = questions_of(path, capsys)

    for start, option in {
        "For whom a model is worst": "--group COLUMN",
        "What grades of a judge add to labels": "--judge MODEL=COLUMN",
        "How much runs of one item vary": "--item COLUMN",
        "How neighbours in time depend on each other": "--time COLUMN",
        "How far raters agree": "--rater COLUMN --rater COLUMN",
    }.items():
        assert found[start].startswith("no. ")
        assert option in found[start]


@pytest.mark.parametrize("n_runs", [1, 3])
def test_exact_a_long_table_says_what_its_runs_and_labels_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], n_runs: int
) -> None:
    rows = [
        f"{i},{model},{seed},{'xy'[i % 2]},{(i * 7 + seed) % 5 / 4}"
        for i in range(12)
        for model in "ab"
        for seed in range(n_runs)
    ]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["item,model,seed,language,score", *rows]) + "\n")
    found = questions_of(path, capsys)

    assert "yes, by language (--group language;" in found["For whom a model is worst"]
    runs = "How much runs of one item vary"
    assert (runs in found) == (n_runs == 1)
    if n_runs > 1:
        assert "items have up to 3 runs" in found[f"{runs}, and how often one of several succeeds"]
    options = ["--group", "language", "--blocks", "holdout", "--better", "higher"]
    assert main(["compare", str(path), *options]) == 0


def test_exact_ratings_are_no_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rated.csv"
    path.write_text("a,b,judge_a,Rater2\n" + "0.1,0.2,0.5,1\n0.2,0.4,0.1,0\n" * 5)

    assert main(["compare", str(path)]) == 2
    assert (
        "whether column 'judge_a' is a model: it has a name of ratings" in capsys.readouterr().err
    )


def write_lines(rows: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, rows)) + "\n"


SAMPLES = [
    {"doc_id": i, "doc": {"q": f"Q{i}", "topic": f"t{i % 3}"}, "target": "x", "doc_hash": f"h{i}"}
    for i in range(12)
]
HARNESS = [{**row, "filter": "none", "acc": float(i % 3 > 0)} for i, row in enumerate(SAMPLES)]


def test_exact_a_log_of_the_harness_has_scores_and_no_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = inspect(capsys, tmp_path / "new.jsonl", write_lines(HARNESS))

    roles = {column["name"]: column["role"] for column in found["columns"]}
    assert roles == {
        "doc_id": "item",
        "doc.q": "detail",
        "doc.topic": "label",
        "target": "detail",
        "doc_hash": "hash",
        "filter": "filter",
        "acc": "score",
    }
    assert found["kind"] == "losses"
    assert "lm-evaluation-harness" in found["kind_reason"]
    questions = " ".join(found["questions"])
    assert "items from column 'doc_id', scores from 'acc'" in questions
    assert "How good the model is on rows like these: yes" in questions
    assert "thetahat compare FILE OTHER" in questions
    assert "by doc.topic" in questions
    assert "How good acc" not in questions


def test_exact_what_has_to_be_said_of_a_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{**row, "acc_norm": 0.5, "filter": f} for row in HARNESS for f in ("strict", "loose")]
    found = inspect(capsys, tmp_path / "a.jsonl", write_lines(rows))

    questions = " ".join(found["questions"])
    assert "--score acc, --score acc_norm" in questions
    assert "--filter loose, --filter strict" in questions
    assert "How much runs of one item vary: no" in questions  # filters are no runs


def test_exact_a_log_of_inspect_ai(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples: list[dict[str, Any]] = [
        {"id": i, "epoch": epoch, "target": "x", "scores": {"match": {"value": "C"}}}
        for i in range(6)
        for epoch in (1, 2)
    ]
    samples[3] |= {"error": {"message": "timeout"}, "total_time": 2.5}
    log = {"status": "error", "eval": {"task": "t", "model": "lab/m"}, "samples": samples}
    found = inspect(capsys, tmp_path / "a.json", json.dumps(log))

    roles = {column["name"]: column["role"] for column in found["columns"]}
    assert roles["model"] == "model of the row"
    assert roles["score.match"] == "score"
    assert roles["cost.seconds"] == "cost"
    assert roles["error"] == "error"
    questions = " ".join(found["questions"])
    assert "How good lab/m is on rows like these: yes" in questions
    assert "items have up to 2 runs" in questions
    assert "--cost seconds" in questions
    assert "1 of 12 runs ended in an error" in questions
    assert "has the status 'error'" in questions


@pytest.mark.parametrize(
    ("name", "title", "scores"),
    [
        ("deepeval-new.json", "DeepEval", ("Right Answer", "Short")),
        ("every-new_samples.jsonl", "every_eval_ever", ("score", "is_correct")),
        ("promptfoo-new.json", "promptfoo", ("score", "pass")),
        ("helm-run.json", "HELM", ("exact_match",)),
    ],
)
def test_exact_result_files_of_tools_have_scores(
    capsys: pytest.CaptureFixture[str], name: str, title: str, scores: Sequence[str]
) -> None:
    path = Path(__file__).parents[1] / "data" / "files" / "evaluation_tools" / name
    assert main(["inspect", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)

    assert title in found["kind_reason"]
    assert {"model", "unclear", "feature"}.isdisjoint(c["role"] for c in found["columns"])
    assert all(f"--score {shlex.quote(score)}" in " ".join(found["questions"]) for score in scores)


def test_invalid_a_folder_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(tmp_path)]) == 2
    assert "is a folder. Name a file in it; thetahat compare takes" in capsys.readouterr().err


GRADES = [7 + i % 3 for i in range(N)]


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        (GRADES[::-1], "predictions"),
        ([*GRADES[1:], 6], "cross_validation"),  # a value that is no class
        ([grade - 7 for grade in GRADES], "cross_validation"),
        ([10**18 + i % 2 for i in range(N)], "cross_validation"),
    ],
)
def test_exact_numbers_with_the_classes_of_the_true_values_are_predictions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], other: list[int], kind: str
) -> None:
    found = inspect(capsys, tmp_path / "t.csv", table("y,m", GRADES, other))

    assert found["kind"] == kind, found["kind_reason"]


@pytest.mark.parametrize("labels", [(0, 1), (2, 3)])
def test_exact_features_of_zero_and_one_are_no_predictions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], labels: tuple[int, int]
) -> None:
    y, x = ([labels[i * k % 5 % 2] for i in range(N)] for k in (2, 3))
    found = inspect(capsys, tmp_path / "t.csv", table("y,x", y, x))

    assert found["kind"] == ("cross_validation" if labels == (0, 1) else "predictions")


@pytest.mark.parametrize(
    ("shift", "factor", "kind"),
    [
        (-1.2, 1, "losses"),
        (-0.2, 1, "losses"),  # on both sides of 0, as differences from a model
        (-0.2, -1, "cross_validation"),
        (-0.2, 10, "cross_validation"),
    ],
)
def test_exact_numbers_below_zero_may_be_losses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shift: float, factor: int, kind: str
) -> None:
    first = [round(value + shift, 3) for value in A]
    second = [round(factor * (value + shift + 0.01 * (i % 3)), 3) for i, value in enumerate(A)]
    found = inspect(capsys, tmp_path / "t.csv", table("gpt4,llama", first, second))

    assert found["kind"] == kind, found["kind_reason"]


@pytest.mark.parametrize("shift", [-1.2, -0.2])
def test_exact_a_column_of_differences_may_be_losses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shift: float
) -> None:
    found = inspect(
        capsys, tmp_path / "t.csv", table("gpt4", [round(value + shift, 3) for value in A])
    )

    assert found["kind"] == "losses", found["kind_reason"]

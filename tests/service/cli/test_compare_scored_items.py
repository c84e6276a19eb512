"""``thetahat compare`` with long tables and with logs of language models' evaluations."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from tests.service.kinds.model_logs import harness_samples, inspect_eval, inspect_json
from thetahat_service.cli import main

N = 30
A = np.round(np.random.default_rng(5).uniform(0.05, 0.95, N), 3)
B = np.round(A - 0.03 + np.random.default_rng(6).normal(0, 0.02, N), 3)
SCORES = {"a": A, "b": B}
HIGHER = ("--better", "higher")


@pytest.fixture(autouse=True)
def without_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THETAHAT_URL", raising=False)


def write(folder: Path, heading: str, rows: Iterable[Sequence[Any]], name: str = "t.csv") -> str:
    path = folder / name
    path.write_text("\n".join([heading, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return str(path)


def long_rows(*more: Any) -> list[list[Any]]:
    """Return a row for each item and model, and more columns by item."""
    return [
        [i, model, scores[i], *(column[i] for column in more)]
        for i in range(N)
        for model, scores in SCORES.items()
    ]


def compare(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[Any, str]:
    """Return the result of a comparison, and how the files were understood."""
    capsys.readouterr()
    status = main(["compare", "--json", *words])
    printed = capsys.readouterr()
    assert status == 0, printed.err
    return json.loads(printed.out), printed.err


def refuse(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    status = main(["compare", *words])
    printed = capsys.readouterr()
    assert (status, printed.out) == (2, "")
    assert "Traceback" not in printed.err
    return printed.err


def assert_paired(result: Any) -> None:
    """Check the paired difference of a and b over the items."""
    (pair,) = result["comparisons"]
    sign = 1 if pair["a"] == "a" else -1
    assert result["models"]["a"]["n"] == N
    np.testing.assert_allclose(sign * pair["difference"], (A - B).mean(), rtol=1e-9)
    expected = stats.ttest_rel(A, B).pvalue
    np.testing.assert_allclose(pair["tests"]["theta_t"]["p_value"], expected, rtol=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_against_scipy_a_long_table_is_paired_by_item(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    rows = long_rows()
    np.random.default_rng(seed).shuffle(rows)

    result, understood = compare(capsys, write(tmp_path, "item,model,score", rows))

    assert_paired(result)
    assert "a row for each item and model; models: " in understood
    assert "items from column item; scores from column score\nhigher is better" in understood


@pytest.mark.parametrize(
    ("heading", "options"),
    [
        ("question_id,system,accuracy", []),
        ("doc_id,model_name,acc", []),
        ("task_id,model,passed", []),
        ("prompt,llm,reward", []),
        ("task,agent,score", []),
        ("when,who,what", ["--model-column", "who", "--item", "when", "--score", "what"]),
        ("item,config,score", ["--model-column", "config"]),
    ],
)
def test_against_scipy_other_names_of_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], heading: str, options: list[str]
) -> None:
    path = write(tmp_path, heading, long_rows())

    result, _ = compare(capsys, path, "--better", "higher", *options)

    assert_paired(result)


def test_exact_tasks_are_blocks_and_clusters_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks, documents = [f"t{i % 5}" for i in range(N)], [f"d{i // 3}" for i in range(N)]
    path = write(tmp_path, "item,model,score,task,document", long_rows(tasks, documents))

    result, understood = compare(capsys, path, "--cluster", "document")

    assert result["block_labels"] == [f"t{k}" for k in range(5)]
    assert "tasks, which are the blocks, from column task" in understood
    assert "clusters from column document" in understood
    other, _ = compare(capsys, path, "--task", "task", "--cluster", "document")
    assert other["models"] == result["models"]


def test_invalid_a_label_of_items_is_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents = [f"d{i // 3}" for i in range(N)]
    path = write(tmp_path, "item,model,score,document_name", long_rows(documents))

    assert "--cluster document_name" in refuse(capsys, path)
    assert_paired(compare(capsys, path, "--blocks", "holdout")[0])
    assert compare(capsys, path, "--cluster", "document_name")[0]["models"]["a"]["n"] == N


@pytest.mark.parametrize("name", ["seed", "epoch", "run_id", "trial", None])
def test_exact_repeated_items_are_runs_and_are_averaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str | None
) -> None:
    rows = [
        [i, model, round(float(scores[i]) + change, 6), run]
        for i in range(N)
        for model, scores in SCORES.items()
        for run, change in enumerate((-0.01, 0.0, 0.01))
    ]
    heading = "item,model,score" + (f",{name}" if name else "")

    result, understood = compare(
        capsys, write(tmp_path, heading, rows if name else [r[:3] for r in rows])
    )

    np.testing.assert_allclose(result["models"]["a"]["mean"]["pooled"], A.mean(), rtol=1e-9)
    assert "runs_averaged" in set(result["cautions"])
    assert "up to 3 runs of an item" in understood


def test_invalid_rows_of_several_metrics_are_no_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        [i, model, metric, scores[i]]
        for i in range(N)
        for model, scores in SCORES.items()
        for metric in ("exact", "bleu")
    ]

    message = refuse(capsys, write(tmp_path, "item,model,metric,score", rows))

    assert "Item '0' of 'a' has several rows, which differ in column 'metric'" in message


@pytest.mark.parametrize(
    ("name", "values"),
    [("temperature", (0.0, 0.7)), ("top_p", (0.9, 0.95, 1.0)), ("shots", (0, 5)), ("dose", "xy")],
)
def test_invalid_rows_of_several_settings_are_no_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, values: Sequence[Any]
) -> None:
    rows = [[*row, value] for row in long_rows() for value in values]
    path = write(tmp_path, f"item,model,score,{name}", rows)

    message = refuse(capsys, path, *HIGHER)

    assert f"Item '0' of 'a' has several rows, which differ in column '{name}'" in message
    timed = [[*row, k + 0.13 * i] for i, row in enumerate(long_rows()) for k in (1, 2)]
    path = write(tmp_path, "item,model,score,seconds", timed)
    assert_paired(compare(capsys, path, *HIGHER)[0])


def test_exact_folds_of_datasets_are_items_of_tasks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [[model, f"d{i // 5}", i % 5, s[i]] for i in range(N) for model, s in SCORES.items()]
    path = write(tmp_path, "model,dataset,fold,accuracy", rows)

    message = refuse(capsys, path)
    result, understood = compare(capsys, path, "--item", "fold")

    assert "differ in column 'fold'" in message
    assert "--item fold if it names the item itself" in message
    assert result["block_labels"] == [f"d{k}" for k in range(6)]
    assert result["models"]["a"]["n"] == N
    assert "tasks, which are the blocks, from column dataset" in understood


def test_invalid_an_item_that_a_model_lacks_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "item,model,score", long_rows()[:-1])

    message = refuse(capsys, path)
    result, _ = compare(capsys, path, "--missing", "leave_out")

    assert "item '29'" in message
    assert "'b' has no score for" in message
    assert "--missing leave_out" in message
    assert result["models"]["a"]["n"] == N - 1


def test_exact_columns_of_groups_and_costs_are_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    topics, tokens = [f"t{i % 3}" for i in range(N)], [*range(1, N + 1)]
    path = write(tmp_path, "item,model,score,topic,tokens,note", long_rows(topics, tokens, topics))
    options = ("--blocks", "holdout", "--group", "topic", "--cost", "tokens")

    _, bare = compare(capsys, path, *HIGHER, *options[:2])
    result, told = compare(capsys, path, *HIGHER, *options)

    assert "not used: topic, tokens, note\n" in bare
    assert "not used: note\n" in told
    assert "costs of runs from tokens\ngroups by topic\n" in told
    assert result["models"]["a"]["groups"].keys() == {"topic"}


@pytest.mark.parametrize("write_item", ["{:03d}", "{}.0", "q{}", "b/{}"])
def test_invalid_items_that_models_write_otherwise_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write_item: str
) -> None:
    rows = [
        [write_item.format(i) if model == "a" else i, model, score]
        for i, model, score in long_rows()
    ]

    message = refuse(capsys, write(tmp_path, "item,model,score", rows))

    assert "No two models have an item of column 'item' in common, such as" in message
    assert "the same item needs the same text" in message


@pytest.mark.parametrize(
    ("heading", "change", "said"),
    [
        ("number,model,score", None, "none names the item"),
        ("item,config,score", None, "--model-column config"),
        ("item,model,value", None, "--better higher or --better lower"),
        ("item,model,score", [3, "a", "n/a"], ""),
        ("item,model,score", ["mean", "a", 0.5], "Row 60 has the item 'mean'"),
        ("item,model,score", [31, "", 0.5], "Row 60 names no model: column 'model' is empty"),
        ("item,model,score", ["", "a", 0.5], "Row 60 names no item: column 'item' is empty"),
        ("item,model,score", [31, "a", "timeout"], "'timeout' in row 60 is no number"),
    ],
)
def test_invalid_long_tables_are_explained(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    heading: str,
    change: list[Any] | None,
    said: str,
) -> None:
    rows = long_rows() + ([change] if change else [])
    if heading.startswith("number"):
        rows = [[1000 + 7 * k % 60, *row[1:]] for k, row in enumerate(rows)]
    if change and change[2] == "n/a":
        rows = [row for row in rows if row[:2] != [3, "a"]]

    assert said in refuse(capsys, write(tmp_path, heading, rows))


@pytest.mark.parametrize("name", ["average", "Overall", "avg", "total"])
def test_invalid_a_model_that_sums_up_others_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    more = [[i, name, round((A[i] + B[i]) / 2, 4)] for i in range(N)]
    path = write(tmp_path, "item,model,score", long_rows() + more)

    assert f"Row 60 has the model {name!r}" in refuse(capsys, path)


def test_invalid_several_scores_are_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "item,model,exact,f1", long_rows(np.round(A**2, 3)))

    assert "Several columns may have the scores: exact, f1. Give --score" in refuse(capsys, path)
    assert_paired(compare(capsys, path, "--score", "exact")[0])


@pytest.mark.parametrize(("chosen", "binary"), [("f1", "em"), ("similarity", "hit")])
def test_invalid_zeros_and_ones_beside_fractions_may_be_the_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], chosen: str, binary: str
) -> None:
    rows = [[i, model, int(score > 0.5), score] for i, model, score in long_rows()]
    path = write(tmp_path, f"item,model,{binary},{chosen}", rows)

    assert f"Several columns may have the scores: {chosen}, {binary}" in refuse(capsys, path)
    path = write(tmp_path, "item,model,cached,score", rows)
    assert_paired(compare(capsys, path, *HIGHER)[0])


@pytest.mark.parametrize("name", ["{:02d}", "90071992547409{:02d}93", "q{}", "x {}", "é{}", "1e{}"])
def test_exact_items_keep_the_text_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    rows = [[name.format(i), model, score] for i, model, score in long_rows()]
    both = [*rows, *([name.format(i), "01", B[i]] for i in range(N))]
    for row in both:
        row[1] = {"a": "1", "b": "001"}.get(row[1], row[1])

    result, _ = compare(capsys, write(tmp_path, "item,model,score", both))

    assert set(result["models"]) == {"1", "001", "01"}
    assert result["models"]["1"]["n"] == N
    assert result["models"]["01"]["mean"] == result["models"]["001"]["mean"]


# Logs

RUNS: dict[int | str, list[str]] = {i: ["C" if i % 2 else "I"] for i in range(10)}
BETTER: dict[int | str, list[str]] = {i: ["C" if i % 10 > 2 else "I"] for i in range(10)}


def write_bytes(folder: Path, **files: bytes) -> list[str]:
    """Write files whose names have a double underscore in the place of a point."""
    paths = []
    for name, content in files.items():
        path = folder / name.replace("__", ".")
        path.write_bytes(content)
        paths.append(str(path))
    return paths


def means_of(result: Any) -> dict[str, float]:
    return {name: round(model["mean"]["pooled"], 9) for name, model in result["models"].items()}


def test_exact_two_logs_of_two_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = write_bytes(
        tmp_path,
        x__eval=inspect_eval("qa", "old", RUNS),
        y__json=inspect_json("qa", "new", BETTER),
    )

    result, _ = compare(capsys, *paths)

    assert means_of(result) == {"old": 0.5, "new": 0.7}
    assert result["comparisons"][0]["difference"] == pytest.approx(-0.2)


def test_exact_two_logs_of_one_model_are_two_evaluations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = write_bytes(
        tmp_path,
        old__json=inspect_json("qa", "lab/model", RUNS),
        new__json=inspect_json("qa", "lab/model", BETTER),
    )

    result, understood = compare(capsys, *paths)
    named, _ = compare(capsys, *paths, "--model", "terse", "--model", "long")
    same, _ = compare(capsys, *paths, "--model", "m", "--model", "m")

    assert means_of(result) == {"old": 0.5, "new": 0.7}
    assert "model new (the log names lab/model, as another log does)" in understood
    assert means_of(named) == {"terse": 0.5, "long": 0.7}
    assert means_of(same) == {"m": 0.6}
    assert "runs_averaged" in set(same["cautions"])


def test_exact_samples_of_the_harness_are_named_by_their_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = [{i: float(i % k != 0) for i in range(10)} for k in (2, 3)]
    paths = write_bytes(
        tmp_path, old__jsonl=harness_samples(scores[0]), new__jsonl=harness_samples(scores[1])
    )

    result, _ = compare(capsys, *paths)

    assert means_of(result) == {"old": 0.5, "new": 0.6}


def test_exact_folders_of_the_harness_are_models_and_their_files_tasks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = {i: float(i % 3 != 0) for i in range(10)}
    for model in ("old", "new"):
        folder = tmp_path / model
        folder.mkdir()
        (folder / "results_2026-01-16T10-00-00.json").write_text("{}")
        for task in ("law", "gsm8k_cot"):
            name = f"samples_{task}_2026-01-16T10-00-00.123.jsonl"
            (folder / name).write_bytes(harness_samples(scores, question=task))

    result, understood = compare(capsys, str(tmp_path / "old"), str(tmp_path / "new"))

    assert list(result["models"]) == ["old", "new"]
    assert sorted(result["block_labels"]) == ["gsm8k_cot", "law"]
    assert "model old, task gsm8k_cot; score exact_match" in understood


def test_exact_scores_beside_lists_of_the_harness_are_choices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for model, n_right in (("old", 2), ("new", 4)):
        rows = [
            {
                "doc_id": i,
                "doc": {"prompt": i},
                "target": "",
                "resps": [["x"]],
                "filtered_resps": ["x"],
                "filter": "none",
                "prompt_level_strict_acc": i < n_right,
                "inst_level_strict_acc": [i < n_right, True],
            }
            for i in range(6)
        ]
        path = tmp_path / model / "samples_ifeval_2026-01-16T10-00-00.123.jsonl"
        path.parent.mkdir()
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        paths.append(str(path))

    refusal = refuse(capsys, *paths)
    assert "--score inst_level_strict_acc" in refusal
    assert "--score prompt_level_strict_acc" in refusal
    for score, means in (("prompt_level", (2 / 6, 4 / 6)), ("inst_level", (8 / 12, 10 / 12))):
        result, _ = compare(capsys, *paths, "--score", f"{score}_strict_acc")
        assert means_of(result) == {
            model: round(mean, 9) for model, mean in zip(("old", "new"), means, strict=True)
        }


def test_exact_packed_samples_of_a_folder_are_as_unpacked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = [{i: float(i % k != 0) for i in range(10)} for k in (2, 3)]
    for model, kept in zip(("old", "new"), scores, strict=True):
        folder = tmp_path / model
        folder.mkdir()
        (folder / "results_2026-01-16T10-00-00.json").write_text("{}")
        name = "samples_law_2026-01-16T10-00-00.123.jsonl.gz"
        (folder / name).write_bytes(gzip.compress(harness_samples(kept)))

    result, understood = compare(capsys, str(tmp_path / "old"), str(tmp_path / "new"))

    assert means_of(result) == {"old": 0.5, "new": 0.6}
    assert "model old, task law; score exact_match" in understood

    (folder / name.removesuffix(".gz")).write_bytes(harness_samples(scores[1]))
    assert "are one log, packed and unpacked. Keep one" in refuse(capsys, str(tmp_path))


def test_invalid_rows_that_two_columns_tell_apart_are_no_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        (f"Fold{i}", flow, metric, "binary", A[i])
        for i in range(N)
        for flow in "ab"
        for metric in ("accuracy", "roc_auc")
    ]
    path = write(tmp_path, "id,wf,.metric,.estimator,.estimate", rows)

    message = refuse(capsys, path, *HIGHER)

    assert "has several rows, which differ in columns 'wf' and '.metric'" in message
    assert "for metrics, keep the rows of one metric" in message


SCORES_OF_TWO = {
    (task, model): {i: float(i % k != 0) for i in range(10)}
    for task, model, k in (
        ("law", "old", 2),
        ("law", "new", 3),
        ("med", "old", 3),
        ("med", "new", 2),
    )
}


def write_renamed(folder: Path, form: str, pairs: Iterable[tuple[str, str]]) -> list[str]:
    names = [form.format(task=task, model=model) for task, model in pairs]
    for name, pair in zip(names, pairs, strict=True):
        (folder / name).write_bytes(harness_samples(SCORES_OF_TWO[pair], question=pair[0]))
    return [str(folder / name) for name in names]


@pytest.mark.parametrize(
    "form",
    [
        "samples_{task}_{model}.jsonl",
        "samples_{model}_{task}.jsonl",
        "samples_a_{task}_{model}.jsonl",
    ],
)
def test_exact_renamed_samples_of_one_folder_are_of_tasks_and_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    both, _ = compare(capsys, *write_renamed(tmp_path, form, SCORES_OF_TWO))
    assert means_of(both) == {"old": 0.55, "new": 0.55}
    assert len(both["block_labels"]) == 2

    of_law = write_renamed(tmp_path, form, [("law", "old"), ("law", "new")])
    assert means_of(compare(capsys, *of_law)[0]) == {"old": 0.5, "new": 0.6}

    of_one = write_renamed(tmp_path, "samples_{task}.jsonl", [("law", "old"), ("med", "old")])
    assert means_of(compare(capsys, *of_one)[0]) == {tmp_path.name: 0.55}


def test_exact_renamed_samples_whose_names_have_no_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = write_renamed(tmp_path, "samples_{model}.jsonl", [("law", "old"), ("law", "new")])

    assert means_of(compare(capsys, *paths)[0]) == {"old": 0.5, "new": 0.6}


def test_invalid_names_of_which_the_model_is_not_clear(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    form = "samples_{task}_{model}.jsonl"
    three = write_renamed(tmp_path, form, [("law", "old"), ("law", "new"), ("med", "old")])

    message = refuse(capsys, *three)

    assert "samples_law_new.jsonl have the same items, so they are of two models" in message
    assert "Put the files of each model into a folder of its own" in message


def test_invalid_one_id_for_two_items_of_a_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = json.loads(inspect_json("qa", "lab/model", BETTER))
    log["samples"][-1].update(id=log["samples"][0]["id"], epoch=log["samples"][0]["epoch"])
    samples = harness_samples({0: 1.0, 1: 0.0}).replace(b'"doc_id": 1', b'"doc_id": 0')
    inspected, harness = write_bytes(
        tmp_path, qa__json=json.dumps(log).encode(), new__jsonl=samples
    )

    for path in (inspected, harness):
        message = refuse(capsys, path)
        assert "is two items in the logs of" in message
        assert "Give each item its own id." in message


@pytest.mark.parametrize("name", ["part-00000-8f2a.csv", "data-00000-of-00001.arrow"])
def test_exact_a_folder_with_one_part_of_a_table_is_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    for other in ("_SUCCESS", "dataset_info.json"):
        (folder / other).write_text("{}")
    table = pa.table(SCORES)
    with pa.ipc.new_stream(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    rows = "".join(f"{a},{b}\n" for a, b in zip(A, B, strict=True))
    content = {".csv": f"a,b\n{rows}".encode(), ".arrow": (tmp_path / "t.arrow").read_bytes()}
    (folder / name).write_bytes(content[Path(name).suffix])

    assert_paired(compare(capsys, str(folder), *HIGHER)[0])


@pytest.mark.parametrize(
    ("ending", "reader"), [(".snappy.parquet", "read_parquet"), (".json", "read_ndjson")]
)
def test_invalid_parts_of_a_table_are_no_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str, reader: str
) -> None:
    for part in range(3):
        (tmp_path / f"part-0000{part}-8f2a{ending}").write_text('{"id": 1, "score": 0.5}')

    message = refuse(capsys, str(tmp_path))

    assert f"has 3 parts of a table (part-00000-8f2a{ending}, part-00001-8f2a{ending}" in message
    assert f"polars.{reader}('{tmp_path}/**/part-*')" in message


def test_invalid_a_folder_with_both_forms_of_a_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_bytes(
        tmp_path,
        qa__eval=inspect_eval("qa", "lab/model", RUNS),
        qa__json=inspect_json("qa", "lab/model", RUNS),
    )

    assert "are one log, in two forms. Keep one of them." in refuse(capsys, str(tmp_path))


def test_exact_a_packed_log_of_inspect_ai_is_as_unpacked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = inspect_eval("qa", "old", RUNS)
    plain, packed = write_bytes(tmp_path, a__eval=content, b__eval__gz=gzip.compress(content))

    results = [compare(capsys, path)[0] for path in (plain, packed)]

    assert means_of(results[0]) == means_of(results[1])


@pytest.mark.parametrize("options", [(), ("--model", "old", "--model", "new")])
def test_invalid_scorers_that_logs_do_not_share_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    paths = write_bytes(
        tmp_path,
        a__json=inspect_json("qa", "lab/model", RUNS),
        b__json=inspect_json("qa", "lab/model", BETTER, "includes"),
    )

    message = refuse(capsys, *paths, *options)

    assert "a.json has match; b.json has includes. Score all of them with one" in message


def test_invalid_logs_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filters = harness_samples({0: 1.0, 1: 0.0}, ("strict-match", "flexible-extract"))
    paths = write_bytes(tmp_path, a__jsonl=filters, b__jsonl=filters)
    assert "Choose one: --filter flexible-extract, --filter strict" in refuse(capsys, *paths)
    assert "2 names" not in refuse(capsys, *paths, "--model", "x")
    assert "there are 1 names and 2 files" in refuse(capsys, *paths, "--model", "x")

    (tmp_path / "empty").mkdir()
    assert "has no logs" in refuse(capsys, str(tmp_path / "empty"))
    wide = write(tmp_path, "a,b", [[0.5, 0.25]] * 5)
    other = write(tmp_path, "a,b", [[0.5, 0.25]] * 5, "other.csv")
    assert "has no column with the item of each row" in refuse(capsys, wide, other)
    assert "There is no file" in refuse(capsys, wide, str(tmp_path / "none.csv"))
    assert "named twice" in refuse(capsys, paths[0], paths[0])


@pytest.mark.parametrize("value", [float(A[0]), 0.9])
def test_invalid_a_row_that_stands_twice_is_no_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], value: float
) -> None:
    path = write(tmp_path, "item,model,acc", [*long_rows(), [0, "a", value]])

    message = refuse(capsys, path)

    assert "Item '0' of 'a' has 2 rows, the first in rows 0 and 60, and other items" in message


@pytest.mark.parametrize("name", ["seed", "epoch", "run", "trial_id"])
def test_invalid_a_run_that_stands_twice_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    rows = [[i, m, s[i], run] for i in range(N) for m, s in SCORES.items() for run in (0, 1, 1)]
    path = write(tmp_path, f"item,model,acc,{name}", rows)

    message = refuse(capsys, path)

    assert "Rows 1 and 2 are both of item '0' of 'a'" in message
    assert f"the same value in column '{name}'" in message


def test_invalid_a_model_in_merged_cells_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [["" if i else m, i, s[i]] for m, s in SCORES.items() for i in range(N)]

    message = refuse(capsys, write(tmp_path, "model,item,acc", rows))

    assert "Row 1 names no model: column 'model' is empty. Correct such rows" in message


@pytest.mark.parametrize(
    "score", ["not_correct", "toxicity_score", "log_prob", "bias_error", "no_match"]
)
def test_invalid_names_that_do_not_say_the_direction_are_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], score: str
) -> None:
    path = write(tmp_path, f"item,model,{score}", long_rows())

    assert f"The name '{score}' does not say whether higher" in refuse(capsys, path)


def test_exact_pairs_of_the_harness_are_perplexities(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Case 20: exp(-sum of log-likelihoods / sum of words), and lists of unknown meaning."""
    logs = [
        b"".join(
            json.dumps({"doc_id": i, "doc_hash": f"h{i}", name: [ll, n]}).encode() + b"\n"
            for i, (ll, n) in enumerate(zip(likelihoods, (5, 9, 3, 8), strict=True))
        )
        for name, likelihoods in (
            ("word_perplexity", (-10.5, -20.0, -7.0, -16.0)),
            ("word_perplexity", (-11.0, -19.0, -7.5, -17.0)),
            ("mcc", (1, 0, 1, 0)),
        )
    ]
    paths = write_bytes(tmp_path, a__jsonl=logs[0], b__jsonl=logs[1])

    result, understood = compare(capsys, *paths)

    assert means_of(result) == pytest.approx(
        {"a": math.exp(53.5 / 25), "b": math.exp(54.5 / 25)}, rel=1e-9
    )
    assert "score word_perplexity\nlower is better" in understood
    lists = write_bytes(tmp_path, c__jsonl=logs[2])
    assert "Columns with lists, which are no scores: mcc" in refuse(capsys, *lists)
    named = ["--score", "mcc", "--better", "higher"]
    assert "for the kind predictions" in refuse(capsys, *lists, *named)


def test_exact_logs_of_one_name_are_named_by_their_folders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for name, runs in (("v1", RUNS), ("v2", BETTER)):
        folder = tmp_path / name / "logs"
        folder.mkdir(parents=True)
        paths += write_bytes(folder, log__json=inspect_json("qa", "lab/model", runs))

    result, _ = compare(capsys, *paths)

    assert means_of(result) == {"v1/logs/log": 0.5, "v2/logs/log": 0.7}


def test_exact_tables_of_one_model_each_are_matched_by_item(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = write(tmp_path, "item,score", [[i, A[i]] for i in range(N)], "a.csv")
    b = write(tmp_path, "item,score", [[i, B[i]] for i in reversed(range(N))], "b.csv")

    result, _ = compare(capsys, a, b)

    assert_paired(result)


def inspect_log(values: Sequence[Any], **more: Any) -> str:
    """Return a log of inspect_ai; ``more`` are members of samples, or functions of their places."""
    samples = [
        {
            "id": i,
            "epoch": 1,
            **{name: m(i) if callable(m) else m for name, m in more.items()},
            "scores": {"match": {"value": value}},
        }
        for i, value in enumerate(values)
    ]
    name = more.get("model", "m")
    return json.dumps(
        {"status": "success", "eval": {"task": "t", "model": name}, "samples": samples}
    )


def write_logs(folder: Path, **texts: str | bytes) -> list[str]:
    paths = [folder / f"{name}.json" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [*map(str, paths)]


GRADES = ["C", "I", "C", "C", "I", "C", "I", "C", "C", "I"]


def test_invalid_logs_of_other_items_with_the_same_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = inspect_log(GRADES, target=lambda i: f"answer {i}")
    new = inspect_log(GRADES, target=lambda i: f"answer {i + 1}")

    assert "is not the same in the logs" in refuse(capsys, *write_logs(tmp_path, old=old, new=new))


def test_exact_shuffled_choices_are_the_same_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = inspect_log(GRADES, choices=["yes", "no", "unknown"], target="B")
    new = inspect_log(GRADES[::-1], choices=["no", "unknown", "yes"], target=["A"])

    result, _ = compare(capsys, *write_logs(tmp_path, old=old, new=new))

    assert result["models"].keys() == {"old", "new"}


def test_exact_other_inputs_have_a_caution(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = inspect_log(GRADES, input=lambda i: f"Question {i}", target="x")
    new = inspect_log(GRADES, input=lambda i: f"Question {max(i, 1)}", target="x")
    same = inspect_log(GRADES[::-1], input=lambda i: f"Question {i}", target="x")

    result, _ = compare(capsys, *write_logs(tmp_path, old=old, new=new))
    assert "1 of 10 items have another input" in str(result["caution_texts"])
    result, _ = compare(capsys, *write_logs(tmp_path, old=old, same=same))
    assert "inputs_differ" not in str(result["cautions"])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["good", *GRADES[1:]], "'good' in row 0 is no number"),
        (["good", "bad"] * 5, "'good' in row 0, which is no plain number"),
        ([[1, 0]] * 10, "lists, which are no scores: score.match"),
    ],
)
def test_invalid_scores_that_are_texts_or_lists_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], values: list[Any], words: str
) -> None:
    paths = write_logs(tmp_path, old=inspect_log(GRADES), new=inspect_log(values))
    assert words in refuse(capsys, *paths)


def test_invalid_the_broken_log_of_a_folder_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = inspect_log(GRADES)
    paths = write_logs(tmp_path, a=log, b=log[:200])
    assert f"{paths[1]}: The file is not JSON" in refuse(capsys, str(tmp_path))
    write_logs(tmp_path, b='{"results": {}, "configs": {}, "versions": {}}')
    assert "--log_samples" in refuse(capsys, str(tmp_path))


def test_exact_packed_json_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = {"old": inspect_log(GRADES), "new": inspect_log(GRADES[::-1])}
    paths = [tmp_path / f"{name}.json.gz" for name in logs]
    for path, text in zip(paths, logs.values(), strict=True):
        path.write_bytes(gzip.compress(text.encode()))

    result, _ = compare(capsys, *map(str, paths))

    assert result["models"].keys() == {"old", "new"}


def test_exact_a_renamed_harness_file_has_the_task_of_the_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"doc_id": i, "doc_hash": f"h{i}", "acc": float(i % 3 > 0)} for i in range(12)]
    text = "\n".join(map(json.dumps, rows)) + "\n"
    named, renamed = tmp_path / "samples_t_2026-01-01T00-00-00.jsonl", tmp_path / "new.jsonl"
    named.write_text(text)
    renamed.write_text(text)

    result, understood = compare(capsys, str(named), str(renamed))

    assert result["models"].keys() == {named.stem, "new"}
    assert "task t" not in understood


def test_invalid_rows_without_a_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = [f"t{i % 3}" for i in range(N)]
    rows = long_rows([*tasks[:-1], ""])
    path = write(tmp_path, "item,model,score,task", rows)
    assert "row 58 has no value in column 'task'" in refuse(capsys, path).lower()


def test_exact_versions_of_models_are_not_one_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [[i, {"a": "4.1", "b": "4.10"}[m], v] for i, m, v in long_rows()]
    result, _ = compare(capsys, write(tmp_path, "item,model,score", rows))

    means = {name: model["mean"]["pooled"] for name, model in result["models"].items()}
    np.testing.assert_allclose([means["4.1"], means["4.10"]], [A.mean(), B.mean()], rtol=1e-12)


def test_exact_a_column_with_one_estimator_is_not_that_of_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [[f"Fold{i}", "binary", v, m] for i, m, v in long_rows()]
    result, _ = compare(capsys, write(tmp_path, "id,.estimator,.estimate,model", rows), *HIGHER)
    assert result["models"].keys() == {"a", "b"}


def test_exact_true_values_are_no_clusters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = long_rows(["xyz"[i % 3] for i in range(N)], ["xy"[i % 2] for i in range(N)])
    compare(capsys, write(tmp_path, "item,model,score,label,prediction", rows))


@pytest.mark.parametrize(
    ("heading", "rows", "words"),
    [
        (
            "item,model,score",
            [[i if m == "a" else "", m, v] for i, m, v in long_rows()],
            "Row 1 names no item: column 'item' is empty",
        ),
        (
            "task,item,model,score",
            [[t, i, m, v] for i, m, v in long_rows() for t in (f"t{i % 3}", "overall")],
            "the task 'overall' in column 'task', which seems to sum up other tasks",
        ),
        (
            "item,model,score",
            [[i, m if i % 2 else f"{m} ", v] for i, m, v in long_rows()],
            "The models 'a' and 'a ' (and 1 more) differ only in letter case, blanks",
        ),
        (
            "item,model,setting,score",
            [[i, "m", f"temperature={m}", v] for i, m, v in long_rows()],
            "write the model and its settings into one column",
        ),
        (
            "item,model,correct",
            [[i, m, "yes" if v > 0.5 else "no"] for i, m, v in long_rows()],
            "Write 1 for right and 0 for wrong",
        ),
    ],
)
def test_invalid_long_tables_name_what_is_wrong(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    heading: str,
    rows: list[list[Any]],
    words: str,
) -> None:
    assert words in " ".join(refuse(capsys, write(tmp_path, heading, rows)).split())

"""Which columns ``thetahat compare`` takes as models, and what it asks."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn.utils import all_estimators

from tests.service.surfaces.commands import with_one_seed
from thetahat.learners import LEARNERS
from thetahat.roles.names import is_quantity_name
from thetahat.tables.totals import find_computed_total
from thetahat_service.cli import main

N = 30
A = np.round(np.random.default_rng(5).uniform(0.05, 0.95, N), 3)
B = np.round(A - 0.03 + np.random.default_rng(6).normal(0, 0.02, N), 3)
DIFFERENCE = float((A - B).mean())
SHUFFLED_B = np.random.default_rng(7).permutation(B)


@pytest.fixture(autouse=True)
def without_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THETAHAT_URL", raising=False)


def write(folder: Path, heading: str, *columns: Iterable[Any]) -> str:
    rows = [",".join(str(value) for value in row) for row in zip(*columns, strict=True)]
    path = folder / "table.csv"
    path.write_text("\n".join([heading, *rows]) + "\n")
    return str(path)


def compare(capsys: pytest.CaptureFixture[str], path: str, *options: str) -> Any:
    """Return the result of a comparison of scores."""
    capsys.readouterr()
    status = main(["compare", path, "--better", "higher", "--json", *options])
    printed = capsys.readouterr()
    assert status == 0, printed.err
    return json.loads(printed.out)


def refuse(capsys: pytest.CaptureFixture[str], path: str, *options: str) -> str:
    """Return the message of a comparison that is refused."""
    capsys.readouterr()
    status = main(["compare", path, *options])
    printed = capsys.readouterr()
    assert (status, printed.out) == (2, "")
    assert "Traceback" not in printed.err
    return printed.err


def assert_a_and_b(result: Any) -> None:
    assert list(result["models"]) == ["a", "b"]
    assert result["models"]["a"]["n"] == N
    np.testing.assert_allclose(result["comparisons"][0]["difference"], DIFFERENCE, rtol=1e-12)


GAPS = np.sort(np.random.default_rng(7).choice(300, N, replace=False))
SHUFFLED = np.random.default_rng(8).permutation(GAPS)


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("", GAPS),
        ("", SHUFFLED),
        ("Unnamed: 0", GAPS),
        ("Unnamed: 0", SHUFFLED),
        ("Unnamed: 0.1", SHUFFLED),
        ("__index_level_0__", SHUFFLED),
        ("index", SHUFFLED),
        ("...1", SHUFFLED),
        ("query", SHUFFLED),
        ("sample_id", SHUFFLED),
        ("t", GAPS),
        ("", [f"row {i}" for i in range(N)]),
    ],
)
def test_exact_an_index_is_no_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, index: Sequence[Any]
) -> None:
    result = compare(capsys, write(tmp_path, f"{name},a,b", index, A, B))

    assert_a_and_b(result)


def test_exact_the_index_of_a_parquet_file_is_no_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table({"a": A, "b": B, "__index_level_0__": SHUFFLED}), path)

    assert_a_and_b(compare(capsys, str(path)))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("latency_ms", [100 + 7 * (i * 11 % 30) for i in range(N)]),
        ("latency_ms", [100.5 + 7 * (i * 11 % 30) for i in range(N)]),
        ("n_words", [5 + i * 11 % 40 for i in range(N)]),
        ("hard", [int(i % 3 == 0) for i in range(N)]),
        ("difficulty", [1.0 + i % 4 for i in range(N)]),
        ("difference", np.round(A - B, 3)),
        ("worse_by", np.round(A - B, 3)),
        ("gain", np.round(B - A, 3)),
        ("mean", np.round((A + B) / 2, 4)),
        ("both", np.round(A + B, 3)),
        ("Average", np.round((A + B) / 3, 4)),
        ("a_std", np.round(A / 3, 3)),
        ("a_se", np.round(A / 30, 3)),
        ("a_lower", np.round(A / 3, 3)),
        ("ci_upper", np.round(A / 3 + 0.3, 3)),
        ("best", np.maximum(A, B)),
        ("worst", np.minimum(A, B)),
        ("delta", np.round(A / 3, 3)),
        ("prob_positive", np.round(A / 3, 3)),
        ("hashed", [1e6 + 0.5 + 1000 * (i * 11 % 30) for i in range(N)]),
    ],
)
def test_invalid_a_column_of_another_kind_is_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, values: Sequence[Any]
) -> None:
    path = write(tmp_path, f"{name},a,b", values, A, B)

    message = refuse(capsys, path)

    assert f"It is not clear whether column '{name}' is a model" in message
    assert "--model a --model b" in message
    assert_a_and_b(compare(capsys, path, "--model", "a", "--model", "b"))
    assert list(compare(capsys, path, "--model", name)["models"]) == [name]


@pytest.mark.parametrize(
    "name",
    [
        *("entropy", "mean_entropy", "tokenEntropy", "avg_rank", "mean rank", "median_position"),
        *("confidence", "loss_weight", "n_tokens", "elo", "elo_rating", "perplexity"),
        *("avg_logprob", "log_prob", "log_tokens", "error_weight", "uncertainty", "p_value"),
        *("cosine_similarity", "human_agreement", "text_readability", "sentiment_score", "score"),
        *("loss", "error_rate", "accuracy", "toxicity_score", "popularity", "gpu_hours", "top_p"),
        *("overlap_ratio", "pass_rate", "surprisal", "grad_norm", "base_rate", "kl_div"),
        *("learning_rate", "Length (words)", "percentile", "item_difficulty", "cross-entropy"),
        *("ttft", "tok_in", "tokens_per_second", "decode_tps", "energy_kwh", "nb_layers", "co2e"),
        *("number of retries", "hidden_size", "cpuTime", "peak_vram", "power_w", "gap_s", "p95"),
        *("brightness", "subjectivity", "mask_ratio", "retrieval_score", "log10_params", "votes"),
        *("ndcg@10", "pass_at_1", "retries", "upvotes", "timeouts", "revenue"),
    ],
)
def test_invalid_a_quantity_beside_models_is_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    other = np.round(np.random.default_rng(9).uniform(0.1, 0.9, N), 3)
    path = write(tmp_path, f"gpt4,{name},llama", A, other, B)

    message = refuse(capsys, path)

    assert f"It is not clear whether column '{name}' is a model" in message
    assert "--model gpt4 --model llama, or, with every column" in message
    assert list(compare(capsys, path, "--model", name)["models"]) == [name]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        *(("entropy", "uncertainty"), ("gpt4_perplexity", "llama_perplexity")),
        *(("gpt4_cross_entropy", "llama_cross_entropy"), ("loss_a", "loss_b"), ("rank_net", "svm")),
        *(("human", "gpt4"), ("gpt4_score", "human_score"), ("map", "mle"), ("em", "variational")),
        *(("error_pct_a", "error_pct_b"), ("score1", "score2"), ("weighted", "plain")),
        *(("token_loss_a", "token_loss_b"), ("loss", "baseline_loss"), ("log", "probit")),
        *(("n_beats", "n_gram"), ("n_beats", "arima"), ("power_transformer", "self_consistency")),
        *(("GPT-token-mixer", "steps_distilled"), ("identity", "convnext_s"), ("lr", "identity")),
        *(("area_attention", "step_1000"), ("params_free", "few_shot"), ("rank_net", "bm25")),
        *(("focal_loss", "baseline"), ("sentence_transformers", "mean_pool"), ("ours", "theirs")),
        *(("gpt4_log_loss", "llama_log_loss"), ("age_error_rf", "age_error_svm")),
    ],
)
def test_exact_names_of_models_are_no_quantities(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], first: str, second: str
) -> None:
    result = compare(capsys, write(tmp_path, f"{first},{second}", A, B))

    np.testing.assert_allclose(abs(result["comparisons"][0]["difference"]), DIFFERENCE, rtol=1e-12)
    assert list(compare(capsys, write(tmp_path, "similarity", A))["models"]) == ["similarity"]


def test_invalid_other_numbers_beside_right_and_wrong_are_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = [[int(i * k % 5 > 1) for i in range(N)] for k in (1, 2)]

    message = refuse(
        capsys, write(tmp_path, "gpt4,x,llama", right[0], np.round(9 * B, 2), right[1])
    )

    assert "'x' is a model: it has values of" in message
    assert "and 'gpt4' of 0 to 1, which has only 0 and 1" in message
    assert "--model gpt4 --model llama, or, with every column" in message
    written = [[f"{value}.0" for value in column] for column in right]
    values: list[Iterable[Any]] = [written[0], np.round(9 * B, 2), np.round(8 * A, 2)]
    message = refuse(capsys, write(tmp_path, "hurt,a,b", *values))
    assert "'hurt' is a model: it has values of 0 to 1, and 'a' of" in message
    shares = np.round(B / B.max(), 2)
    result = compare(capsys, write(tmp_path, "gpt4,x,llama", written[0], shares, written[1]))
    assert list(result["models"]) == ["gpt4", "x", "llama"]


def test_exact_no_name_of_a_learner_is_a_quantity() -> None:
    names = [*LEARNERS, *(name for name, _ in all_estimators(["classifier", "regressor"]))]

    assert [name for name in names if is_quantity_name(name)] == []


@pytest.mark.parametrize("name", ["n_hops", "num_docs", "n"])
def test_invalid_counts_beside_ratings_are_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    ratings = [[1 + (k * i) % 5 for i in range(N)] for k in (1, 2, 3)]

    message = refuse(capsys, write(tmp_path, f"gpt4,llama,{name}", *ratings))

    assert f"'{name}' is a model: it has whole numbers and the name of a count" in message


@pytest.mark.parametrize(
    "values", [100 * A, [0.0, *(100 * A[1:])], -A - 0.5, 10 * A - 12, 1200 + 80 * A]
)
def test_invalid_a_clearly_different_scale_is_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], values: Sequence[float]
) -> None:
    path = write(tmp_path, "a,x,b", A, np.round(values, 3), B)

    message = refuse(capsys, path)

    assert "It is not clear whether column 'x' is a model" in message
    assert "losses of the same rows have one scale" in message
    assert_a_and_b(compare(capsys, path, "--model", "a", "--model", "b"))


@pytest.mark.parametrize("values", [B * 4, A - 0.5, -B, B + 1])
def test_exact_models_may_differ_in_scale(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], values: Sequence[float]
) -> None:
    negative = -A if max(values) < 0 else A
    path = write(tmp_path, "a,b", negative, np.round(values, 3))

    assert list(compare(capsys, path)["models"]) == ["a", "b"]


@pytest.mark.parametrize("names", [("item_a", "item_b"), ("id", "id.1"), ("prompt", "prompt_y")])
@pytest.mark.parametrize("write_item", [int, "q{}".format])
def test_invalid_items_in_two_orders_are_not_paired_by_row(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    names: tuple[str, str],
    write_item: Callable[[int], int | str],
) -> None:
    items = [[write_item(i) for i in order] for order in (range(N), range(N)[::-1])]
    heading = f"{names[0]},a,{names[1]},b"

    message = refuse(capsys, write(tmp_path, heading, items[0], A, items[1], B))

    assert f"in column {names[0]!r} and item '{items[1][0]}' in column {names[1]!r}" in message
    named = write(tmp_path, heading, items[0], A, items[1], B)
    assert message == refuse(capsys, named, "--model", "a", "--model", "b")
    assert_a_and_b(compare(capsys, write(tmp_path, heading, items[0], A, items[0], B)))
    indexed = write(tmp_path, f",{names[1]},a,b", range(N), items[1], A, B)
    assert_a_and_b(compare(capsys, indexed))


def test_invalid_losses_beside_scores_are_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "a_acc,a_loss,b_acc,b_loss", A, 1 - A, B, 1 - B)

    for options in ((), ("--better", "higher")):
        message = refuse(capsys, path, *options)
        assert "column 'a_acc' is a model: it has a name by which higher values are better" in (
            message
        )
        assert "'a_loss' one by which lower values are" in message
    chosen = compare(capsys, path, "--model", "a_acc", "--model", "b_acc")
    assert list(chosen["models"]) == ["a_acc", "b_acc"]


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("rmse,mae", "the metric rmse, and 'mae' that of mae"),
        ("accuracy,f1", "the metric accuracy, and 'f1' that of f1"),
        ("precision,recall", "the metric precision"),
        ("a_acc,a_f1", "the metric accuracy, and 'a_f1' that of f1"),
        ("rouge1,rouge2", "the metric rouge1"),
        ("log_brier,x_nll", "the metric brier"),
    ],
)
def test_invalid_metrics_are_no_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], heading: str, words: str
) -> None:
    path = write(tmp_path, heading, A, B)

    for better in ("higher", "lower"):
        assert words in refuse(capsys, path, "--better", better)
    chosen = [option for name in heading.split(",") for option in ("--model", name)]
    assert list(compare(capsys, path, *chosen)["models"]) == heading.split(",")
    same = write(tmp_path, "old_acc,new_accuracy", A, B)
    assert list(compare(capsys, same)["models"]) == ["old_acc", "new_accuracy"]


def test_invalid_the_direction_of_scores_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for heading, columns in (
        ("bert_f1,gpt_f1", (A, B)),
        ("a_auc,b_auc", (A, B)),
        ("score_a,score_b", (A, B)),
        ("a,b", (A > 0.5, B > 0.4)),
    ):
        path = write(tmp_path, heading, *columns)
        assert "--better higher, or --better lower" in refuse(capsys, path)
        assert len(compare(capsys, path)["models"]) == 2
    for heading in ("a_loss,b_loss", "a_error,b_error", "a_toxicity_score,b_toxicity_score", "a,b"):
        assert main(["compare", write(tmp_path, heading, A, B), "--json"]) == 0


def test_invalid_numbered_instances_are_no_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heading = ",".join(["", *map(str, range(N))])
    path = write(tmp_path, heading, ["a", "b"], *zip(A, A + 0.001, strict=True))

    assert "rows seem to be models and columns instances" in refuse(capsys, path)
    numbered = write(tmp_path, ",0,1", [f"q{i}" for i in range(N)], A, B)
    assert list(compare(capsys, numbered)["models"]) == ["0", "1"]


@pytest.mark.parametrize("name", ["sex", "female", "Gender", "race"])
def test_invalid_groups_of_people_are_no_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = write(tmp_path, f"{name},a,b", [i % 2 for i in range(N)], A > 0.5, B > 0.5)

    assert f"--group {name}" in refuse(capsys, path)
    result = compare(capsys, path, "--blocks", "holdout", "--group", name)
    assert list(result["models"]) == ["a", "b"]


@pytest.mark.parametrize("name", ["model", "Method", "llm", "classifier_name"])
def test_invalid_a_row_for_each_model_has_no_losses_of_instances(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = write(tmp_path, f"{name},accuracy", [f"m{i}" for i in range(N)], A)

    assert f"Each row is of one model, as column '{name}'" in refuse(capsys, path)
    assert compare(capsys, path, "--model", "accuracy")["models"]["accuracy"]["n"] == N


@pytest.mark.parametrize("name", ["fold", "seed", "school", "user_id", "query"])
def test_invalid_a_label_that_rows_share_is_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = write(tmp_path, f"a,{name},b", A, [3 + i % 5 for i in range(N)], B)

    message = refuse(capsys, path)

    assert f"--block {name}" in message
    assert f"--cluster {name}" in message
    assert_a_and_b(compare(capsys, path, "--blocks", "holdout"))
    assert compare(capsys, path, "--block", name)["models"]["a"]["blocks"] == 5


def test_invalid_a_label_of_text_or_of_two_values_is_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = write(tmp_path, "ward,a,b", [f"w{i % 6}" for i in range(N)], A, B)
    assert "it is text, with 6 different values in 30 rows" in refuse(capsys, text)
    few = write(tmp_path, "q,a,b", [f"q{i % 24}" for i in range(N)], A, B)
    assert "it is text, with 24 different values in 30 rows" in refuse(capsys, few)

    binary = write(tmp_path, "seed,a,b", [i % 2 for i in range(N)], A, B)
    assert "--block seed" in refuse(capsys, binary)


MARKS = ["n/a", "-", "null", "None", "?", "#N/A", "error", "0.5 s"]


@pytest.mark.parametrize("mark", MARKS)
def test_invalid_one_cell_never_removes_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mark: str
) -> None:
    c: list[Any] = [*np.round(A + 0.2, 3)]
    c[7] = mark
    path = write(tmp_path, "a,b,c", A, B, c)

    for options in ([], ["--model", "a", "--model", "c"]):
        message = refuse(capsys, path, *options)
        assert "'c'" in message
        assert "row 7" in message
        assert f"'{mark}'" in message
        assert "--missing leave_out" in message


@pytest.mark.parametrize("marks", [["n/a"], ["timeout", "error"]])
def test_invalid_many_marks_never_remove_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], marks: list[str]
) -> None:
    c = [marks[i % len(marks)] if i % 4 else A[i] for i in range(N)]
    path = write(tmp_path, "a,school,c", A, [f"s{i % 5}" for i in range(N)], c)

    assert "'c'" in refuse(capsys, path, "--block", "school")


def test_exact_rows_without_a_value_are_left_out_if_that_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    c: list[Any] = [*np.round(A + 0.2, 3)]
    c[7] = ""
    path = write(tmp_path, "a,b,c", A, B, c)

    assert "Model 'c' has no value in row 7:" in refuse(capsys, path)
    result = compare(capsys, path, "--missing", "leave_out")

    assert list(result["models"]) == ["a", "b", "c"]
    assert result["models"]["a"]["n"] == N - 1


@pytest.mark.parametrize("mark", ["?", "n/a", "NULL", "None", "<NA>", "nan", "-"])
def test_exact_marks_among_true_and_false_are_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mark: str
) -> None:
    words = [str(i * 7 % 3 > 0) for i in range(N)]
    marked, empty = [[*words[:4], each, *words[5:]] for each in (mark, "")]
    paths = []
    for folder, column in (("marked", marked), ("empty", empty)):
        (tmp_path / folder).mkdir()
        paths.append(write(tmp_path / folder, "a,b", column, words[::-1]))
    texts = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": marked, "b": words[::-1]}), texts)

    found = [compare(capsys, path, "--missing", "leave_out") for path in (*paths, str(texts))]

    assert found[0]["models"]["a"]["n"] == N - 1
    known = [word == "True" for word in (*words[:4], *words[5:])]
    np.testing.assert_allclose(found[0]["models"]["a"]["mean"]["macro"], np.mean(known))
    for part in ("n", "mean"):
        assert all(each["models"]["b"][part] == found[0]["models"]["b"][part] for each in found)
    refusal = " ".join(refuse(capsys, paths[0], "--better", "higher").split())
    assert f"Model 'a' has no value in row 4: the column has {mark!r}" in refusal


@pytest.mark.parametrize("name", ["block", "cluster", "instance"])
def test_exact_a_block_column_may_have_the_name_of_another_unit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    blocks = [f"s{i % 6}" for i in range(N)]
    with with_one_seed():
        expected = compare(capsys, write(tmp_path, "Site,a,b", blocks, A, B), "--block", "Site")
        path = write(tmp_path, f"{name},a,b", blocks, A, B)
        found = compare(capsys, path, "--block", name)

    assert found["models"] == expected["models"]
    assert found["unit"]["singular"] == "source"


def test_invalid_rows_without_a_label_name_the_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clusters = [*(f"c{i % 6}" for i in range(N - 1)), ""]
    refusal = refuse(capsys, write(tmp_path, "cluster,a,b", clusters, A, B))

    assert f"The cluster has no value in row {N - 1}." in refusal
    assert "The option is --missing leave_out." in refusal


def test_invalid_a_header_in_the_middle_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = [*A[:9], "a", *A[9:]], [*B[:9], "b", *B[9:]]

    message = refuse(capsys, write(tmp_path, "a,b", a, b))

    assert "'a' in row 9 is no number" in message
    assert "The header stands there again" in message


@pytest.mark.parametrize("word", ["mean", "Total", "average:", "SUM", "overall"])
@pytest.mark.parametrize("place", ["model", "label"])
def test_invalid_a_row_of_totals_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], word: str, place: str
) -> None:
    if place == "model":
        path = write(tmp_path, "a,b", [*A, word], [*B, round(B.mean(), 3)])
    else:
        items = [f"q{i}" for i in range(N)]
        path = write(
            tmp_path,
            "item,a,b",
            [*items, word],
            [*A, round(A.mean(), 3)],
            [*B, round(B.mean(), 3)],
        )

    message = refuse(capsys, path)

    assert f"Row 30 seems to sum up other rows: it has '{word}' in column" in message


def test_invalid_a_row_of_totals_without_a_word_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = [int(i % 3 == 0) for i in range(N)]
    for a, b in (
        ([*A, round(A.mean(), 3)], [*B, round(B.mean(), 3)]),
        ([*A, round(A.sum(), 3)], [*B, round(B.sum(), 3)]),
        ([*wrong, round(np.mean(wrong), 4)], [*wrong[::-1], round(np.mean(wrong), 4)]),
    ):
        message = refuse(capsys, write(tmp_path, "a,b", a, b))
        assert "Row 30 seems to sum up other rows: in every column" in message


@pytest.mark.parametrize(
    ("columns", "digits"),
    [
        *(((A, SHUFFLED_B), 2), ((A, SHUFFLED_B), 4), ((A, B), 4)),
        (([*map(float, np.sqrt(A))], [*map(float, np.sqrt(SHUFFLED_B))]), 2),
        (([*map(float, np.sqrt(A))],), 4),
        ((np.round(A, 2), np.round(SHUFFLED_B, 2), np.round(1 - A[::-1] ** 2, 2)), 2),
    ],
)
@pytest.mark.parametrize("below", [0, 1])
def test_invalid_a_rounded_row_of_means_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    columns: Sequence[Sequence[float]],
    digits: int,
    below: int,
) -> None:
    statistics = (np.mean, np.std)[: 1 + below]
    cells = [[*c, *(round(float(f(c)), digits) for f in statistics)] for c in columns]

    message = refuse(capsys, write(tmp_path, ",".join("abc"[: len(columns)]), *cells))

    assert "Row 30 seems to sum up other rows: in every column its value is the mean" in message


def test_exact_shares_of_three_runs_agree_with_their_mean_by_chance() -> None:
    rng = np.random.default_rng(20_261_129)
    found = 0
    for k in range(600):
        shares = rng.integers(0, 4, (2, 10 + k % 40)) / 3
        copy = np.round(shares[0] + rng.normal(0, 0.002, shares.shape[1]), 2)
        found += find_computed_total([*shares]) is not None
        found += find_computed_total([np.round(shares[0], 2), copy]) is not None
    assert found == 0


@pytest.mark.parametrize("row", [0, 1, 13, N])
@pytest.mark.parametrize("name", ["Mean", "Grand total:", "** overall mean **", "Durchschnitt"])
def test_invalid_a_named_total_anywhere_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: int, name: str
) -> None:
    columns: list[list[Any]] = [[f"q{i}" for i in range(N)], [*A], [*B]]
    for column, value in zip(columns, (name, 0.5, 0.4), strict=True):
        column.insert(row, value)

    message = refuse(capsys, write(tmp_path, "item,a,b", *columns))

    assert f"Row {row} seems to sum up other rows: it has '{name}' in column 'item'" in message


def test_invalid_several_totals_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    described = ["count", "mean", "std", "min", "max"]
    statistics = [[f(v) for f in (len, np.mean, np.std, min, max)] for v in (A, B)]
    items = [f"q{i}" for i in range(N)]
    a, b = ([*values, *of] for values, of in zip((A, B), statistics, strict=True))
    message = refuse(capsys, write(tmp_path, "item,a,b", [*items, *described], a, b))
    assert "Row 30 seems" in message
    assert "'count' in column 'item', and so do 4 more rows" in message

    subtotals = [item if i % 10 else "subtotal" for i, item in enumerate(items)]
    message = refuse(capsys, write(tmp_path, "item,a,b", subtotals, A, B))
    assert "Row 0 seems" in message


@pytest.mark.parametrize("row", [0, 1, 13, N])
@pytest.mark.parametrize("find", [np.mean, np.sum])
def test_invalid_an_unnamed_total_anywhere_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: int, find: Any
) -> None:
    a, b = ([*v[:row], float(find(v)), *v[row:]] for v in ([*A], [*B]))

    message = refuse(capsys, write(tmp_path, "a,b", a, b))

    assert f"Row {row} seems to sum up other rows: in every column" in message


def test_exact_labels_that_are_words_of_totals_are_no_totals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = [("count", "sum", "sort", "find", "move")[i % 5] for i in range(N)]
    path = write(tmp_path, "kind,a,b", kinds, A, B)

    assert_a_and_b(compare(capsys, path, "--blocks", "holdout"))


OTHERS = [round(float(v) / 2, 3) for v in B]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([*A[:7], "1_000", *A[8:]], "'1_000' in row 7 is no number"),
        ([*A[:7], "\u0660.\u0665", *A[8:]], "in row 7 is no number"),
        ([f"${v}" for v in A], f"has '${A[0]}' in row 0, which is no plain number, nor are 29"),
        *(
            ([form.format(v) for v in A], "in row 0, which is no plain number, nor are 29 more")
            for form in (
                *("{}s", "{}\u00b10.1", "({})", "{}-", "[{}]", "\u20ac {}", '=""{}""', "{}D-01"),
                *("{}\u00d710^-1", "np.float64({})", "{} points", "{}/1", "USD {}", "score: {}"),
            )
        ),
        (["1/2"] * N, "has '1/2' in row 0, which is no plain number"),
        (["\uff10\uff0e\uff15"] * N, "in row 0, which is no plain number"),
        ([f"1_{round(1000 * v):03}" for v in A], "in row 0, which is no plain number"),
        (['"1,23,456"'] * N, "has '1,23,456' in row 0, which is no plain number"),
        ([f'"{v}"'.replace(".", "," if i % 2 else ".") for i, v in enumerate(A)], "with a comma"),
        (["pass" if v > 0.5 else "fail" for v in A], "in the place of 0 and 1"),
        (["T" if v > 0.5 else "F" for v in A], "it has words for true and false, and other"),
        (["Y" if v > 0.5 else "N" for v in A], "in the place of 0 and 1"),
        ([*["True"] * 7, "n/a", *["False"] * 22], "it has words for true and false"),
    ],
)
def test_invalid_a_model_never_disappears(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cells: list[Any], words: str
) -> None:
    path = write(tmp_path, "a,b,c", cells, B, OTHERS)

    assert words in refuse(capsys, path)
    assert words in refuse(capsys, path, "--blocks", "holdout")


@pytest.mark.parametrize("name", ["gpt-{}", "Llama {}", "v{}", "{}.7", "2026-11-27 10:00:0{}"])
def test_exact_names_with_a_fraction_are_no_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = write(tmp_path, "answer,a,b", [name.format(v) for v in A], A, B)

    assert_a_and_b(compare(capsys, path))


def test_exact_numbers_as_text_are_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = []
    for first in (A, [str(v) for v in A]):
        path = tmp_path / "t.jsonl"
        path.write_text(
            "\n".join(json.dumps({"a": a, "b": b}) for a, b in zip(first, B, strict=True))
        )
        capsys.readouterr()
        assert main(["compare", str(path), "--json"]) == 0
        printed = capsys.readouterr()
        models = json.loads(printed.out)["models"]  # the seed of intervals is of the file's bytes
        results.append({name: model["mean"] for name, model in models.items()})
    assert results[0] == results[1]
    assert "read as numbers, which the file has as text: a." in printed.err


def test_invalid_faulty_texts_and_lists_among_numbers_are_no_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for first, words in (
        ([*map(str, A[:7]), "0.5s", *map(str, A[8:])], "'0.5s' in row 7 is no number"),
        (
            [f"0{i % 7}" for i, _ in enumerate(A)],
            "'a' has whole numbers of which some begin with 0",
        ),
        ([*A[:7], [0.5], *A[8:]], "Column 'a' has a list in row 7, and numbers in other rows"),
    ):
        path = tmp_path / "t.jsonl"
        rows = [{"a": a, "b": b, "c": c} for a, b, c in zip(first, B, OTHERS, strict=True)]
        path.write_text("\n".join(map(json.dumps, rows)))
        assert words in refuse(capsys, str(path))


@pytest.mark.parametrize("code", ["-999", "9999", "-99.0", "-1", "-1.0"])
def test_invalid_a_code_of_missing_values_is_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    path = write(tmp_path, "a,b", [*A[:7], code, *A[8:]], B)

    message = refuse(capsys, path)

    assert f"Model 'a' is {float(code):g} in row 7 (1 rows), and 0.0" in message
    assert compare(capsys, path, "--model", "a", "--model", "b")["models"]["a"]["n"] == N


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([-1, *(a - 0.5 for a in A[1:])], [b - 0.5 for b in B]),
        ([-1, *(a + 1 for a in A[1:])], [b + 1 for b in B]),
    ],
)
def test_exact_minus_one_is_a_value_unless_the_others_are_shares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], first: list[float], second: list[float]
) -> None:
    found = compare(capsys, write(tmp_path, "a,b", first, second))

    assert found["models"]["a"]["n"] == N


@pytest.mark.parametrize("other", [B[:-1], np.append(B, 0.5)])
def test_invalid_an_array_of_another_size_does_not_disappear(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], other: Any
) -> None:
    path = tmp_path / "t.npz"
    np.savez(path, a=A, b=B, c=other)

    assert "Array 'c' does not fit the others. Its shape is" in refuse(capsys, str(path))
    assert_a_and_b(compare(capsys, str(path), "--model", "a", "--model", "b"))


@pytest.mark.parametrize("ending", [".xlsx", ".ods", ".pkl", ".sav", ".dta", ".sqlite", ".feather"])
def test_invalid_a_file_of_another_program_is_named_by_its_content(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    path = tmp_path / f"t{ending}"
    path.write_bytes(b"SQLite format 3\0" + bytes(100))

    assert "The file is an SQLite database, which is not read." in refuse(capsys, str(path))


@pytest.mark.parametrize("ending", [".csv.gz", ".gz", ".GZ", ".tsv.gz", ".csv.zst"])
def test_exact_a_packed_text_is_read_by_its_content(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    path = tmp_path / f"t{ending}"
    path.write_bytes(gzip.compress(Path(write(tmp_path, "a,b", A, B)).read_bytes()))

    assert_a_and_b(compare(capsys, str(path)))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("setting", [0.7] * N),
        ("confidence", OTHERS),
        ("pct", [i / N for i in range(N)]),
        ("weight", ["1.0"] * N),
        ("tags", [""] * N),
    ],
)
def test_invalid_settings_and_measures_are_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, values: list[Any]
) -> None:
    message = refuse(capsys, write(tmp_path, f"{name},a,b", values, A, B))

    assert f"It is not clear whether column '{name}' is a model" in message
    assert "--model a --model b" in message


def test_property_totals_are_seldom_found_by_chance() -> None:
    rng = np.random.default_rng(20_261_128)
    found = 0
    for k in range(600):
        n, digits = 10 + k % 40, k % 4
        columns = [np.round(rng.random(n), digits) for _ in range(1 + k % 3)]
        found += find_computed_total(columns) is not None
    assert found == 0


def test_exact_ordinary_tables_are_asked_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_a_and_b(compare(capsys, write(tmp_path, "a,b", A, B)))
    notes = [f"a remark on row {i}" for i in range(N)]
    assert_a_and_b(compare(capsys, write(tmp_path, "note,a,b", notes, A, B)))
    assert_a_and_b(compare(capsys, write(tmp_path, "split,a,b", ["test"] * N, A, B)))
    wrong = [int(i % 3 == 0) for i in range(N)]
    for values in ([1] * N, [i % 2 for i in range(N)]):
        result = compare(capsys, write(tmp_path, "one,two", wrong, values))
        assert list(result["models"]) == ["one", "two"]
    stars = [[1 + i * k % 5 for i in range(N)] for k in (3, 7)]
    assert len(compare(capsys, write(tmp_path, "x,w", *stars))["models"]) == 2
    poor = [round(4 * float(value) ** 2, 3) for value in A]
    assert len(compare(capsys, write(tmp_path, "log_loss,x", poor, B))["models"]) == 2


def test_exact_measures_are_compared_with_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = [100.5 + 7 * (i * 11 % 30) for i in range(N)]
    fast = [90.5 + 7 * (i * 11 % 30) for i in range(N)]

    result = compare(capsys, write(tmp_path, "latency_old,latency_new", slow, fast))

    assert list(result["models"]) == ["latency_old", "latency_new"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n" + "".join(f"{100 * v:.1f}{'%' if v < 0.8 else ''},{v}\n" for v in A), "none in"),
        (" a | b \n---+---\n" + "".join(f" {v} | {v} \n" for v in A), "clients of databases"),
        ("+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n+---+---+\n", "clients of databases"),
        ("a,b\n" + "wahr,falsch\nfalsch,wahr\n" * 9, "'wahr' in row 0 in the place of 0 and 1"),
        ("a,b\n" + "VRAI,FAUX\nFAUX,VRAI\n" * 9, "Write 1 for right and 0 for wrong"),
        ("a,b\n" + "oui,non\nnon,oui\n" * 9, "'oui' in row 0 in the place of 0 and 1"),
        (
            ",a,b\n" + "".join(f"{n},0.5,0.4\n" for n in ("mean", "std", "min", "50%")),
            "Row 0 seems to sum up other rows",
        ),
    ],
)
def test_invalid_files_that_people_send_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert words in " ".join(refuse(capsys, str(path)).split())


def test_exact_a_copy_is_a_model_with_a_caution(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    best = np.maximum(A, B) + 0.01
    result = compare(capsys, write(tmp_path, "a,b,copy", best, B, best))

    assert list(result["models"]) == ["a", "b", "copy"]
    assert "identical_losses" in str(result)
    extreme = write(tmp_path, "a,b,c", np.maximum(A, B), B, A)
    assert "largest of" in refuse(capsys, extreme)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1.1", "1.10", "1.2"], ["1.1", "1.10", "1.2"]),
        (["2,50", "2,5", "3,25"], ["2,50", "2,5", "3,25"]),
    ],
)
def test_exact_fractions_that_differ_in_zeros_are_different_labels(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    labels: list[str],
    expected: list[str],
) -> None:
    rows = zip(labels * 10, map(str, A), map(str, B), strict=True)
    mark = "," if "," in labels[0] else "."
    lines = [";".join(cell.replace(".", mark) for cell in row) for row in rows]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["version;a;b", *lines]) + "\n")

    result = compare(capsys, str(path), "--block", "version")

    assert result["block_labels"] == expected
    assert "labels_alike" in result["cautions"]


def test_invalid_ranges_of_weights_and_biases_are_no_models(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    names = [f"{run} - acc{end}" for run in "ab" for end in ("", "__MIN", "__MAX")]
    path = write(tmp_path, ",".join(names), A, A, A, B, B, B)

    message = refuse(capsys, path)

    assert "It is not clear whether column 'a - acc__MIN' is a model" in message
    assert "Name the models: --model 'a - acc' --model 'b - acc', or" in message


@pytest.mark.parametrize("heading", ["true/predicted,cat,dog", ",cat,dog"])
def test_invalid_rows_with_the_names_of_columns_are_no_instances(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, heading: str
) -> None:
    path = write(tmp_path, heading, ["dog", "cat"], [3, 10], [12, 2])

    assert "The rows have the names of the columns (cat, dog), as in a" in refuse(capsys, path)
    result = compare(capsys, path, "--model", "cat", "--model", "dog")
    assert list(result["models"]) == ["cat", "dog"]


def test_invalid_metrics_of_answers_are_no_models(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    message = refuse(capsys, write(tmp_path, "faithfulness,answer_relevancy", A, B))

    assert "has the name of the metric faithfulness, and 'answer_relevancy' that of" in message


def test_invalid_a_label_alone_is_no_model(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write(tmp_path, "question_id,winner,turn", np.arange(N), ["tie"] * N, [1] * N)

    assert "'turn', has a name of something else than losses. If it has losses" in refuse(
        capsys, path
    )
    assert list(compare(capsys, path, "--model", "turn")["models"]) == ["turn"]


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("id,target", "or is the only one with predictions"),
        ("id,label", "name the columns of losses with --model"),
        ("id,prediction", "has a name of predictions, not of losses. Name the models: --model pr"),
        ("id,y_pred", "--model y_pred"),
        ("id,pred_a", "--model pred_a"),
        ("id,predicted_class", "has a name of predictions"),
        ("id,age", "has a name of something else than losses"),
    ],
)
def test_invalid_a_submission_has_no_losses(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, heading: str, words: str
) -> None:
    path = write(tmp_path, heading, np.arange(892, 892 + N), [i % 3 // 2 for i in range(N)])

    assert words in refuse(capsys, path)
    name = heading.partition(",")[2]
    assert list(compare(capsys, path, "--model", name)["models"]) == [name]


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("site", ["1.1", "1.10", "1.2"] * 10, "Column 'site' may say which rows belong together"),
        ("week", [i // 5 + 0.5 for i in range(N)], "'week' may say which rows belong together"),
        ("user_id", [i // 2 + 0.25 for i in range(N)], "'user_id' may say which rows belong"),
        (
            "position",
            [i * i / 7 for i in range(N)],
            "whether column 'position' is a model: it has a",
        ),
    ],
)
def test_invalid_labels_with_fractions_are_no_models(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, values: list[Any], words: str
) -> None:
    path = write(tmp_path, f"{name},a,b", values, A, B)

    assert words in refuse(capsys, path)
    assert_a_and_b(compare(capsys, path, "--model", "a", "--model", "b"))


@pytest.mark.parametrize(("true", "false"), [("t", "f"), ("true", "false"), ("T", "F")])
def test_invalid_marks_of_rows_are_no_models(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, true: str, false: str
) -> None:
    urgent = [true if i % 2 else false for i in range(N)]
    right = [[int(v > 0.5) for v in values] for values in (A, B)]
    path = write(tmp_path, "a,b,urgent", *right, urgent)

    assert "column 'urgent' is a model: it has words for true and false" in refuse(capsys, path)
    result = compare(capsys, path, "--model", "a", "--model", "b")
    assert list(result["models"]) == ["a", "b"]


@pytest.mark.parametrize("step", [0.5, 0.05, 1 / 3])
def test_exact_a_grid_is_no_model(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, step: float
) -> None:
    path = write(tmp_path, "t,a,b", [1 + i * step for i in range(N)], A, B)

    assert_a_and_b(compare(capsys, path))


def test_invalid_two_submissions_have_no_losses(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write(tmp_path, "id,pred_a,pred_b", np.arange(N), A, B)

    assert "The same is asked of pred_b. Name the models: --model" in refuse(capsys, path)


@pytest.mark.parametrize(
    ("heading", "is_taken"),
    [("id,Survived", True), ("id,forest", True), ("id,correct", False), ("id,error", False)],
)
def test_exact_what_a_column_of_0_and_1_is_taken_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, heading: str, *, is_taken: bool
) -> None:
    path = write(tmp_path, heading, np.arange(892, 892 + N), [i % 3 // 2 for i in range(N)])

    main(["compare", str(path), "--better", "higher"])

    printed = capsys.readouterr()
    assert "the mean score" in printed.out
    assert ("If it has predicted classes, they need the true values" in printed.err) is is_taken


def test_exact_runs_that_are_the_same_for_all_items(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write(tmp_path, "a,b,item,seed", A, B, np.arange(N) // 3, np.arange(N) % 3)
    options = ("--model", "a", "--model", "b", "--blocks", "holdout", "--item", "item")
    designs = [
        compare(capsys, path, *options, *run)["models"]["a"]["runs"]["design"]
        for run in ((), ("--run", "seed"))
    ]

    assert designs == ["nested", "crossed"]


def test_invalid_scores_in_a_list_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps({"id": i, "scores": [v]}) + "\n" for i, v in enumerate(A)))

    assert "Not used: scores, whose values are lists" in refuse(capsys, str(path))

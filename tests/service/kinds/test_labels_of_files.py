"""Labels keep the identity that a file gives them, whatever its format."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.service.kinds.run_requests import run_kind
from tests.service.kinds.uploads import uploaded
from thetahat.errors import EvaluationError
from thetahat_service.data.reading import read_labels
from thetahat_service.kinds.base import DatasetFile

CSV = "text/csv"
PARQUET = "application/vnd.apache.parquet"
ARROW = "application/vnd.apache.arrow.stream"
JSONL = "application/jsonl"
N_USERS = 10
USERS = np.repeat(np.arange(N_USERS), 4).tolist()
FIRST = 1_790_000_000_000_000_001
LOSSES = np.random.default_rng(3).random((len(USERS), 2)).round(3).tolist()


def as_csv(labels: Sequence[Any]) -> bytes:
    rows = [f"{'' if u is None else u},{a},{b}" for u, (a, b) in zip(labels, LOSSES, strict=True)]
    return "\n".join(["user,a,b", *rows, ""]).encode()


def as_table(labels: Sequence[Any] | pa.Array) -> pa.Table:
    a, b = zip(*LOSSES, strict=True)
    return pa.table({"user": labels, "a": a, "b": b})


def as_parquet(labels: Sequence[Any] | pa.Array) -> bytes:
    sink = io.BytesIO()
    pq.write_table(as_table(labels), sink)
    return sink.getvalue()


def as_arrow(labels: Sequence[Any] | pa.Array) -> bytes:
    sink = io.BytesIO()
    table = as_table(labels)
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def as_json_lines(labels: Sequence[Any]) -> bytes:
    rows = [{"user": u, "a": a, "b": b} for u, (a, b) in zip(labels, LOSSES, strict=True)]
    return "\n".join(map(json.dumps, rows)).encode()


def as_json_lines_without_key(labels: Sequence[Any]) -> bytes:
    rows = [
        {"a": a, "b": b, **({} if u is None else {"user": u})}
        for u, (a, b) in zip(labels, LOSSES, strict=True)
    ]
    return "\n".join(map(json.dumps, rows)).encode()


def of_type(kind: pa.DataType, labels: Sequence[Any]) -> pa.Array:
    return pa.array(labels, pa.int64()).cast(kind)


def compare(folder: Path, media_type: str, content: bytes, **request: Any) -> dict[str, Any]:
    file = uploaded(folder, media_type, content)
    body: dict[str, Any] = {"kind": "losses", "dataset": str(file.id), "missing": "leave_out"}
    columns = {"losses": ["a", "b"], **request.pop("columns")}
    return run_kind({**body, **request, "columns": columns}, [file]).result


IDS = [FIRST + user for user in USERS[:-1]] + [None]
FORMS = {
    "csv": (CSV, as_csv(IDS)),
    "csv, NA": (CSV, as_csv([*IDS[:-1], "NA"])),
    "csv, question mark": (CSV, as_csv([*IDS[:-1], "?"])),
    "csv, nan": (CSV, as_csv([*IDS[:-1], "nan"])),
    "parquet, int64": (PARQUET, as_parquet(pa.array(IDS, pa.int64()))),
    "parquet, uint64": (PARQUET, as_parquet(of_type(pa.uint64(), IDS))),
    "parquet, decimal": (PARQUET, as_parquet(of_type(pa.decimal128(38, 0), IDS))),
    "parquet, decimal of two places": (PARQUET, as_parquet(of_type(pa.decimal128(38, 2), IDS))),
    "parquet, dictionary": (PARQUET, as_parquet(pa.array(IDS).dictionary_encode())),
    "arrow, int64": (ARROW, as_arrow(pa.array(IDS, pa.int64()))),
    "arrow, dictionary": (ARROW, as_arrow(pa.array(IDS).dictionary_encode())),
    "json lines, null": (JSONL, as_json_lines(IDS)),
    "json lines, NaN": (JSONL, as_json_lines([*IDS[:-1], float("nan")])),
    "json lines, no key": (JSONL, as_json_lines_without_key(IDS)),
    "json lines, n/a": (JSONL, as_json_lines([*IDS[:-1], "n/a"])),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "request_of_labels",
    [
        {"blocks": "holdout", "columns": {"cluster": "user"}},
        {"blocks": "source", "columns": {"block": "user"}},
    ],
    ids=["cluster", "source"],
)
def test_property_ids_beyond_two_to_the_53_count_as_small_ones_do(
    tmp_path: Path, form: str, request_of_labels: dict[str, Any]
) -> None:
    small = [*(user + 1 for user in USERS[:-1]), ""]
    (tmp_path / "small").mkdir()
    expected = compare(tmp_path / "small", CSV, as_csv(small), **request_of_labels)
    result = compare(tmp_path, *FORMS[form], **request_of_labels)

    assert result["summary"] == expected["summary"]
    assert result["left_out"]["n_rows"] == 1


TWENTY = [str(12345678901234567890 + user) for user in USERS]
TWENTY_FORMS = {
    "csv": (CSV, as_csv(TWENTY)),
    "parquet, uint64": (PARQUET, as_parquet(pa.array([int(t) for t in TWENTY], pa.uint64()))),
    "parquet, text": (PARQUET, as_parquet(TWENTY)),
    "arrow, decimal": (ARROW, as_arrow(pa.array(TWENTY).cast(pa.decimal128(38, 0)))),
    "json lines": (JSONL, as_json_lines([int(text) for text in TWENTY])),
    "json lines, text": (JSONL, as_json_lines(TWENTY)),
}


@pytest.mark.parametrize("form", TWENTY_FORMS)
def test_exact_whole_numbers_beyond_int64_are_labels_by_their_text(
    tmp_path: Path, form: str
) -> None:
    file = uploaded(tmp_path, *TWENTY_FORMS[form])

    assert read_labels(file, ["user"])["user"].tolist() == TWENTY


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["1", "01", "001", "2"], ["1", "01", "001", "2"]),
        (["1", "+1", "2", "3"], ["1", "+1", "2", "3"]),
        (["1", "1.0", "2", "3"], ["1", "1.0", "2", "3"]),
        (["1", "1e0", "2", "3"], ["1", "1e0", "2", "3"]),
        (["1.0", "1.00", "2.0", "3.0"], ["1.0", "1.00", "2.0", "3.0"]),
        (["007", "", "7", "?"], ["007", None, "7", None]),
        (["1'234", "1234", "2", "3"], ["1'234", "1234", "2", "3"]),
        (["1.0", "2.0", "", "3.0"], [1.0, 2.0, None, 3.0]),
        (["0", "1", "2", "3"], [0, 1, 2, 3]),
        (["0.5", "0", "0.25", "1"], [0.5, 0.0, 0.25, 1.0]),
        (["9007199254740993", "9007199254740992"], [9007199254740993, 9007199254740992]),
    ],
)  # fmt: skip
def test_exact_values_that_differ_in_a_text_are_different_labels(
    tmp_path: Path, texts: list[str], labels: list[Any]
) -> None:
    content = "\n".join(["id,x", *(f"{text},0.5" for text in texts), ""])
    read = read_labels(uploaded(tmp_path, CSV, content.encode()), ["id"])["id"].tolist()

    assert [None if label != label else label for label in read] == labels  # noqa: PLR0124 - NaN


SITES = np.repeat(["1", "01", "001", "2", "02", "3"], 3).tolist()


def sites_file(folder: Path, sites: Sequence[str]) -> DatasetFile:
    losses = np.random.default_rng(5).random((len(sites), 2)).round(3).tolist()
    rows = [f"{site},{a},{b}" for site, (a, b) in zip(sites, losses, strict=True)]
    return uploaded(folder, CSV, "\n".join(["site,a,b", *rows, ""]).encode())


def test_exact_leading_zeros_make_different_sources(tmp_path: Path) -> None:
    file = sites_file(tmp_path, SITES)
    columns = {"losses": ["a", "b"], "block": "site"}
    body = {"kind": "losses", "blocks": "source", "dataset": str(file.id), "columns": columns}

    assert run_kind(body, [file]).result["models"]["a"]["blocks"] == 6


PADDED = ["01", "1", "10", "01", "1", "10", "02", "02", "2", "2", "02", "2"]
ZIP_FILES: dict[str, tuple[str, bytes]] = {
    "csv": (CSV, "\n".join(["zip,y", *(f"{z},{i % 5}" for i, z in enumerate(PADDED))]).encode()),
    "text without such zeros": (
        JSONL,
        "\n".join(
            json.dumps({"zip": f"{int(z)}", "y": i % 5}) for i, z in enumerate(PADDED)
        ).encode(),
    ),
    "json lines": (
        JSONL,
        "\n".join(json.dumps({"zip": z, "y": i % 5}) for i, z in enumerate(PADDED)).encode(),
    ),
}


@pytest.mark.parametrize("form", ZIP_FILES)
def test_exact_a_feature_with_leading_zeros_has_categories(tmp_path: Path, form: str) -> None:
    file = uploaded(tmp_path, *ZIP_FILES[form])
    result = run_kind(
        {
            "kind": "cross_validation",
            "dataset": str(file.id),
            "columns": {"target": "y"},
            "task": "regression",
            "scheme": "leave_one_out",
            "learners": {
                "ridge": "ridge",
                "one_hot": {"name": "ridge", "prepare": ["one_hot"]},
                "mean": "mean",
            },
        },
        [file],
    ).result

    assert [*result["models"]] == ["one_hot", "mean"]
    (message,) = [c["message"] for c in result["cautions"] if "ridge" in c["message"]]
    assert "written as text, such as '1' in row 1. Write numbers with a decimal point" in message


A, B = FIRST, FIRST + 1
CLASSES = {
    "csv": (CSV, f"y,m\n{A},{A}\n{B},{B}\n{A},{B}\n,{A}\n"),
    "leading zeros": (CSV, "y,m\n01,01\n10,10\n01,10\n,10\n"),
    "leading zeros of one": (CSV, "y,m\n01,10\n10,10\n01,10\n10,10\n10,10\n10,10\n"),
    "marks": (CSV, "y,m\n1,1\n2,2\n1,2\nn/a,1\n"),
    "floats": (CSV, "y,m\n1.0,1\n2.0,2\n1.0,2\n,1\n"),
    "json lines": (
        JSONL,
        "\n".join(json.dumps({"y": y, "m": m}) for y, m in [(A, A), (B, B), (A, B), (None, A)]),
    ),
}


@pytest.mark.parametrize("form", CLASSES)
def test_exact_class_labels_with_a_blank_are_compared_as_they_are(
    tmp_path: Path, form: str
) -> None:
    file = uploaded(tmp_path, CLASSES[form][0], CLASSES[form][1].encode())
    result = run_kind(
        {
            "kind": "predictions",
            "blocks": "holdout",
            "loss": "zero_one",
            "dataset": str(file.id),
            "columns": {"target": "y", "predictions": {"m": "m"}},
            "missing": "leave_out",
        },
        [file],
    ).result

    assert result["models"]["m"]["mean"]["pooled"] == pytest.approx(1 / 3, rel=1e-15)


@pytest.mark.parametrize("role", ["source", "cluster"])
@pytest.mark.parametrize("form", ["csv", "parquet, int64", "json lines, null"])
def test_property_ids_of_rows_for_learners_count_as_small_ones_do(
    tmp_path: Path, form: str, role: str
) -> None:
    def fit(folder: Path, media_type: str, content: bytes) -> Any:
        folder.mkdir()
        file = uploaded(folder, media_type, content)
        scheme = "leave_one_source_out" if role == "source" else "k_fold"
        body = {
            "kind": "cross_validation",
            "dataset": str(file.id),
            "task": "regression",
            "columns": {"target": "a", "features": ["b"], role: "user"},
            "missing": "leave_out",
            "scheme": scheme,
            "learners": {"mean": "mean", "line": "least_squares"},
        }
        return run_kind(body, [file]).result

    small = [*(user + 1 for user in USERS[:-1]), ""]
    expected = fit(tmp_path / "small", CSV, as_csv(small))
    result = fit(tmp_path / "large", *FORMS[form])

    assert result["summary"]["models"] == expected["summary"]["models"]


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()])
def test_invalid_floating_point_ids_that_may_have_been_rounded(
    tmp_path: Path, kind: pa.DataType
) -> None:
    rounded = pa.array([float(FIRST + user) for user in USERS], pa.float64()).cast(kind)
    with pytest.raises(EvaluationError, match=r"in row 0\. A label is text, a whole number"):
        compare(tmp_path, PARQUET, as_parquet(rounded), blocks="source", columns={"block": "user"})


@pytest.mark.parametrize("field", ["block", "cluster", "instance"])
@pytest.mark.parametrize("labels", [[1, "1", 2, 1], ["a", 2, "b", "c"], [7, 8, "9", 8]])
def test_invalid_texts_and_numbers_are_no_labels_of_one_list(field: str, labels: list[Any]) -> None:
    body = {
        "kind": "losses",
        "blocks": "source" if field == "block" else "holdout",
        "losses": {"a": [0.1, 0.2, 0.3, 0.4]},
        field: labels,
    }
    with pytest.raises(EvaluationError, match="The labels are texts and whole numbers: "):
        run_kind(body)


def test_exact_labels_beyond_64_bits_in_a_request_are_kept() -> None:
    losses = {"a": [0.1, 0.2, 0.3, 0.4, 0.2, 0.7]}
    results = [
        run_kind({"kind": "losses", "blocks": "source", "losses": losses, "block": block}).result
        for block in ([1, 2, 3] * 2, [2**63 + 1, 2**63 + 2, 2**64 - 1] * 2)
    ]

    means = [result["models"]["a"]["mean"] for result in results]
    assert means[0] == means[1]


@pytest.mark.parametrize("mark", ["NA", "NaN"])
@pytest.mark.parametrize("media_type", [CSV, JSONL])
def test_exact_na_is_a_class_in_every_format(tmp_path: Path, media_type: str, mark: str) -> None:
    names = [mark, "EU", "APAC"]
    rows = [(names[i % 3], names[(i + (i % 5 == 0)) % 3]) for i in range(30)]
    lines = (
        ["y,m", *map(",".join, rows)]
        if media_type == CSV
        else [json.dumps({"y": y, "m": m}) for y, m in rows]
    )
    file = uploaded(tmp_path, media_type, "\n".join(lines).encode())
    columns = {"target": "y", "predictions": {"m": "m"}}
    body = {"kind": "predictions", "blocks": "holdout", "loss": "zero_one", "columns": columns}
    result = run_kind({**body, "dataset": str(file.id)}, [file]).result

    assert result["models"]["m"]["mean"]["macro"] == pytest.approx(6 / 30)
    assert "label_is_a_mark" in {caution["code"] for caution in result["cautions"]}


@pytest.mark.parametrize("blocks", ["source", "holdout"])
@pytest.mark.parametrize(("media_type", "write"), [(PARQUET, as_parquet), (ARROW, as_arrow)])
def test_invalid_ids_of_single_precision_may_have_become_one(
    tmp_path: Path, blocks: str, media_type: str, write: Any
) -> None:
    ids = pa.array([float(2**24 + user) for user in USERS], pa.float32())
    stored = uploaded(tmp_path, media_type, write(ids))
    role = {"source": "block", "holdout": "cluster"}[blocks]
    columns = {"losses": ["a", "b"], role: "user"}
    body = {"kind": "losses", "blocks": blocks, "dataset": str(stored.id), "columns": columns}

    with pytest.raises(EvaluationError, match=r"of this type must be below 2\^24, or labels"):
        run_kind(body, [stored])


@pytest.mark.parametrize(
    ("dtype", "first", "limit"),
    [(pa.float64(), 1.79e18, r"2\^53"), (pa.float32(), 2.0**25, r"2\^24")],
)
@pytest.mark.parametrize("role", ["item", "task", "model"])
def test_invalid_rounded_numbers_of_scored_items(
    tmp_path: Path, dtype: pa.DataType, first: float, limit: str, role: str
) -> None:
    # all items would be one, and their rows its runs
    names = {"item": [f"q{i // 2}" for i in range(12)], "task": ["t"] * 12, "model": ["m", "n"] * 6}
    names[role] = pa.array([first + i % 2 for i in range(12)], dtype)
    sink = io.BytesIO()
    pq.write_table(pa.table({**names, "score": [0.1 * i for i in range(12)]}), sink)
    stored = uploaded(tmp_path, PARQUET, sink.getvalue())
    columns = {name: name for name in ("item", "task", "model")}
    logs = {"score": "score", "files": [{"dataset": str(stored.id)}], "columns": columns}

    with pytest.raises(EvaluationError, match=rf"Column '{role}' has .*in row 0.*below {limit}"):
        run_kind({"kind": "losses", "logs": logs, "better": "higher"}, [stored])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ending", ["npz", "npy"])
def test_invalid_rounded_ids_in_arrays_of_numpy(tmp_path: Path, dtype: Any, ending: str) -> None:
    first = 2**25 if dtype is np.float32 else 2**54
    ids = np.array([first + 2 * (i // 4) for i in range(24)], dtype)
    losses = np.random.default_rng(5).random((24, 2)).astype(dtype)
    sink = io.BytesIO()
    if ending == "npz":
        np.savez(sink, a=losses[:, 0], b=losses[:, 1], user=ids)
        columns = {"losses": ["a", "b"], "cluster": "user"}
    else:
        np.save(sink, np.column_stack([losses, ids]))
        columns = {"losses": ["c0", "c1"], "cluster": "c2"}
    stored = uploaded(tmp_path, f"application/x-{ending}", sink.getvalue())
    body = {"kind": "losses", "blocks": "holdout", "dataset": str(stored.id), "columns": columns}

    with pytest.raises(EvaluationError, match=r"must be below 2\^(24|53), or labels"):
        run_kind(body, [stored])

"""One table gives the same result, or the same refusal, whatever file holds it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thetahat
from tests.service.kinds.run_requests import run_kind
from tests.service.kinds.uploads import uploaded
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat_service.errors import ServiceError

CSV = "text/csv"
PARQUET = "application/vnd.apache.parquet"
ARROW = "application/vnd.apache.arrow.stream"
JSONL = "application/jsonl"
JSON = "application/json"
Table = dict[str, list[Any]]
File = tuple[str, bytes]

IDS = st.integers(2**53, 2**53 + 3) | st.integers(-3, 3) | st.just(1_790_000_000_000_000_001)
PADDED = st.sampled_from(["01", "1", "001", "2", "10"])
TEXTS = st.sampled_from(["x", "x ", "é", "e\u0301", "a,b", 'say "so"', "1;2", "None", "\u4e2d"])
LOSSES = st.floats(-1e6, 1e6, allow_subnormal=False) | st.integers(0, 3).map(float)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    n = draw(st.integers(4, 12))
    labels = draw(st.sampled_from([IDS, PADDED, TEXTS]))
    gaps = draw(st.sampled_from([labels, labels | st.none()]))
    some_losses = draw(st.sampled_from([LOSSES, LOSSES | st.none()]))
    first = draw(LOSSES)  # a column of marks alone is text
    return {
        "label": draw(st.lists(gaps, min_size=n, max_size=n)),
        "a": draw(st.lists(LOSSES, min_size=n, max_size=n)),
        "b": [first, *draw(st.lists(some_losses, min_size=n - 1, max_size=n - 1))],
    }


def as_text(
    table: Table,
    delimiter: str,
    decimal: str = ".",
    missing: str = "",
    *,
    line: str = "\n",
    before: str = "",
) -> str:
    sink = io.StringIO()
    writer = csv.writer(sink, delimiter=delimiter, lineterminator=line)
    writer.writerow(table)
    for row in zip(*table.values(), strict=True):
        numbers = ["" if v is None else repr(v).replace(".", decimal) for v in row[1:]]
        label = "" if row[0] is None else row[0]
        writer.writerow([label, *(number or missing for number in numbers)])
    return before + sink.getvalue()


def as_parquet(table: Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(table), sink)
    return sink.getvalue()


def as_arrow(table: Table) -> bytes:
    sink, content = io.BytesIO(), pa.table(table)
    with pa.ipc.new_stream(sink, content.schema) as writer:
        writer.write_table(content)
    return sink.getvalue()


def as_arrow_file(table: Table, compression: str) -> bytes:
    sink, content = io.BytesIO(), pa.table(table)
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(sink, content.schema, options=options) as writer:
        writer.write_table(content, max_chunksize=5)
    return sink.getvalue()


def as_texts(table: Table) -> Table:
    """Return a table whose numbers are text, as they stand in a text table."""
    numbers = {name: [None if v is None else repr(v) for v in table[name]] for name in "ab"}
    return {"label": table["label"], **numbers}


def as_arrays_of_text(table: Table) -> File:
    """Return an archive with arrays of text; no text is a missing number."""
    if None in table["label"]:
        return PARQUET, as_parquet(as_texts(table))
    arrays: dict[str, Any] = {n: np.array([v or "" for v in as_texts(table)[n]]) for n in "ab"}
    arrays["label"] = np.array(table["label"])
    return "application/x-npz", as_bytes(lambda sink: np.savez(sink, **arrays))


def as_arrays(table: Table) -> File:
    """Return an archive of arrays; as no array has missing labels, another file where some are."""
    if None in table["label"]:
        return PARQUET, as_parquet(table)
    columns = {name: np.array(table[name], dtype=np.float64) for name in "ab"}
    arrays: dict[str, Any] = {"label": np.array(table["label"]), **columns}
    return "application/x-npz", as_bytes(lambda sink: np.savez(sink, **arrays))


def as_json_lines(table: Table) -> str:
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return "\n".join(map(json.dumps, rows))


def as_split(table: Table) -> str:
    """Return the form of MLflow's eval_results_table.json."""
    data = [list(row) for row in zip(*table.values(), strict=True)]
    return json.dumps({"columns": [*table], "data": data})


def as_columns(table: Table) -> str:
    """Return the form of DataFrame.to_json, with whole numbers as they are."""
    return json.dumps({name: dict(enumerate(values)) for name, values in table.items()})


def as_pandas(table: Table) -> pd.DataFrame:
    """Return a frame of dtypes that have missing values, which keep ids as they are."""
    kinds = {"label": "string" if is_text(table["label"]) else "Int64"}
    return pd.DataFrame(
        {name: pd.array(v, dtype=kinds.get(name, "Float64")) for name, v in table.items()}
    )


def as_categories(table: Table) -> pd.DataFrame:
    """Return a frame whose labels are categories, and whose numbers have NaN."""
    labels = pd.Series(table["label"], dtype=object).astype("category")
    return pd.DataFrame({**{name: table[name] for name in "ab"}, "label": labels}, dtype=None)


def is_text(values: list[Any]) -> bool:
    return any(isinstance(value, str) for value in values)


def is_plain_number(label: Any) -> bool:
    return label is None or (label.isdigit() and str(int(label)) == label)


def as_bytes(write: Callable[[io.BytesIO], object]) -> bytes:
    sink = io.BytesIO()
    write(sink)
    return sink.getvalue()


FORMS: dict[str, Callable[[Table], File]] = {
    "semicolon and decimal comma": lambda t: (CSV, as_text(t, ";", ",").encode()),
    "semicolon and point": lambda t: (CSV, as_text(t, ";").encode()),
    "tab": lambda t: (CSV, as_text(t, "\t").encode()),
    "bar": lambda t: (CSV, as_text(t, "|", missing="n/a").encode()),
    "question marks": lambda t: (CSV, as_text(t, ",", missing="?").encode()),
    "Excel": lambda t: (
        CSV,
        as_text(t, ";", ",", line="\r\n", before="sep=;\r\n").encode("utf-8-sig"),
    ),
    "UTF-16": lambda t: (CSV, as_text(t, "\t").encode("utf-16")),
    "gzip": lambda t: (CSV, gzip.compress(as_text(t, ",").encode())),
    "unnamed last column": lambda t: (CSV, as_text({**t, "": [""] * len(t["a"])}, ",").encode()),
    "Parquet": lambda t: (PARQUET, as_parquet(t)),
    "Arrow": lambda t: (ARROW, as_arrow(t)),
    "Arrow file with lz4": lambda t: (ARROW, as_arrow_file(t, "lz4")),
    "Arrow file with zstd": lambda t: (ARROW, as_arrow_file(t, "zstd")),
    "pandas Feather": lambda t: (ARROW, as_bytes(as_pandas(t).to_feather)),
    "categories in Feather": lambda t: (ARROW, as_bytes(as_categories(t).to_feather)),
    "NPZ": as_arrays,
    "JSON Lines": lambda t: (JSONL, as_json_lines(t).encode()),
    "JSON records": lambda t: (JSON, f"[{as_json_lines(t)}]".replace("\n", ",\n").encode()),
    "JSON lists": lambda t: (JSON, json.dumps(t).encode()),
    "JSON split": lambda t: (JSON, as_split(t).encode("utf-8")),
    "JSON columns": lambda t: (JSON, as_columns(t).encode("utf-8")),
    "lines of JSON": lambda t: (JSON, as_json_lines(t).encode()),
    "pandas CSV": lambda t: (CSV, as_pandas(t).to_csv(index=False).encode()),
    "pandas Parquet": lambda t: (PARQUET, as_bytes(as_pandas(t).to_parquet)),
    "categories in Parquet": lambda t: (PARQUET, as_bytes(as_categories(t).to_parquet)),
    "text in Parquet": lambda t: (PARQUET, as_parquet(as_texts(t))),
    "text in Arrow": lambda t: (ARROW, as_arrow(as_texts(t))),
    "text in JSON Lines": lambda t: (JSONL, as_json_lines(as_texts(t)).encode()),
    "text in NPZ": as_arrays_of_text,
    "objects in Parquet": lambda t: (
        PARQUET,
        as_bytes(
            pd.DataFrame(as_texts(t), dtype=object)
            .astype({"label": "str" if is_text(t["label"]) else "Int64"})
            .to_parquet
        ),
    ),
    "polars CSV": lambda t: (CSV, pl.DataFrame(t).write_csv().encode()),
    "polars Parquet": lambda t: (PARQUET, as_bytes(pl.DataFrame(t).write_parquet)),
    "polars Arrow": lambda t: (ARROW, as_bytes(pl.DataFrame(t).write_ipc_stream)),
    "polars Arrow file": lambda t: (
        ARROW,
        as_bytes(lambda sink: pl.DataFrame(t).write_ipc(sink, compression="zstd")),
    ),
    "polars JSON Lines": lambda t: (JSONL, as_bytes(pl.DataFrame(t).write_ndjson)),
}
FRAMES: dict[str, Callable[[Table], Any]] = {
    "lists": dict,
    "arrays": lambda t: {
        name: v if None in v else np.array(v, dtype=object if name == "label" else float)
        for name, v in t.items()
    },
    "masked arrays": lambda t: {
        name: np.ma.masked_array(
            [v if v is not None else values[0] or 0 for v in values],
            mask=[v is None for v in values],
        )
        if name != "label"
        else values
        for name, values in t.items()
    },
    "lists of text": as_texts,
    "pandas objects of text": lambda t: pd.DataFrame(as_texts(t), dtype=object),
    "polars text": lambda t: pl.DataFrame(as_texts(t)),
    "pyarrow text": lambda t: pa.table(as_texts(t)),
    "pandas": as_pandas,
    "pandas objects": lambda t: pd.DataFrame(t, dtype=object),
    "categories": as_categories,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "strings of any length": lambda t: {
        **t,
        "label": np.array(t["label"], dtype=np.dtypes.StringDType())
        if is_text(t["label"]) and None not in t["label"]
        else t["label"],
    },
    "dictionaries of views": lambda t: pa.table(
        {**t, "label": pa.array(t["label"], pa.string_view()).dictionary_encode()}
        if is_text(t["label"])
        else t
    ),
    "dictionaries of pyarrow": lambda t: pa.table(
        {**t, "label": pa.array(t["label"]).dictionary_encode()}
    ),
}


OF_TEXT = {name for name in (*FORMS, *FRAMES) if "text" in name or name == "objects in Parquet"}


def evaluate(file: File, role: dict[str, str], blocks: str, missing: str) -> Any:
    """Return the result as JSON text, or the refusal."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            stored = uploaded(Path(folder), *file)
            body = {
                "kind": "losses",
                "blocks": blocks,
                "dataset": str(stored.id),
                "columns": {"losses": ["a", "b"], **role},
                "missing": missing,
            }
            return json.dumps(run_kind(body, [stored], seed=3).result, sort_keys=True)
        except (EvaluationError, ServiceError) as error:
            return type(error).__name__, str(error)


@settings(max_examples=15, deadline=None)
@given(
    table=tables(),
    blocks=st.sampled_from(["source", "holdout"]),
    missing=st.sampled_from(["refuse", "leave_out"]),
    forms=st.sets(st.sampled_from([*FORMS]), min_size=8, max_size=8),
)
def test_property_a_table_gives_the_same_result_in_every_format(
    table: Table, blocks: str, missing: str, forms: set[str]
) -> None:
    role = {"block": "label"} if blocks == "source" else {"cluster": "label"}
    expected = evaluate((CSV, as_text(table, ",").encode()), role, blocks, missing)

    for form in sorted(forms):
        assert (form, evaluate(FORMS[form](table), role, blocks, missing)) == (form, expected)


def evaluate_frame(frame: Any, role: dict[str, str], blocks: str) -> Any:
    """Return the result of the library for a frame, or that it refuses it."""
    losses = {name: frame[name] for name in ("a", "b")}
    labels = {argument: frame[name] for argument, name in role.items()}
    try:
        return thetahat.to_json(thetahat.evaluate(losses, blocks=blocks, seed=3, **labels))
    except EvaluationError:
        return "refused"


@settings(max_examples=15, deadline=None)
@given(table=tables(), blocks=st.sampled_from(["source", "holdout"]))
def test_property_a_frame_gives_the_result_of_its_file(table: Table, blocks: str) -> None:
    role = {"block": "label"} if blocks == "source" else {"cluster": "label"}
    of_file = evaluate((CSV, as_text(table, ",").encode()), role, blocks, "refuse")
    expected: Any = "refused"
    if isinstance(of_file, str):
        expected = {k: v for k, v in json.loads(of_file).items() if k not in {"kind", "methods"}}

    for name, make in FRAMES.items():
        found = evaluate_frame(make(table), role, blocks)
        assert (name, found) == (name, expected)


@pytest.mark.parametrize(
    ("true", "false", "is_number"),
    [
        *(("t", "f", True), ("T", "F", True), ("true", "f", True), ("TRUE", "FALSE", True)),
        *(("yes", "no", False), ("t", "t", False), ("t", "m", False)),
    ],
)
@pytest.mark.parametrize("gap", [False, True])
def test_exact_words_for_true_and_false_are_the_same_in_files_and_frames(
    true: str, false: str, *, is_number: bool, gap: bool
) -> None:
    words: list[Any] = [true, false, false, true, true, false, true, true]
    if gap:
        words[3] = None
    table: Table = {"label": [1, 1, 2, 2, 3, 3, 4, 4], "a": words, "b": words[::-1]}
    role = {"cluster": "label"}
    forms: dict[str, File] = {
        "CSV": (CSV, pd.DataFrame(table).to_csv(index=False).encode()),
        "Parquet": (PARQUET, as_parquet(table)),
        "JSON Lines": (JSONL, as_json_lines(table).encode()),
        "JSON lists": (JSON, json.dumps(table).encode()),
    }
    found = {name: evaluate(file, role, "holdout", "refuse") for name, file in forms.items()}
    frames: tuple[Any, ...] = (table, pd.DataFrame(table, dtype=object), pl.DataFrame(table))
    of_frames = [evaluate_frame(frame, role, "holdout") for frame in (*frames, pa.table(table))]

    if not is_number or gap:
        assert all(isinstance(each, tuple) for each in found.values())
        assert of_frames == ["refused"] * 4
        return
    numbers = {n: [word == true for word in table[n]] for n in "ab"}
    expected = evaluate((PARQUET, as_parquet({**table, **numbers})), role, "holdout", "refuse")
    assert isinstance(expected, str)
    assert found == dict.fromkeys(forms, expected)
    result = {k: v for k, v in json.loads(expected).items() if k not in {"kind", "methods"}}
    assert of_frames == [result] * 4


def test_exact_a_frame_itself_has_the_losses() -> None:
    label, losses = [1, 1, 2, 2, 3, 3], [0.1, 0.4, 0.2, 0.3, 0.6, 0.5]
    expected = thetahat.to_json(thetahat.evaluate({"a": losses}, block=label))

    kinds: list[Any] = [dict, pd.DataFrame, pl.DataFrame, pa.table]
    for kind in kinds:
        found = thetahat.evaluate(kind({"a": losses}), block=kind({"label": label})["label"])
        assert thetahat.to_json(found) == expected
    with pytest.raises(InvalidParameter, match="must be columns by name or a data frame"):
        thetahat.evaluate(np.ones((3, 2)), block=[1, 2, 3])  # type: ignore[arg-type]


def test_exact_a_missing_label_is_no_label() -> None:
    labels = ["x", "x", None, "y", "y", "z"]
    dictionary = pa.chunked_array([pa.array(labels).dictionary_encode()])
    blocks: list[Any] = [labels, pl.Series(labels), pd.Series(labels), dictionary]
    for block in blocks:
        with pytest.raises(InvalidParameter, match="The block has no value in row 2"):
            thetahat.evaluate({"a": [0.1] * 6}, blocks="source", block=block)


STEPS = [{"name": "impute"}, {"name": "one_hot"}]
LEARNERS: dict[str, Any] = {
    "mean": "mean",
    "nearest": {"name": "nearest_neighbours", "params": {"k": 1}, "prepare": STEPS},
}


def fit_file(file: File, body: dict[str, Any]) -> Any:
    """Return the result of learners that are fitted to a file, or that it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            stored = uploaded(Path(folder), *file)
            result = run_kind({**body, "dataset": str(stored.id)}, [stored], seed=3).result
        except (EvaluationError, ServiceError):
            return "refused"
    text = json.dumps({k: v for k, v in result.items() if k not in {"kind", "methods"}})
    # in a script the sources have the name of their argument
    return json.loads(text.replace("of column 'label'", "of column 'source'"))


def fit_frame(frame: Any, body: dict[str, Any]) -> Any:
    """Return the result of the library for a frame, or that it is refused."""
    columns = body["columns"]
    features = {name: frame[name] for name in columns["features"]}
    source = frame[columns["source"]] if "source" in columns else None
    options = {name: body[name] for name in ("task", "scheme", "learners")}
    try:
        result = thetahat.cross_validate(
            features, frame[columns["target"]], source=source, seed=3, **options
        )
    except EvaluationError:
        return "refused"
    return thetahat.to_json(result)


@settings(max_examples=8, deadline=None)
@given(
    table=tables(),
    role=st.sampled_from(["source", "named source", "feature"]),
    forms=st.sets(st.sampled_from(sorted({*FORMS} - OF_TEXT)), min_size=3, max_size=3),
)
def test_property_learners_get_the_same_from_files_and_frames(
    table: Table, role: str, forms: set[str]
) -> None:
    columns: dict[str, Any] = {"target": "a", "features": ["b"]}
    if role == "feature":
        if is_text(table["label"]) and all(map(is_plain_number, table["label"])):
            # without types a text table has numbers, and a typed one says that they are texts
            table["label"][0] = "01"
        columns["features"] = ["b", "label"]
    else:
        columns["source"] = "label"
    body = {
        "kind": "cross_validation",
        "columns": columns,
        "task": "regression",
        "learners": LEARNERS,
        "scheme": "leave_one_source_out" if role == "source" else "leave_one_out",
    }

    expected = fit_file((CSV, as_text(table, ",").encode()), body)
    for form in sorted(forms):
        assert (form, fit_file(FORMS[form](table), body)) == (form, expected)
    for name, make in FRAMES.items():
        if name not in OF_TEXT:
            assert (name, fit_frame(make(table), body)) == (name, expected)
    texts = {**table, "a": as_texts(table)["a"]}  # the target; as a feature, text is names
    for form in ("Parquet", "Arrow", "JSON Lines"):
        assert (form, fit_file(FORMS[form](texts), body)) == (form, expected)
    for name in ("lists", "pandas objects", "polars", "pyarrow"):
        assert (name, fit_frame(FRAMES[name](texts), body)) == (name, expected)

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

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.kinds.run_requests import run_kind
from tests.service.kinds.uploads import uploaded
from thetahat.errors import EvaluationError
from thetahat_service.errors import ServiceError

CSV = "text/csv"
PARQUET = "application/vnd.apache.parquet"
ARROW = "application/vnd.apache.arrow.stream"
JSONL = "application/jsonl"
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
    return {
        "label": draw(st.lists(gaps, min_size=n, max_size=n)),
        "a": draw(st.lists(LOSSES, min_size=n, max_size=n)),
        "b": draw(st.lists(some_losses, min_size=n, max_size=n)),
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


def as_json_lines(table: Table) -> str:
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return "\n".join(map(json.dumps, rows))


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
    "JSON Lines": lambda t: (JSONL, as_json_lines(t).encode()),
}


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


@settings(max_examples=25, deadline=None)
@given(
    table=tables(),
    blocks=st.sampled_from(["source", "holdout"]),
    missing=st.sampled_from(["refuse", "leave_out"]),
)
def test_property_a_table_gives_the_same_result_in_every_format(
    table: Table, blocks: str, missing: str
) -> None:
    role = {"block": "label"} if blocks == "source" else {"cluster": "label"}
    expected = evaluate((CSV, as_text(table, ",").encode()), role, blocks, missing)

    assert {
        form: evaluate(write(table), role, blocks, missing) for form, write in FORMS.items()
    } == (dict.fromkeys(FORMS, expected))

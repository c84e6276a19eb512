"""JSON Lines and the logs of inspect_ai as tables."""

from __future__ import annotations

import io
import json
import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.service.data.checked_files import NAN, inspected, keep, read
from tests.service.kinds.model_logs import (
    compress_members,
    end_of_archive,
    inspect_eval,
    inspect_json,
    write_member,
)
from thetahat_service.data.base import FREE_BYTES, FileLimits
from thetahat_service.data.formats import find_format, inspect_log, json_lines
from thetahat_service.data.logs import name_log
from thetahat_service.data.reading import read_columns, read_labels
from thetahat_service.data.zip_members import read_member
from thetahat_service.errors import InvalidFile, TooLarge

JSONL = "application/jsonl"
JSON = "application/json"
INSPECT = "application/vnd.inspect-ai.log"
WHOLE = inspect_eval("arc", "llama", {1: ["C"]})
SAMPLE = b'{"id": 1, "scores": {"match": {"value": "C"}}}'
PACKED = pa.Codec("zstd").compress(SAMPLE, asbytes=True)
ZEROS = pa.Codec("zstd").compress(b" " * (1 << 28), asbytes=True)  # 256 MiB in a few KiB
AT = WHOLE.index(b"samples/1_epoch_1.json") + 40
CORRUPT = WHOLE[:AT] + b"\xff" * 40 + WHOLE[AT + 40 :]  # inside a compressed sample


def zstd_log(
    sample: bytes, *, packed: bytes | None = None, size: int | None = None, offset: int = 0
) -> bytes:
    """Return a log whose one sample is compressed or declared as the arguments say."""
    header = b'{"eval": {"task": "t", "model": "m"}}'
    first = write_member("header.json", header, pa.Codec("zstd").compress(header, asbytes=True), 0)
    content = SAMPLE if packed is None else sample
    packed = pa.Codec("zstd").compress(sample, asbytes=True) if packed is None else packed
    second = write_member("samples/1.json", content, packed, len(first[0]) + offset, size)
    contents = first[1] + second[1]
    members = first[0] + second[0]
    return members + contents + end_of_archive(2, len(contents), len(members))


def test_exact_values_of_json_lines(tmp_path: Path) -> None:
    text = (
        '{"a": 1, "s": "x", "d": {"t": true, "n": 1.5}, "l": [1]}\n\n'
        '{"s": null, "a": 2.5, "new": 7, "mixed": 1}\n{"a": NaN, "mixed": "y", "d": {"t": false}}\n'
    )
    columns = read(tmp_path, JSONL, text.encode())

    assert list(columns) == ["a", "s", "d.t", "d.n", "new", "mixed"]
    assert_array_equal(columns["a"], [1.0, 2.5, NAN])
    assert columns["s"].tolist() == ["x", None, None]
    assert_array_equal(columns["d.t"], [1.0, NAN, 0.0])
    assert_array_equal(columns["d.n"], [1.5, NAN, NAN])
    assert columns["mixed"].tolist() == [None, "1", "y"]
    assert inspected(tmp_path, JSONL, text.encode())[0].details == {"left_out": ["l"]}


def inspect_zstd(*arguments: Any) -> bytes:
    """Return a ``.eval`` file that is compressed with Zstandard."""
    return compress_members(inspect_eval(*arguments))


@pytest.mark.parametrize("write", [inspect_eval, inspect_json, inspect_zstd])
def test_exact_values_of_an_inspect_log(tmp_path: Path, write: Callable[..., bytes]) -> None:
    columns = read(tmp_path, INSPECT, write("arc", "llama", {1: ["C", "I"], "b": ["P", 0.25]}))

    assert columns["item"].tolist() == ["1", "1", "b", "b"]
    assert columns["epoch"].tolist() == [1, 2, 1, 2]
    assert set(columns["model"]) == {"llama"}
    assert set(columns["task"]) == {"arc"}
    assert columns["score.match"].tolist() == [1.0, 0.0, 0.5, 0.25]
    assert "metadata.document" in columns


def test_exact_a_log_of_an_unfinished_evaluation_is_noticed(tmp_path: Path) -> None:
    whole = json.loads(inspect_json("arc", "llama", {1: ["C"]}))

    for status, is_noticed in (("success", False), ("error", True), ("started", True)):
        log = json.dumps({**whole, "status": status}).encode()
        details = inspected(tmp_path, INSPECT, log)[0].details
        assert ("unfinished" in details) == is_noticed
        assert not is_noticed or f"the status '{status}'" in str(details["unfinished"])


def in_parts(log: bytes) -> bytes:
    """Return a ``.eval`` file whose samples are in folders, with messages in files of their own."""
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(log)) as whole, zipfile.ZipFile(sink, "w") as parts:
        for name in whole.namelist():
            content = whole.read(name)
            if not name.startswith("samples/"):
                parts.writestr(name, content)
                continue
            sample, folder = json.loads(content), name.removesuffix(".json")
            messages, metadata = sample.pop("messages"), sample.pop("metadata")
            parts.writestr(f"{folder}/messages/0.json", json.dumps(messages))
            parts.writestr(f"{folder}/events/stats.json", "{}")
            parts.writestr(f"{folder}/sample.json", json.dumps(sample))
            parts.writestr(f"{folder}/metadata.json", json.dumps(metadata))
    return sink.getvalue()


def test_exact_samples_in_parts_are_those_in_one_file(tmp_path: Path) -> None:
    whole = inspect_eval("arc", "llama", {1: ["C", "I"], "a/b": ["P", 0.25]})
    columns = read(tmp_path, INSPECT, whole)
    found = read(tmp_path, INSPECT, in_parts(whole))

    assert {name: c.tolist() for name, c in found.items()} == {
        name: c.tolist() for name, c in columns.items()
    }


@pytest.mark.parametrize("count", [4, 5])
def test_exact_a_log_that_lacks_samples_is_noticed(tmp_path: Path, count: int) -> None:
    log = json.loads(inspect_json("arc", "llama", {1: ["C", "I"], 2: ["I", "C"]}))
    log["results"]["total_samples"] = count
    details = inspected(tmp_path, INSPECT, json.dumps(log).encode())[0].details

    expected = {} if count == 4 else {"The log has 4 of the 5 samples that its evaluation counts."}
    assert {details[k] for k in ("unfinished",) if k in details} == set(expected)


def test_exact_an_invalidated_sample_has_no_score(tmp_path: Path) -> None:
    log = json.loads(inspect_json("arc", "llama", {1: ["C", "I"], 2: ["I", "C"]}))
    log["samples"][2]["invalidation"] = {"author": "me", "reason": "leaked"}
    inspection, file = inspected(tmp_path, INSPECT, json.dumps(log).encode())

    assert_array_equal(read_columns(file)["score.match"], [1, 0, NAN, 1])
    assert "1 of 4 runs ended in an error" in str(inspection.details["failed_runs"])
    assert "marked as invalidated" in str(inspection.details["failed_runs"])


@pytest.mark.parametrize(
    ("media_type", "content", "words"),
    [
        (JSONL, b'{"a": 1}\n{"a": \n', "Line 2 is not JSON"),
        (JSONL, b"[1]\n", "Line 1 is not an object"),
        (JSONL, b"\n", "no rows"),
        (JSONL, b'{"a": [1]}\n', "no numbers, texts"),
        (JSONL, b'{"a": ' + b"[" * 200_000, "Line 1 is not JSON"),
        (JSONL, b'{"a": ' + b"[" * 1010 + b"]" * 1010 + b"}", "Line 1 is nested too deeply"),
        (JSONL, b'{"a": 1' + b"0" * 400 + b"}\n", "column 'a' has a value|not JSON"),
        (JSONL, b'{"a": "\\ud800"}\n', "column 'a' has a value"),
        (INSPECT, b'{"a": 1}', "not a log of inspect_ai"),
        (INSPECT, CORRUPT, "not a ZIP"),
        (INSPECT, b"PK\x03\x04rubbish", "not a ZIP"),
        (INSPECT, zstd_log(SAMPLE[:-1] + b" "), "does not unpack"),  # another check sum
        (INSPECT, zstd_log(SAMPLE, packed=b"\xff" * 20), "cannot be unpacked"),
        (INSPECT, zstd_log(SAMPLE, packed=PACKED[:-9]), "unpack"),
        (INSPECT, zstd_log(SAMPLE, packed=PACKED + b"\xff" * 9), "unpack"),
        (INSPECT, zstd_log(SAMPLE, size=len(SAMPLE) - 1), "does not unpack"),
        (INSPECT, zstd_log(SAMPLE, size=0), "does not unpack"),
        (INSPECT, zstd_log(SAMPLE, offset=7), "not where the table"),
        (INSPECT, zstd_log(SAMPLE, packed=ZEROS), "does not unpack"),  # declares little, has much
        (JSONL, b'{"m": {"a": 1}, "m.a": 2}', "two members that are the column 'm.a'"),
        (JSONL, b'{"m.a": 2, "m": {"a": 1}}', "two members that are the column 'm.a'"),
        (JSONL, b'{"m": {"a.b": 1, "a": {"b": 2}}}', "two members that are the column 'm.a.b'"),
    ],
)
def test_invalid_json(tmp_path: Path, media_type: str, content: bytes, words: str) -> None:
    with pytest.raises(InvalidFile, match=words):
        keep(tmp_path, media_type, content)


def test_invalid_a_line_of_json_that_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_lines, "LONGEST_LINE", 50)
    lines = b'{"x": 1}\n' + b'{"x": [' + b"1," * 50 + b"1]}\n"

    with pytest.raises(InvalidFile, match="Line 2 is longer than 50 bytes"):
        keep(tmp_path, JSONL, lines)


def test_invalid_a_log_that_unpacks_to_too_much(tmp_path: Path) -> None:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("header.json", '{"eval": {"task": "t", "model": "m"}}')
        archive.writestr("samples/1_epoch_1.json", b" " * (FREE_BYTES + 1))
    path = tmp_path / "bomb.eval"
    path.write_bytes(sink.getvalue())
    with pytest.raises(TooLarge, match="unpacks to"):
        find_format(INSPECT).inspect(path, FileLimits(expansion=10), io.BytesIO())


def test_invalid_a_zstd_log_that_unpacks_to_too_much(tmp_path: Path) -> None:
    honest = write_member("samples/1.json", b"", ZEROS, 0, size=1 << 28)
    path = tmp_path / "bomb.eval"
    path.write_bytes(honest[0] + honest[1] + end_of_archive(1, len(honest[1]), len(honest[0])))

    with pytest.raises(TooLarge, match="unpacks to"):
        find_format(INSPECT).inspect(path, FileLimits(expansion=10), io.BytesIO())


@given(st.lists(st.sampled_from([b"\n", b"\r\n", b" ", b"{}", b"{1", b"\t"]), max_size=40))
def test_naive_the_lines_that_are_not_blank_with_their_numbers(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    file = tmp_path_factory.getbasetemp() / "lines"
    file.write_bytes(b"".join(pieces))
    expected = [
        (number, line.strip())
        for number, line in enumerate(b"".join(pieces).split(b"\n"), start=1)
        if line.strip()
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "CHUNK", 4)
        lines = [(number, line.strip()) for number, line in json_lines._read_lines(file)]
    assert lines == expected


@pytest.mark.parametrize("media_type", [JSONL, "text/x-libsvm"])
def test_degenerate_line_ends_alone_are_passed_over_at_once(
    tmp_path: Path, media_type: str
) -> None:
    """One by one they take 5 seconds of the processor, and so 0.1."""
    began = time.process_time()
    with pytest.raises(InvalidFile, match="has no rows"):
        read(tmp_path, media_type, b"\n" * 20_000_000)
    assert time.process_time() - began < 1.5


def test_exact_each_sample_of_a_log_is_unpacked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = []

    def count(archive: zipfile.ZipFile, name: str) -> bytes:
        names.append(name)
        return read_member(archive, name)

    monkeypatch.setattr(inspect_log, "read_member", count)
    columns = read(tmp_path, INSPECT, inspect_eval("arc", "llama", {1: ["C", "I"], 2: ["I"]}))
    assert len(names) == len(set(names))
    assert len(next(iter(columns.values()))) == len(names) - 1


TABLE: dict[str, list[Any]] = {"school": ["x", None, "y"], "loss": [0.5, 0.25, 1]}
FORMS: dict[str, Any] = {
    "records": [{"school": "x", "loss": 0.5}, {"loss": 0.25}, {"school": "y", "loss": 1}],
    "split": {"columns": ["school", "loss"], "data": [["x", 0.5], [None, 0.25], ["y", 1]]},
    "table": {
        "schema": {"fields": []},
        "data": [{"school": "x", "loss": 0.5}, {"loss": 0.25}, {"school": "y", "loss": 1}],
    },
    "lists": TABLE,
    "columns": {n: {str(i): v for i, v in enumerate(c)} for n, c in TABLE.items()},
    "index": {
        str(i): {"school": s, "loss": x}
        for i, (s, x) in enumerate(zip(*TABLE.values(), strict=True))
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_exact_tables_of_json_in_each_form(tmp_path: Path, form: str) -> None:
    inspection, kept = inspected(tmp_path, JSON, json.dumps(FORMS[form], indent=1).encode())

    assert inspection.details["form"] == form
    assert {name: c.tolist() for name, c in read_columns(kept).items()} == TABLE
    assert name_log(kept) is None


def test_exact_lines_of_json_have_any_ending(tmp_path: Path) -> None:
    content = b'{"loss": 1, "school": "x"}\r\n{"loss": 2, "school": "y"}\r\n'
    inspection, kept = inspected(tmp_path, JSON, content)

    assert inspection.details["form"] == "lines"
    assert read_columns(kept)["loss"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ({"columns": ["a"], "index": ["s", "t"], "data": [[1], [2]]}, ["s", "t"]),
        ({"columns": ["a"], "index": [7, 3], "data": [[1], [2]]}, [7, 3]),
        ({"a": {"7": 1, "3": 2}}, ["7", "3"]),
        ({"7": {"a": 1}, "3": {"a": 2}}, ["7", "3"]),
    ],
)
def test_exact_names_of_rows_are_kept(tmp_path: Path, value: Any, names: list[Any]) -> None:
    columns = read_labels(keep(tmp_path, JSON, json.dumps(value).encode()), ["index", "a"])

    assert columns["index"].tolist() == names
    assert columns["a"].tolist() == [1, 2]


ITEMS = {f"q{i}": i / 10 for i in range(7)}
OTHERS = {f"q{i}": i / 20 for i in range(7)}


@pytest.mark.parametrize(
    "value",
    [
        {"gpt": ITEMS, "llama": dict(reversed(OTHERS.items()))},
        {item: {"gpt": ITEMS[item], "llama": OTHERS[item]} for item in ITEMS},
        {f"a text {i}": {"gpt": i / 10, "llama": i / 20} for i in range(7)},
    ],
)
def test_exact_scores_by_item_for_each_model_are_a_table(tmp_path: Path, value: Any) -> None:
    columns = read_labels(keep(tmp_path, JSON, json.dumps(value).encode()), ["item", "gpt"])
    others = read_columns(keep(tmp_path, JSON, json.dumps(value).encode()), ["llama"])["llama"]

    assert [str(item)[-1] for item in columns["item"]] == [*"0123456"]
    assert columns["gpt"].tolist() == [*ITEMS.values()]
    assert others.tolist() == [*OTHERS.values()]


def test_exact_items_that_a_model_lacks_are_missing_and_one_model_has_a_column(
    tmp_path: Path,
) -> None:
    lacking = {"gpt": ITEMS, "llama": {item: of for item, of in OTHERS.items() if item != "q3"}}
    column = read_columns(keep(tmp_path, JSON, json.dumps(lacking).encode()), ["llama"])["llama"]
    assert np.flatnonzero(np.isnan(column)).tolist() == [3]

    one = keep(tmp_path, JSON, json.dumps(ITEMS).encode())
    assert read_columns(one, ["score"])["score"].tolist() == [*ITEMS.values()]
    assert read_labels(one, ["item"])["item"].tolist() == [*ITEMS]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": [1, 2], "b": [1]}, "Column 'b' has 1 values, and 'a' has 2"),
        ({"a": [{"i": 1}], "b": [{"i": 2}]}, "'a' and 'b' are tables, lists of objects"),
        ([{"a": 1}, 2], "Row 1 is not an object of JSON"),
        ({"columns": ["a", "b"], "data": [[1, 2], [3]]}, "Row 1 is not a list of 2 values"),
        ({"columns": ["a", "a"], "data": [[1, 2]]}, "Two columns have the name 'a'"),
        ({"columns": ["a"], "index": [1], "data": [[1], [2]]}, "2 rows and 1 names of rows"),
        ({"a": {"x": 1}, "b": {"x": 2}}, "not clear which are the models and which the items"),
        ({"a": {"x": "u"}, "b": {"x": "v"}}, "neither a list of objects nor a list for each"),
        ({"a": 0.5, "b": 0.7}, "one number for each of 2 names, such as 'a'"),
        (
            {m: dict.fromkeys(("acc", "f1", "ece", "auc", "mcc", "nll"), 0.5) for m in "ab"},
            "one number for each metric, such as 'acc'",
        ),
        ({"features": {}}, "and no table"),
        ([[0.1, 0.2]], "and no table"),
    ],
)
def test_invalid_json_that_is_no_table(tmp_path: Path, value: Any, words: str) -> None:
    with pytest.raises(InvalidFile, match=re.escape(words)):
        keep(tmp_path, JSON, json.dumps(value).encode())

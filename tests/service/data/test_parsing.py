"""Files are parsed in processes of their own, which may crash, fill the memory or take for ever."""

from __future__ import annotations

import io
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.service.data.checked_files import (
    ARROW,
    CSV,
    LIBSVM,
    NPY,
    NPZ,
    PARQUET,
    inspected,
    written,
)
from tests.service.kinds.model_logs import inspect_eval, inspect_json
from tests.service.storage.databases import Setting, setting
from tests.service.supervisor.processes import descendants, wait_until_gone
from thetahat_service.data import parsing
from thetahat_service.data.base import Inspected
from thetahat_service.data.parsing import inspect_file, preview_file
from thetahat_service.data.reading import DatasetFileContent
from thetahat_service.errors import InvalidFile, TooLarge, Unavailable

__all__ = ["setting"]

FILES = Path(__file__).parent / "files"
DEADLINE_S = 60.0

JSONL = "application/jsonl"


def inspect(folder: Path, media_type: str, content: bytes, name: str | None = "f.x") -> Inspected:
    path, table = folder / "file", folder / "table"
    path.write_bytes(content)
    table.write_bytes(b"")
    return inspect_file(path, media_type, table, name)


def children(parent: int) -> list[tuple[int, str, str]]:
    """Return the process id, state and command line of each child of a process."""
    listing = subprocess.run(
        ["ps", "-ww", "-o", "pid=,stat=,args=", "--ppid", str(parent)],
        check=False,
        capture_output=True,
        text=True,
    ).stdout
    rows = [line.split(None, 2) for line in listing.splitlines()]
    return [(int(pid), state, line) for pid, state, line in rows]


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def npy(shape: str, n_bytes: int) -> bytes:
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00v\x00" + header.encode() + bytes(n_bytes)


def compressed(text: str, n: int) -> bytes:
    sink = io.BytesIO()
    table = pa.table({"x": [f"{i}{text}" for i in range(n)]})
    pq.write_table(table, sink, compression="zstd", use_dictionary=False)
    return sink.getvalue()


TABLE = pa.table({"x": [1.5, None], "s": ["a", "ä"]})
VALID = {
    CSV: b"x,s\n1.5,a\n,\xc3\xa4\n",
    PARQUET: written(TABLE, PARQUET),
    ARROW: written(TABLE, ARROW),
    NPY: npy("(2, 3)", 6),
    LIBSVM: b"1 3:4.5\n0 1:2\n",
    "application/jsonl": b'{"x": 1.5, "s": {"t": "\xc3\xa4"}}\n{"x": null}\n',
    "application/vnd.inspect-ai.log": inspect_eval("arc", "llama", {1: ["C", "I"]}),
    "application/json": inspect_json("arc", "llama", {1: ["C", "I"]}),
}


@pytest.mark.parametrize("media_type", VALID)
def test_limit_a_parser_process_finds_what_this_process_finds(
    tmp_path: Path, media_type: str
) -> None:
    here, _ = inspected(tmp_path, media_type, VALID[media_type])
    there = inspect(tmp_path, media_type, VALID[media_type])

    assert (there.rows, there.columns, there.has_table) == (
        here.rows,
        here.columns,
        here.has_table,
    )
    assert dict(there.details) == dict(here.details)


def test_invalid_a_file_that_aborts_its_parser(tmp_path: Path) -> None:
    content = (FILES / "aborts-reader.parquet").read_bytes()
    with pytest.raises(InvalidFile, match=r"'f\.x' is damaged"):
        inspect(tmp_path, PARQUET, content)

    assert inspect(tmp_path, PARQUET, VALID[PARQUET]).rows == 2


def test_invalid_a_text_in_a_page_that_is_not_utf_8(tmp_path: Path) -> None:
    content = written(pa.table({"s": ["abcdefgh", "b"]}), PARQUET).replace(
        b"abcdefgh", b"abc\xff\xfefgh"
    )
    with pytest.raises(InvalidFile, match="UTF8"):
        inspect(tmp_path, PARQUET, content)


def test_invalid_more_memory_than_a_parser_may_take(tmp_path: Path, setting: Setting) -> None:
    content = compressed("a" * 10_000_000, 8)
    setting(parser_memory_mb=64, max_expansion=10**6, max_cell_bytes=10**9)
    with pytest.raises(InvalidFile, match=r"'f\.x' (needs more than 64 MB|is damaged)"):
        inspect(tmp_path, PARQUET, content)


@pytest.mark.parametrize("item", [b"1", b"[]", b"{}"])
def test_invalid_a_list_that_needs_more_memory_than_a_parser_may_take(
    tmp_path: Path, setting: Setting, item: bytes
) -> None:
    setting(parser_memory_mb=100)
    content = b'{"a": [' + (item + b",") * 9_999_999 + item + b"]}\n"
    with pytest.raises(InvalidFile, match=r"'f\.x' needs more than 100 MB of memory to parse"):
        inspect(tmp_path, JSONL, content[: 40 * 2**20])
    assert inspect(tmp_path, CSV, VALID[CSV]).rows == 2


def test_invalid_a_long_list_is_no_damage(tmp_path: Path, setting: Setting) -> None:
    """The library reserves 360 MB for 30, and crashes where the numbers then find no room."""
    setting(parser_memory_mb=384)
    with pytest.raises(InvalidFile, match="have no numbers, texts or booleans"):
        inspect(tmp_path, JSONL, b'{"a": [' + b"0.123456789," * 2_499_999 + b"1]}")


@pytest.mark.parametrize("header", [b"-" * 9000 + b"1", b"1+" * 4000 + b"1", b"", b"1"])
def test_invalid_a_header_that_is_refused_has_a_reason(tmp_path: Path, header: bytes) -> None:
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with pytest.raises(InvalidFile, match=r"array that can be read: \w.*\w.*\."):
        inspect(tmp_path, NPY, content)


def test_invalid_longer_than_a_parser_may_take(
    tmp_path: Path, setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting(parser_time_limit_s=1)
    content = b"1 " + b" ".join(b"%d:1" % i for i in range(1, 2_000_000)) + b"\n"
    with pytest.raises(InvalidFile, match=r"'f\.x' takes longer than 1 s"):
        inspect(tmp_path, LIBSVM, content * 8)


@pytest.mark.parametrize(
    ("shape", "n_bytes", "error", "message"),
    [
        ("(1, 20000000)", 20_000_000, TooLarge, "20000000 columns"),
        ("(2, 60000)", 120_000, TooLarge, "limit of 50000"),
        ("(True, 2)", 2, InvalidFile, r"\(True, 2\); every length must be a whole number"),
    ],
)
def test_invalid_shapes(
    tmp_path: Path, shape: str, n_bytes: int, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        inspect(tmp_path, NPY, npy(shape, n_bytes))


@pytest.mark.parametrize("media_type", [CSV, PARQUET, ARROW, NPZ])
def test_invalid_a_text_that_is_too_long(tmp_path: Path, setting: Setting, media_type: str) -> None:
    setting(max_cell_bytes=1000)
    text = "ä" * 501
    if media_type == CSV:
        content = f"a,s\n1,b\n2,{text}\n".encode()
    elif media_type == NPZ:
        sink = io.BytesIO()
        np.savez(sink, s=np.array(["b", text]))
        content = sink.getvalue()
    else:
        content = written(pa.table({"s": ["b", text]}), media_type)
    with pytest.raises((TooLarge, InvalidFile), match=r"a text of 1002 bytes|not supported"):
        inspect(tmp_path, media_type, content)


@pytest.mark.parametrize("media_type", [PARQUET, NPZ])
def test_invalid_a_file_that_unpacks_to_far_more(tmp_path: Path, media_type: str) -> None:
    if media_type == PARQUET:
        content = compressed("a" * 1_000_000, 100)
    else:
        sink = io.BytesIO()
        np.savez_compressed(sink, x=np.zeros(10_000_000))
        content = sink.getvalue()
    with pytest.raises(TooLarge, match="times its size"):
        inspect(tmp_path, media_type, content)


def test_invalid_a_stored_file_that_breaks_its_preview(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes((FILES / "aborts-reader.parquet").read_bytes())
    stored = DatasetFileContent(PARQUET, [{"name": "s", "type": "string"}], path)
    with pytest.raises(InvalidFile, match="'f'"):
        preview_file(stored, 5, "f")


def test_exact_a_preview_of_a_wide_file_has_fewer_rows(tmp_path: Path) -> None:
    content = npy("(50, 40000)", 2_000_000)
    (tmp_path / "file").write_bytes(content)
    columns = inspect(tmp_path, NPY, content).columns
    shown = preview_file(DatasetFileContent(NPY, columns, tmp_path / "file"), 50, None)

    assert len(shown["rows"]) == 200_000 // 40_000


def test_exact_no_process_stays_and_none_is_a_zombie(tmp_path: Path) -> None:
    for _ in range(5):
        inspect(tmp_path, CSV, VALID[CSV])
    with pytest.raises(InvalidFile):
        inspect(tmp_path, PARQUET, (FILES / "aborts-reader.parquet").read_bytes())

    def settled() -> bool:
        """Two children wait for a file, and no child that has ended is left."""
        parents = [pid for pid, _, line in children(os.getpid()) if "parser" in line]
        states = [[state for _, state, _ in children(parent)] for parent in parents]
        return [len(waiting) for waiting in states] == [2] and "Z" not in str(states)

    wait_for(settled)


def test_exact_parsers_end_when_the_process_that_uses_them_is_killed(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path\n"
        "from thetahat_service.data.parsing import inspect_file\n"
        "folder = Path(sys.argv[1]); inspect_file(folder / 'f', 'text/csv', folder / 't', None)\n"
        "print('parsed', flush=True); time.sleep(600)"
    )
    (tmp_path / "f").write_bytes(VALID[CSV])
    (tmp_path / "t").write_bytes(b"")
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "parsed\n"
        family = descendants(process.pid)
        assert any("parser" in name for name in family.values())
        process.kill()
    wait_until_gone(family)


def test_exact_a_parent_that_was_killed_is_replaced(tmp_path: Path) -> None:
    inspect(tmp_path, CSV, VALID[CSV])
    process: Any = parsing._PARSERS._process  # the process to kill
    os.kill(process.pid, signal.SIGKILL)

    assert inspect(tmp_path, CSV, VALID[CSV]).rows == 2


def test_exact_a_parent_whose_socket_is_closed_is_replaced_at_once(tmp_path: Path) -> None:
    """A killed parent closes its sockets a moment before it can be seen to have ended."""
    inspect(tmp_path, CSV, VALID[CSV])
    parsers: Any = parsing._PARSERS
    process = parsers._process
    parsers._control.close()
    parsers._control, other_end = socket.socketpair()
    other_end.close()
    assert process.poll() is None

    parent_end, child_end = socket.socketpair()
    with parent_end, child_end:
        assert parsers.send(child_end) == parsers._process.pid != process.pid
    assert process.returncode is not None
    assert inspect(tmp_path, CSV, VALID[CSV]).rows == 2


def test_invalid_no_process_can_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsers = parsing._Parsers()
    monkeypatch.setattr(parsing, "_PARSERS", parsers)
    monkeypatch.setattr(parsing, "MODULE", "service.no_such_module")
    with pytest.raises(Unavailable, match="does not answer"):
        inspect(tmp_path, CSV, VALID[CSV])
    parsers.close()


def test_exact_a_parser_does_not_import_pandas() -> None:
    """The import takes ten times as long as parsing a small file, in every child."""
    script = """
import importlib.util, sys, threading
from thetahat_service.data import parser_process
before = importlib.util.find_spec("pandas")
parser_process.keep_pandas_out()
assert len(threading.enumerate()) == 1
parser_process._warm_up()
assert "pandas" not in sys.modules
assert importlib.util.find_spec("pandas") == before
"""
    subprocess.run([sys.executable, "-c", script], check=True)

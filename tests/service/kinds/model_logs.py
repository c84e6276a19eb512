"""Small logs of language models' evaluations, in the formats of the packages that write them.

The formats are those of inspect_ai (``src/inspect_ai/log/_recorders/eval.py`` of commit 00e215b6
for ``.eval``, ``tests/log/test_eval_log/log_formats.json`` of commit 0e6318fa for ``.json``) and of
lm-evaluation-harness (``lm_eval/loggers/evaluation_tracker.py`` of commit 034ab036 and
``lm_eval/evaluator.py`` for ``samples_TASK_DATE.jsonl``). The values are made up.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

Runs = Mapping[int | str, Sequence[Any]]
"""Values of an item's runs, by its id."""


def _spec(task: str, model: str) -> dict[str, Any]:
    return {
        "run_id": "BpiPFmbVcMCRUAXv8ovCTx",
        "created": "2024-10-15T12:53:13-04:00",
        "task": task,
        "task_id": "9eTnG3tV8jGRYoTPMH54Ee",
        "task_version": 0,
        "dataset": {"name": task, "samples": 3, "shuffled": False},
        "model": model,
        "config": {"epochs": 2},
    }


def _samples(scorer: str, runs: Runs) -> list[dict[str, Any]]:
    return [
        {
            "id": item,
            "epoch": epoch + 1,
            "input": f"Question {item}?",
            "target": "Yes",
            "messages": [{"content": f"Question {item}?", "source": "input", "role": "user"}],
            "output": {"model": "llama", "choices": []},
            "scores": {scorer: {"value": value, "answer": "No"}},
            "metadata": {"document": f"d{len(str(item)) % 2}", "tags": ["a", "b"]},
            "store": {},
        }
        for item, values in runs.items()
        for epoch, value in enumerate(values)
    ]


def inspect_eval(task: str, model: str, runs: Runs, scorer: str = "match") -> bytes:
    """Return a ``.eval`` file."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        start = {"version": 2, "eval": _spec(task, model), "plan": {"name": "plan", "steps": []}}
        archive.writestr("_journal/start.json", json.dumps(start, indent=2))
        for sample in _samples(scorer, runs):
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample, indent=2))
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps({**start, "status": "success"}, indent=2))
    return sink.getvalue()


def compress_members(archive: bytes) -> bytes:
    """Return a ZIP with the same members, compressed with Zstandard as ZIP's method 93.

    ``zipfile`` cannot write it before Python 3.14, so the two headers of each member are written
    here (APPNOTE.TXT of PKWARE, sections 4.3.7 and 4.3.12).
    """
    body, contents = b"", b""
    with zipfile.ZipFile(io.BytesIO(archive)) as plain:
        for member in plain.infolist():
            content = plain.read(member)
            packed = pa.Codec("zstd").compress(content, asbytes=True)
            body_and_entry = write_member(member.filename, content, packed, len(body))
            body += body_and_entry[0]
            contents += body_and_entry[1]
        count = len(plain.infolist())
    return body + contents + end_of_archive(count, len(contents), len(body))


def write_member(
    name: str, content: bytes, packed: bytes, offset: int, size: int | None = None
) -> tuple[bytes, bytes]:
    """Return a member of method 93, and its entry in the table of contents.

    ``size`` is the size that both declare, by default that of the content.
    """
    declared = len(content) if size is None else size
    fields = (93, 0, 33, zlib.crc32(content), len(packed), declared, len(name.encode()), 0)
    local = struct.pack("<4s5H3I2H", b"PK\x03\x04", 63, 0, *fields) + name.encode() + packed
    entry = struct.pack("<4s6H3I5H2I", b"PK\x01\x02", 63, 63, 0, *fields, 0, 0, 0, 0, offset)
    return local, entry + name.encode()


def end_of_archive(count: int, length: int, offset: int) -> bytes:
    """Return the record at the end of a ZIP."""
    return struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, count, count, length, offset, 0)


def inspect_json(task: str, model: str, runs: Runs, scorer: str = "match") -> bytes:
    """Return a ``.json`` log."""
    n = sum(map(len, runs.values()))
    log = {
        "version": 2,
        "status": "success",
        "eval": _spec(task, model),
        "plan": {"name": "plan", "steps": []},
        "results": {"total_samples": n, "completed_samples": n, "scores": []},
        "samples": _samples(scorer, runs),
    }
    return json.dumps(log, indent=2).encode()


def harness_samples(
    scores: Mapping[int, float], filters: Sequence[str] = ("none",), question: str = "Q"
) -> bytes:
    """Return a ``samples_TASK_DATE.jsonl`` file; filters after the first score 0."""
    lines = []
    for place, name in enumerate(filters):
        for doc_id, score in scores.items():
            doc = {"question": f"{question} {doc_id}", "subject": f"s{doc_id % 2}"}
            lines.append(
                {
                    "doc_id": doc_id,
                    "doc": doc,
                    "target": "4",
                    "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {"until": ["\n"]}}},
                    "resps": [["4"]],
                    "filtered_resps": ["4"],
                    "filter": name,
                    "metrics": ["exact_match"],
                    "doc_hash": hashlib.sha256(json.dumps(doc).encode()).hexdigest(),
                    "prompt_hash": "0" * 64,
                    "target_hash": "1" * 64,
                    "exact_match": 0.0 if place else score,
                }
            )
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)

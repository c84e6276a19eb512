"""Logs of inspect_ai: ``.eval``, which is a ZIP of JSON files, and ``.json``, which is one.

The table has a row for each sample and epoch: ``item``, ``epoch``, ``task``, ``model``, a column
``score.NAME`` for each scorer, ``metadata.NAME`` for the metadata of samples and ``cost.NAME`` for
what the log says of the time of a sample and of the tokens of the model. Tokens of other models,
such as graders, do not count. ``doc_hash`` tells items of one id apart by choices and target,
``input_hash`` by what the model was asked.
"""

from __future__ import annotations

import marshal
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, ClassVar, Final

from thetahat.tables.column_profiles import PLAIN_NUMBER
from thetahat.values.json_values import JsonValue
from thetahat_service.data.base import (
    FREE_BYTES,
    UNFINISHED,
    FileLimits,
    Inspected,
    read_parser_reason,
)
from thetahat_service.data.evaluation_tools.base import (
    ERROR,
    FailedRuns,
    describe_costs,
    hash_content,
    read_costs,
    shorten,
)
from thetahat_service.data.json_rows import parse_json, write_rows
from thetahat_service.data.packing import unpack_text
from thetahat_service.data.tables import TEXT_TABLE, MappedFormat
from thetahat_service.data.zip_members import ZIP_ERRORS, read_member
from thetahat_service.errors import InvalidFile, TooLarge
from thetahat_service.json_types import JsonObject

HEADERS: Final = ("header.json", "_journal/start.json", "start.json")
"""Where a ``.eval`` has the task and the model: at its end, or at its start if it was cut off."""
SAMPLES: Final = "samples/"
CHUNKED: Final = re.compile(r"(samples/.+_epoch_\d+)/(?P<name>.+)")
"""A part of a sample that newer releases keep in a folder: its ``sample.json``, and messages."""
LONGEST_LINE: Final = 2**40
"""JSON may be one line."""
ZIP_MAGIC: Final = b"PK\x03\x04"
VALUES: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partial, incorrect and no answer, as the package counts them by default."""
WORDS: Final = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class InspectLog(MappedFormat):
    """A log of inspect_ai as a table: item, epoch, task, model, and a column for each score."""

    media_type: ClassVar[str] = "application/vnd.inspect-ai.log"
    title: ClassVar[str] = "log of inspect_ai"
    table_suffix = f".inspect{TEXT_TABLE}"

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Read the log once, and what is kept of each sample twice: for the columns, to write."""
        if _is_zip(path):
            return _inspect_zip(path, limits, table)
        with unpack_text(path, limits, LONGEST_LINE, self.media_type) as log:
            if _is_zip(log):
                return _inspect_zip(log, limits, table)
            return write_inspect_log(parse_json(log.read_bytes(), "The file"), limits, table)


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(ZIP_MAGIC)) == ZIP_MAGIC


def _inspect_zip(path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
    """Write the samples of a ``.eval`` file as a table."""
    try:
        with zipfile.ZipFile(path) as archive:
            _check_expansion(archive, path, limits)
            first = _read_first(archive)
            header = _read_header(first)
            failed = FailedRuns()
            with TemporaryFile(dir=path.parent) as rows:
                n_rows = 0
                for row in failed.watch(_list_rows(_iterate_samples(archive), header)):
                    marshal.dump(dict(row), rows)
                    n_rows += 1
                written = write_rows(lambda: _read_back(rows, n_rows), limits, table)
            return describe_costs(failed.describe(_note_unfinished(written, first)))
    except ZIP_ERRORS as error:
        reason = read_parser_reason(error)
        raise InvalidFile(f"The log is not a ZIP file that can be read: {reason}.") from None


def is_inspect_log(log: JsonValue) -> bool:
    """Return whether a JSON value has what a log of inspect_ai begins with."""
    return isinstance(log, dict) and isinstance(log.get("eval"), dict)


def write_inspect_log(log: JsonValue, limits: FileLimits, table: IO[bytes]) -> Inspected:
    """Write the samples of a log in JSON as a table."""
    header, samples, failed = _read_header(log), _read_samples(log), FailedRuns()
    written = write_rows(lambda: failed.watch(_list_rows(samples, header)), limits, table)
    return describe_costs(failed.describe(_note_unfinished(written, log)))


def _check_expansion(archive: zipfile.ZipFile, path: Path, limits: FileLimits) -> None:
    unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > max(FREE_BYTES, limits.expansion * path.stat().st_size):
        raise TooLarge(f"The log unpacks to {unpacked} bytes, too many for its own size.")


def _read_first(archive: zipfile.ZipFile) -> JsonValue:
    present = set(archive.namelist())
    name = next((name for name in HEADERS if name in present), None)
    if name is None:
        raise InvalidFile(f"The log has none of {', '.join(HEADERS)}, so it is no .eval file.")
    return parse_json(read_member(archive, name), name)


def _read_header(log: JsonValue) -> dict[str, str]:
    """Return task and model of a log."""
    spec = log.get("eval") if isinstance(log, dict) else None
    if not isinstance(spec, dict) or not all(
        isinstance(spec.get(k), str) for k in ("task", "model")
    ):
        raise InvalidFile(
            "The JSON is not a log of inspect_ai: it has no eval with a task and a model. Send "
            "tables as JSON Lines, with the ending .jsonl."
        )
    return {"task": spec["task"], "model": spec["model"]}


def _note_unfinished(inspected: Inspected, log: JsonValue) -> Inspected:
    """Add a sentence to the details if the evaluation had not ended, or is not to be used."""
    status = log.get("status", "started") if isinstance(log, dict) else "started"
    is_invalid = isinstance(log, dict) and log.get("invalidated") is True
    n_samples = _count_samples(log)
    if status == "success" and not is_invalid and inspected.rows >= n_samples:
        return inspected
    sentence = (
        f"The log has {inspected.rows} of the {n_samples} samples that its evaluation counts."
        if status == "success"
        else f"The log has the status {status!r}: the evaluation has not ended well, so samples or "
        "their scores may be missing."
    )
    if is_invalid:
        sentence = "The log is marked as invalidated, so its scores should not be used."
    return replace(inspected, details={**inspected.details, UNFINISHED: sentence})


def _count_samples(log: JsonValue) -> int:
    """Return how many samples the results of a log count: items times epochs; 0 without results."""
    results = log.get("results") if isinstance(log, dict) else None
    count = results.get("total_samples") if isinstance(results, dict) else None
    return count if isinstance(count, int) else 0


def _read_samples(log: JsonValue) -> list[JsonValue]:
    samples = log.get("samples") if isinstance(log, dict) else None
    if samples is not None and not isinstance(samples, list):
        raise InvalidFile("The samples of the log must be a list.")
    return samples or []


def _iterate_samples(archive: zipfile.ZipFile) -> Iterator[JsonValue]:
    present = dict.fromkeys(archive.namelist())
    for name in present:
        part = CHUNKED.fullmatch(name)
        if not name.startswith(SAMPLES) or not name.endswith(".json"):
            continue
        if part is not None and part["name"] != "sample.json":
            continue
        sample = parse_json(read_member(archive, name), name)
        metadata = None if part is None else f"{part[1]}/metadata.json"
        if metadata in present and isinstance(sample, dict):
            sample = {**sample, "metadata": parse_json(read_member(archive, metadata), metadata)}
        yield sample


def _list_rows(samples: Iterable[JsonValue], header: Mapping[str, str]) -> Iterator[JsonObject]:
    for sample in samples:
        if not isinstance(sample, dict) or "id" not in sample:
            raise InvalidFile("A sample of the log is not an object with an id.")
        scores = sample.get("scores")
        if not isinstance(scores, dict):
            scores = {"score": sample["score"]} if isinstance(sample.get("score"), dict) else {}
        metadata, error = sample.get("metadata"), _read_error(sample)
        if error:  # a score of a run that broke off is none, as of other tools
            scores = dict.fromkeys(scores)
        yield {
            "item": str(sample["id"]),
            "epoch": sample.get("epoch", 1),
            **header,
            "score": {name: _read_score(score) for name, score in scores.items()},
            "metadata": metadata if isinstance(metadata, dict) else {},
            **_hash_item(sample),
            **_read_costs(sample, header["model"]),
            **error,
        }


def _hash_item(sample: JsonObject) -> JsonObject:
    """Return hashes of the target, whatever the order of choices is, and of the input."""
    choices, target, asked = (sample.get(name) for name in ("choices", "target", "input"))
    options = choices if isinstance(choices, list) else []
    letters = {chr(ord("A") + place): option for place, option in enumerate(options)}
    targets = [letters.get(str(t), t) for t in (target if isinstance(target, list) else [target])]
    hashes: dict[str, JsonValue] = {}
    if options or target:
        hashes["doc_hash"] = hash_content(sorted(map(str, options)), sorted(map(str, targets)))
    return {**hashes, "input_hash": hash_content(asked)} if asked else hashes


def _read_costs(sample: JsonObject, model: str) -> JsonObject:
    """Return the time of a sample, and the tokens of the model that is evaluated."""
    by_model = sample.get("model_usage")
    usage = by_model.get(model) if isinstance(by_model, dict) else None
    tokens = usage if isinstance(usage, dict) else {}
    return read_costs(
        seconds=sample.get("total_time"),
        working_seconds=sample.get("working_time"),
        tokens=tokens.get("total_tokens"),
        input_tokens=tokens.get("input_tokens"),
        output_tokens=tokens.get("output_tokens"),
    )


def _read_error(sample: JsonObject) -> JsonObject:
    """Return why a sample has no score: an error, or its invalidation; nothing for others."""
    error = sample.get("error")
    if error is None and sample.get("invalidation") is not None:
        error = "it is marked as invalidated"
    if error is None:
        return {}
    message = error.get("message") if isinstance(error, dict) else error
    return {ERROR: shorten(str(message), 1000)}


def _read_back(rows: IO[bytes], n_rows: int) -> Iterator[JsonObject]:
    """Yield the rows that were kept of a log; unlike its samples they have no messages."""
    rows.seek(0)
    for _ in range(n_rows):
        yield marshal.load(rows)  # noqa: S302 - from a file of our own that has no name


def _read_score(score: JsonValue) -> JsonValue:
    """Return a score as a number, or the numbers of a score that has several; None without one.

    A list, or a text that is no number, is kept, so that whoever needs a number names it.
    """
    value = score.get("value") if isinstance(score, dict) else None
    if isinstance(value, dict):
        return {name: _parse_number(member) for name, member in value.items()}
    return _parse_number(value)


def _parse_number(value: JsonValue) -> JsonValue:
    if isinstance(value, (bool, int, float)):
        return float(value)
    if not isinstance(value, str):
        return value
    if PLAIN_NUMBER.fullmatch(value.strip()):
        return float(value)
    return VALUES.get(value, WORDS.get(value.lower(), value))


METHOD = InspectLog()

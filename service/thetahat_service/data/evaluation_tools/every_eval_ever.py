"""every_eval_ever: ``UUID_samples.jsonl``, a record of a sample's score in each line.

Records of one sample that belong to several results, such as several metrics, are told apart by
``filter``, the id of the result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final

from thetahat.values.json_values import JsonValue
from thetahat_service.data.evaluation_tools.base import (
    ERROR,
    hash_content,
    number_runs,
    read_costs,
    read_number,
    require_object,
    shorten,
)
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

KEYS: Final = ("model_id", "evaluation_name", "sample_id", "evaluation")
RECOGNISED: Final = frozenset({"schema_version", "evaluation_id"})
VERSION: Final = re.compile(r"(instance_level_eval_)?0\.[23]\.\d+")
EVALUATION: Final = "evaluation"
"""The member of a row with the id of its evaluation, until models are named."""
UNDERSTOOD: Final = "0.2 and 0.3"


class EveryEvalEver:
    """The records of samples of every_eval_ever."""

    name = "every_eval_ever"

    def recognise(self, value: JsonValue) -> bool:
        """Return whether the JSON is a record of a sample, or the summary of an evaluation."""
        return isinstance(value, dict) and value.keys() >= RECOGNISED

    def list_rows(self, values: Iterable[JsonValue]) -> Iterator[JsonObject]:
        """Yield a row for each record."""
        records = [_read_record(require_object(value, "A record")) for value in values]
        _check_names(records)
        _name_evaluations(records)
        if not _has_several_results(records):
            for record in records:
                record.pop("filter")
        return number_runs(records)


def _read_record(record: JsonObject) -> dict[str, JsonValue]:
    version = record.get("schema_version")
    if not isinstance(version, str) or not VERSION.fullmatch(version):
        raise InvalidFile(
            f"The records of every_eval_ever have schema_version {version!r}; {UNDERSTOOD} are "
            "understood."
        )
    if "evaluation_results" in record:
        raise InvalidFile(
            "This is the summary of an evaluation of every_eval_ever, which has no scores of "
            "samples. Take the file whose name ends in _samples.jsonl beside it."
        )
    lacking = [key for key in KEYS if record.get(key) is None]
    if lacking:
        raise InvalidFile(f"A record of every_eval_ever has no {', '.join(lacking)}.")
    item = str(record["sample_id"])
    evaluation = require_object(record["evaluation"], f"The evaluation of sample {item!r}")
    content = record.get("input")
    question = content if isinstance(content, dict) else {}
    scores: dict[str, JsonValue] = {
        name: read_number(evaluation.get(name), f"The {name} of sample {item!r}")
        for name in ("score", "is_correct")
    }
    row: dict[str, JsonValue] = {
        "item": item,
        "model": str(record["model_id"]),
        "task": str(record["evaluation_name"]),
        "filter": str(record.get("evaluation_result_id") or "none"),
        "doc_hash": hash_content(question.get("raw"), question.get("reference")),
        EVALUATION: str(record.get("evaluation_id")),
    }
    if record.get("error") is not None:
        row[ERROR] = shorten(str(record["error"]), 1000)
        scores = dict.fromkeys(scores, None)
    return {**row, "score": scores, **_read_costs(record)}


def _read_costs(record: JsonObject) -> JsonObject:
    usage, performance = (
        value if isinstance(value, dict) else {}
        for value in (record.get("token_usage"), record.get("performance"))
    )
    latency = performance.get("latency_ms")
    return read_costs(
        seconds=latency / 1000 if isinstance(latency, int | float) else None,
        tokens=usage.get("total_tokens"),
        input_tokens=usage.get("input_tokens"),
        output_tokens=usage.get("output_tokens"),
    )


def _name_evaluations(records: list[dict[str, JsonValue]]) -> None:
    """Add the evaluation to the name of a model of which two have the same sample."""
    keys = ("model", "task", "item", "filter")
    first: dict[tuple[JsonValue, ...], JsonValue] = {}
    several = {
        row["model"]
        for row in records
        if first.setdefault(tuple(row[key] for key in keys), row[EVALUATION]) != row[EVALUATION]
    }
    for row in records:
        evaluation = row.pop(EVALUATION)
        if row["model"] in several:
            row["model"] = f"{row['model']}, {evaluation}"


def _has_several_results(records: Iterable[JsonObject]) -> bool:
    """Return whether a sample has records of several results."""
    results: dict[tuple[JsonValue, ...], JsonValue] = {}
    return any(
        results.setdefault((row["model"], row["task"], row["item"]), row["filter"]) != row["filter"]
        for row in records
    )


def _check_names(records: Iterable[JsonObject]) -> None:
    """Refuse names of evaluations that share most samples: they are metrics, not tasks."""
    names: dict[JsonValue, set[str]] = {}
    for row in records:
        names.setdefault(row["doc_hash"], set()).add(str(row["task"]))
    sizes = Counter(name for own in names.values() for name in own)
    shared = Counter(
        pair for own in names.values() if len(own) > 1 for pair in combinations(sorted(own), 2)
    )
    for (first, second), n in shared.items():
        if 2 * n > min(sizes[first], sizes[second]):
            raise InvalidFile(
                f"The evaluations {first!r} and {second!r} have {n} samples in common: they are "
                "two scores of the same samples and not two tasks. Keep the lines of one of them."
            )


TOOL: Final = EveryEvalEver()

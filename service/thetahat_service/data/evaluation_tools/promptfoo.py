"""promptfoo: the files of ``--output``, in JSON or with a result in each line.

The model is the provider, and the prompt where a provider has several; a provider that is listed
twice, with other settings, has two values of ``promptIdx``. An item is a test case, known by its
variables and assertions, as promptfoo numbers repeats like test cases of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from thetahat.values.json_values import JsonValue
from thetahat_service.data.evaluation_tools.base import (
    ERROR,
    hash_content,
    name_item,
    number_runs,
    read_costs,
    read_number,
    require_list,
    require_object,
    shorten,
)
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

VERSION: Final = 3
RESULT_KEYS: Final = frozenset({"promptIdx", "testIdx", "testCase", "provider", "score"})
FAILED: Final = 2
"""``failureReason`` of a run that ended in an error; 1 is a failed assertion."""
LONGEST_LABEL: Final = 40
CASE_KEYS: Final = ("vars", "assert", "description", "threshold")
"""What tells test cases apart."""


class Promptfoo:
    """The results of promptfoo."""

    name = "promptfoo"

    def recognise(self, value: JsonValue) -> bool:
        """Return whether the JSON is an output of promptfoo, or one result."""
        if not isinstance(value, dict):
            return False
        results = value.get("results")
        return value.keys() >= RESULT_KEYS or (
            isinstance(results, dict) and {"version", "results"} <= results.keys()
        )

    def list_rows(self, values: Iterable[JsonValue]) -> Iterator[JsonObject]:
        """Yield a row for each test case, provider, prompt and repeat."""
        results = [require_object(each, "A result") for value in values for each in _list(value)]
        return number_runs(map(_read_result, results, _name_models(results)))


def _list(value: JsonValue) -> list[JsonValue]:
    """Return the results in a file or in a line."""
    if not isinstance(value, dict) or "results" not in value:
        return [value]
    summary = require_object(value["results"], "The member results of the promptfoo file")
    version = summary.get("version")
    if version != VERSION:
        raise InvalidFile(
            f"The promptfoo results have version {version!r}; version {VERSION} is understood. "
            "Write them again with a release of promptfoo that has it."
        )
    return require_list(summary.get("results"), "The results of promptfoo")


def _name_models(results: list[JsonObject]) -> list[str]:
    """Return the model of each result, with its ``promptIdx`` where a name has several."""
    for result in results:
        missing = sorted(RESULT_KEYS - result.keys())
        if missing:
            raise InvalidFile(f"A result of promptfoo has no {', '.join(missing)}.")
    labels = _label_prompts(results)
    names = [_read_provider(result) + labels[_find_prompt(result)] for result in results]
    columns: dict[str, set[str]] = {}
    for name, result in zip(names, results, strict=True):
        columns.setdefault(name, set()).add(str(result["promptIdx"]))
    return [
        f"{name}, promptIdx {result['promptIdx']}" if len(columns[name]) > 1 else name
        for name, result in zip(names, results, strict=True)
    ]


def _label_prompts(results: list[JsonObject]) -> dict[str, str]:
    """Return what is added to a provider's name for each prompt; nothing if there is one."""
    prompts: dict[str, str] = {}
    for result in results:
        prompts.setdefault(_find_prompt(result), _read_label(result))
    if len(prompts) < 2:
        return dict.fromkeys(prompts, "")
    labels = [label if len(label) <= LONGEST_LABEL else "" for label in prompts.values()]
    return {
        prompt: f", {label}" if label and labels.count(label) == 1 else f", prompt {prompt[:8]}"
        for prompt, label in zip(prompts, labels, strict=True)
    }


def _find_prompt(result: JsonObject) -> str:
    prompt = result.get("prompt")
    raw = prompt.get("raw") if isinstance(prompt, dict) else None
    return str(result.get("promptId") or hash_content(raw))


def _read_label(result: JsonObject) -> str:
    prompt = result.get("prompt")
    return str(prompt.get("label") or "").strip() if isinstance(prompt, dict) else ""


def _read_result(result: JsonObject, model: str) -> JsonObject:
    case = require_object(result["testCase"], "The testCase of a result")
    digest = hash_content(*(case.get(key) for key in CASE_KEYS))
    variables = case.get("vars")
    texts = variables.values() if isinstance(variables, dict) else []
    words = case.get("description") or ", ".join(map(_write, texts)) or "test"
    item = name_item(str(words), digest)
    place = f"The score of item {item!r}"
    scores: dict[str, JsonValue] = {"score": read_number(result["score"], place)}
    scores["pass"] = read_number(result.get("success"), place)
    named = result.get("namedScores")
    for name, value in (named if isinstance(named, dict) else {}).items():
        if name not in scores:
            scores[name] = read_number(value, f"The score {name!r} of item {item!r}")
    row: dict[str, JsonValue] = {
        "item": item,
        "model": model,
        "doc_hash": digest,
    }
    if _has_failed(result):
        scores = dict.fromkeys(scores, None)
        row[ERROR] = shorten(str(result.get("error") or "an error without a message"), 1000)
    return {**row, "score": scores, **_read_costs(result)}


def _has_failed(result: JsonObject) -> bool:
    """Return whether a run ended in an error; releases before 0.96 have no ``failureReason``.

    ``error`` has the reason of a failed assertion, too, beside which the response has no error.
    """
    reason, response = result.get("failureReason"), result.get("response")
    if reason is not None:
        return reason == FAILED
    return isinstance(response, dict) and bool(response.get("error"))


def _read_costs(result: JsonObject) -> JsonObject:
    usage = result.get("tokenUsage")
    tokens = usage if isinstance(usage, dict) else {}
    latency = result.get("latencyMs")
    return read_costs(
        usd=result.get("cost"),
        seconds=latency / 1000 if isinstance(latency, int | float) else None,
        tokens=tokens.get("total"),
        input_tokens=tokens.get("prompt"),
        output_tokens=tokens.get("completion"),
    )


def _write(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _read_provider(result: JsonObject) -> str:
    provider = result["provider"]
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    if not isinstance(provider, str) or not provider:
        raise InvalidFile("A result of promptfoo has a provider without id and label.")
    return provider


TOOL: Final = Promptfoo()

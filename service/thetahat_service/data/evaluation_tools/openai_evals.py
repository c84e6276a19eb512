"""OpenAI Evals: the log that ``oaieval`` records, an event in each line.

The first line has the specification of the run, with the model. The score of a sample is in its
events of type ``match`` (``correct``) and ``metrics``; events of other types have none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from thetahat.values.json_values import JsonValue
from thetahat_service.data.evaluation_tools.base import (
    ERROR,
    hash_content,
    number_runs,
    read_number,
    require_object,
    shorten,
)
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

SPECIFIED: Final = ("completion_fns", "eval_name")
"""Members of the specification of a run: its models and its task."""
SCORED: Final = frozenset({"match", "metrics"})
"""Types of events with scores."""


RUN: Final = "run"
"""The member of a run with its number in the file, until models are named."""


class OpenAIEvals:
    """The log of a run of OpenAI Evals."""

    name = "OpenAI Evals"

    def recognise(self, value: JsonValue) -> bool:
        """Return whether the JSON is the first line of a log."""
        spec = value.get("spec") if isinstance(value, dict) else None
        return isinstance(spec, dict) and spec.keys() >= {*SPECIFIED}

    def list_rows(self, values: Iterable[JsonValue]) -> Iterator[JsonObject]:
        """Yield a row for each sample, and a further one for each time it is scored again."""
        runs: list[dict[str, JsonValue]] = [{}]
        samples: dict[tuple[int, str], _Sample] = {}
        for value in values:
            line = require_object(value, "A line of the log")
            if "spec" in line:
                spec = require_object(line["spec"], "The specification of the run")
                runs.append(_read_run(spec, len(runs)))
            if "type" in line:
                name = str(line.get("sample_id"))
                sample = samples.setdefault((len(runs), name), _Sample(name, runs[-1]))
                data = require_object(line.get("data") or {}, f"The data of sample {name!r}")
                sample.add(line["type"], data)
        _name_runs(samples.values())
        return number_runs(row for sample in samples.values() for row in sample.list_rows())


@dataclass(slots=True)
class _Sample:
    """What the events of a sample say."""

    name: str
    run: dict[str, JsonValue]
    runs: list[dict[str, JsonValue]] = field(default_factory=lambda: [{}])
    """The scores of each run."""
    asked: JsonObject = field(default_factory=dict)
    """The hash of the first prompt."""
    error: JsonObject = field(default_factory=dict)
    """The reason why there are no scores."""

    def add(self, kind: JsonValue, data: JsonObject) -> None:
        """Take account of an event; a score that the last run has begins a new one."""
        if kind == "sampling" and not self.asked:
            self.asked = {"input_hash": hash_content(data.get("prompt"))}
        if kind == "error":
            self.error = {ERROR: shorten(str(data.get("message") or data.get("type")), 1000)}
        if kind in SCORED:
            scores = _read_scores(data, self.name)
            if not self.runs[-1].keys().isdisjoint(scores):
                self.runs.append({})
            self.runs[-1].update(scores)

    def list_rows(self) -> Iterator[JsonObject]:
        """Yield a row for each run."""
        for scores in self.runs:
            kept: JsonObject = dict.fromkeys(scores) if self.error else scores
            run = {key: value for key, value in self.run.items() if key != RUN}
            yield {"item": self.name, **run, **self.asked, **self.error, "score": kept}


def _name_runs(samples: Collection[_Sample]) -> None:
    """Add its number to the name of a model of which two runs have the same sample."""
    first: dict[tuple[JsonValue, ...], JsonValue] = {}
    several = set()
    for sample in samples:
        key = (sample.run.get("model"), sample.run.get("task"), sample.name)
        if first.setdefault(key, sample.run.get(RUN)) != sample.run.get(RUN):
            several.add(key[0])
    for run in {id(sample.run): sample.run for sample in samples}.values():
        if run.get("model") in several:
            run["model"] = f"{run['model']}, run {run[RUN]}"


def _read_run(spec: JsonObject, number: int) -> dict[str, JsonValue]:
    models = spec.get("completion_fns")
    names = [str(name) for name in models] if isinstance(models, list) else []
    if not names:
        raise InvalidFile("The specification of the run has no model in completion_fns.")
    return {"model": ", ".join(names), "task": str(spec.get("eval_name")), RUN: number}


def _read_scores(data: JsonObject, sample: str) -> dict[str, JsonValue]:
    """Return the numbers of an event; its texts and lists are no scores."""
    return {
        name: read_number(value, f"The score {name!r} of sample {sample!r}")
        for name, value in data.items()
        if value is None or isinstance(value, bool | int | float)
    }


TOOL: Final = OpenAIEvals()

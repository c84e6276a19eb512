"""HELM: ``per_instance_stats.json`` of a run, and ``display_predictions.json`` of its website.

Neither names the model, which is in the name of the folder. Perturbed copies of an instance are
told apart by ``filter``, as are the splits of a run that has several, and training trials by
``epoch``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from thetahat.values.json_values import JsonValue
from thetahat_service.data.evaluation_tools.base import (
    read_costs,
    read_number,
    require_list,
    require_object,
)
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

INSTANCE_KEYS: Final = frozenset({"instance_id", "train_trial_index", "stats"})
OTHER_FILES: Final = {
    "stats.json": frozenset({"name", "count", "sum"}),
    "run_spec.json": frozenset({"name", "scenario_spec", "adapter_spec"}),
    "scenario_state.json": frozenset({"adapter_spec", "request_states"}),
}
"""Files of a run without scores of instances, by the members of an object in them."""
UNPERTURBED: Final = "none"
NO_SETTINGS: Final = frozenset({"name", "robustness", "fairness", "computed_on"})
"""Members of a perturbation that are no settings of it."""


class Helm:
    """The instances of a run of HELM."""

    name = "HELM"

    def recognise(self, value: JsonValue) -> bool:
        """Return whether the JSON is a file of a run."""
        first = value[0] if isinstance(value, list) and value else value
        if not isinstance(first, dict):
            return False
        return first.keys() >= INSTANCE_KEYS or _find_other_file(value) is not None

    def list_rows(self, values: Iterable[JsonValue]) -> Iterator[JsonObject]:
        """Yield a row for each instance, perturbation and trial."""
        for value in values:
            other = _find_other_file(value)
            if other is not None:
                raise InvalidFile(
                    f"This is {other} of a HELM run, which has no scores of instances. Take "
                    "per_instance_stats.json of the same folder."
                )
            yield from _merge(require_list(value, "The instances of HELM"))


def _find_other_file(value: JsonValue) -> str | None:
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        return None
    return next((name for name, keys in OTHER_FILES.items() if first.keys() >= keys), None)


def _merge(entries: list[JsonValue]) -> Iterator[JsonObject]:
    """Yield rows; HELM writes the instances again for each of its metric classes."""
    rows: dict[tuple[str, int, str], dict[str, JsonValue]] = {}
    splits: dict[str, str] = {}
    for value in entries:
        entry = require_object(value, "An instance of HELM")
        if not entry.keys() >= INSTANCE_KEYS:
            lacking = ", ".join(sorted(INSTANCE_KEYS - entry.keys()))
            raise InvalidFile(f"An instance of HELM has no {lacking}.")
        trial = entry["train_trial_index"]
        if not isinstance(trial, int):
            raise InvalidFile(f"The train_trial_index {trial!r} is no whole number.")
        key = (str(entry["instance_id"]), trial + 1, _name_perturbation(entry.get("perturbation")))
        scores = rows.setdefault(key, {})
        split = _find_split(entry["stats"])
        if split is not None and splits.setdefault(key[0], split) != split:
            raise InvalidFile(
                f"Instance {key[0]!r} is in the splits {splits[key[0]]!r} and {split!r}."
            )
        for name, score in _list_stats(entry["stats"], key[0]):
            if scores.setdefault(name, score) != score:
                raise InvalidFile(
                    f"Instance {key[0]!r} has two values of {name!r} in trial {trial}: "
                    f"{scores[name]} and {score}."
                )
    has_splits = len({*splits.values()}) > 1
    for (item, epoch, perturbation), scores in rows.items():
        part = f"{splits.get(item)} {perturbation}" if has_splits else perturbation
        row: JsonObject = {"item": item, "epoch": epoch, "filter": part, "score": scores}
        yield {**row, **_read_costs(scores)}


def _read_costs(scores: Mapping[str, JsonValue]) -> JsonObject:
    """Return what a run cost, which is among the statistics of its instance."""
    prompt, output = scores.get("num_prompt_tokens"), scores.get("num_output_tokens")
    tokens = None
    if isinstance(prompt, int | float) and isinstance(output, int | float):
        tokens = prompt + output
    return read_costs(
        seconds=scores.get("inference_runtime"),
        tokens=tokens,
        input_tokens=prompt,
        output_tokens=output,
    )


def _list_stats(stats: JsonValue, item: str) -> Iterator[tuple[str, float | None]]:
    """Yield name and value: of a list of statistics, or of an object of values."""
    if isinstance(stats, Mapping):
        for name, value in stats.items():
            yield name, read_number(value, f"The statistic {name!r} of instance {item!r}")
        return
    for value in require_list(stats, f"The stats of instance {item!r}"):
        stat = require_object(value, f"A statistic of instance {item!r}")
        parts = stat.get("name")
        label = parts.get("name") if isinstance(parts, dict) else None
        if not isinstance(label, str) or not label:
            raise InvalidFile(f"A statistic of instance {item!r} has no name.")
        yield label, _compute_mean(stat, f"The statistic {label!r} of instance {item!r}")


def _find_split(stats: JsonValue) -> str | None:
    """Return the split of an instance, which the names of its statistics have."""
    for stat in stats if isinstance(stats, list) else ():
        name = stat.get("name") if isinstance(stat, dict) else None
        split = name.get("split") if isinstance(name, dict) else None
        if isinstance(split, str):
            return split
    return None


def _compute_mean(stat: JsonObject, place: str) -> float | None:
    mean = read_number(stat.get("mean"), place)
    count, total = read_number(stat.get("count"), place), read_number(stat.get("sum"), place)
    if mean is not None or not count or total is None:
        return mean
    return total / count


def _name_perturbation(value: JsonValue) -> str:
    if value is None:
        return UNPERTURBED
    perturbation = require_object(value, "A perturbation")
    settings = sorted(
        f"{key}={member}"
        for key, member in perturbation.items()
        if key not in NO_SETTINGS and not isinstance(member, list | dict)
    )
    return " ".join([str(perturbation.get("name")), *settings])


TOOL: Final = Helm()

"""The one place where a finished evaluation becomes JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

from thetahat.analyses.losses.result import EvaluationResult
from thetahat.cautions import IGNORES_TRAINING_VARIANCE, NO_TRAINING_VARIANCE, TEST_SET_USED_OFTEN
from thetahat.values.coverage import ExpectedCoverage, ExpectedSize
from thetahat.values.json_values import to_json
from thetahat_service.kinds.base import Finished
from thetahat_service.kinds.provenance import Provenance

OF_TRAINING: Final = frozenset({IGNORES_TRAINING_VARIANCE.code, NO_TRAINING_VARIANCE.code})
"""Cautions that are left out where no model was trained for the evaluation."""
_DESIGN_FIELDS: Final = {
    "expected_coverage": {field.name for field in fields(ExpectedCoverage)},
    "expected_size": {field.name for field in fields(ExpectedSize)},
}
"""The fields that have a studied design, and what a design has; a model may have such a name."""
_REASON_FIELDS: Final = frozenset(f"{name}_missing" for name in _DESIGN_FIELDS)
"""The fields that say why there is no design."""


def encode_result(finished: Finished, provenance: Provenance) -> dict[str, Any]:
    """Return a result as clients read it, with its cautions and its provenance as the last fields.

    The sentence of a caution is in ``caution_texts``, once, a studied design in
    ``expected_coverages`` or ``expected_sizes``, and the reason for none in ``missing_studies``.
    The fields that have them, at every depth, have their keys.
    """
    body: dict[str, Any] = to_json(finished.result)
    if not finished.has_trained_models:
        body = drop_training_cautions(body)
    use = provenance.test_set
    if use is not None and use.comparisons >= TEST_SET_USED_OFTEN.threshold:
        caution = to_json(TEST_SET_USED_OFTEN(n=use.comparisons))
        body["cautions"] = [*body.get("cautions", ()), caution]
    return {
        **_WrittenOnce().take_out_of(body),
        "provenance": to_json(replace(provenance, methods=finished.methods)),
    }


def encode_parts(
    result: Mapping[str, Any], further: EvaluationResult, *, has_trained_models: bool
) -> dict[str, Any]:
    """Return a stored result as JSON, with the parts that a further evaluation of it has.

    What the stored result has stays as it is. It has in the places of keys what they are for.
    """
    more: dict[str, Any] = to_json(further)
    if not has_trained_models:
        more = drop_training_cautions(more)
    merged: dict[str, Any] = _add_missing(result, more)
    provenance = result["provenance"]
    merged |= {
        name: [*result[name], *(each for each in more[name] if each not in result[name])]
        for name in ("include", "not_applicable")
    }
    used = [each for each in to_json(further.methods) if each not in provenance["methods"]]
    del merged["provenance"]
    return {
        **_WrittenOnce().take_out_of(merged),
        "provenance": {**provenance, "methods": [*provenance["methods"], *used]},
    }


def drop_training_cautions(value: Any) -> Any:
    """Return a value of a result without the cautions on other training data, at every depth."""
    if isinstance(value, dict):
        return {
            name: [each for each in item if each["code"] not in OF_TRAINING]
            if name == "cautions" and isinstance(item, list)
            else drop_training_cautions(item)
            for name, item in value.items()
        }
    if isinstance(value, list) and value and isinstance(value[0], dict | list):
        return [drop_training_cautions(item) for item in value]
    return value


def _add_missing(value: Any, more: Any) -> Any:
    """Return a value with the fields of another one that it does not have, at every depth."""
    if isinstance(value, Mapping) and isinstance(more, Mapping):
        both = {key: _add_missing(item, more.get(key)) for key, item in value.items()}
        if "cautions" in value and "cautions" in more:  # those of a part, too
            further = [each for each in more["cautions"] if each not in value["cautions"]]
            both["cautions"] = [*value["cautions"], *further]
        return {**both, **{key: item for key, item in more.items() if key not in value}}
    is_list_of_objects = isinstance(value, list) and value and isinstance(value[0], Mapping)
    if is_list_of_objects and isinstance(more, list) and len(value) == len(more):
        return [_add_missing(item, other) for item, other in zip(value, more, strict=True)]
    return value


class _WrittenOnce:
    """The cautions, the studied designs and the reasons for none by key, each once."""

    def __init__(self) -> None:
        names = (*(f"{name}s" for name in _DESIGN_FIELDS), "missing_studies", "caution_texts")
        self._by_key: dict[str, dict[str, Any]] = {name: {} for name in names}
        self._keys: dict[tuple[object, ...], str] = {}

    def take_out_of(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a result with keys in the places of what is written once."""
        taken_out = self._take_out(body)
        texts = self._by_key.pop("caution_texts")
        studied = {name: by_key for name, by_key in self._by_key.items() if by_key}
        return {**taken_out, **studied, "caution_texts": texts}

    def _take_out(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._take_out_field(name, item) for name, item in value.items()}
        if isinstance(value, list) and value and isinstance(value[0], dict | list):
            return [self._take_out(item) for item in value]
        return value

    def _take_out_field(self, name: str, item: Any) -> Any:
        if name == "cautions" and isinstance(item, list):
            return [
                self._add("caution_texts", tuple(each.values()), each, each["code"])
                for each in item
            ]
        if isinstance(item, dict) and item.keys() == _DESIGN_FIELDS.get(name):
            stem = name.removeprefix("expected_")
            return self._add(f"{name}s", tuple(item.values()), item, f"{stem}:1")
        if isinstance(item, str) and name in _REASON_FIELDS:
            return self._add("missing_studies", (item,), item, "missing:1")
        return self._take_out(item)

    def _add(self, name: str, content: tuple[object, ...], item: Any, first_key: str) -> str:
        """Return the key of an item, which is a new one if there is none like it."""
        if (name, *content) not in self._keys:
            stem = first_key.partition(":")[0]
            n = sum(known.partition(":")[0] == stem for known in self._by_key[name])
            key = f"{stem}:{n + 1}" if n else first_key
            self._keys[(name, *content)] = key
            self._by_key[name][key] = item
        return self._keys[(name, *content)]

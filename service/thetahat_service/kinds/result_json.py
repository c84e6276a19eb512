"""The one place where a finished evaluation becomes JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from thetahat.analyses.losses.result import EvaluationResult
from thetahat.cautions import IGNORES_TRAINING_VARIANCE, NO_TRAINING_VARIANCE, TEST_SET_USED_OFTEN
from thetahat.values.json_values import to_json
from thetahat_service.kinds.base import Finished
from thetahat_service.kinds.provenance import Provenance

OF_TRAINING: Final = frozenset({IGNORES_TRAINING_VARIANCE.code, NO_TRAINING_VARIANCE.code})
"""Cautions that are left out where no model was trained for the evaluation."""


def encode_result(finished: Finished, provenance: Provenance) -> dict[str, Any]:
    """Return a result as clients read it, with its cautions and its provenance as the last fields.

    The sentence of a caution is in ``caution_texts``, once. The lists ``cautions``, at every depth,
    have the keys of their cautions.
    """
    body: dict[str, Any] = to_json(finished.result)
    if not finished.has_trained_models:
        body = drop_training_cautions(body)
    use = provenance.test_set
    if use is not None and use.comparisons >= TEST_SET_USED_OFTEN.threshold:
        caution = to_json(TEST_SET_USED_OFTEN(n=use.comparisons))
        body["cautions"] = [*body.get("cautions", ()), caution]
    texts = _CautionTexts()
    return {
        **texts.take_out_of(body),
        "caution_texts": texts.by_key,
        "provenance": to_json(replace(provenance, methods=finished.methods)),
    }


def encode_parts(
    result: Mapping[str, Any], further: EvaluationResult, *, has_trained_models: bool
) -> dict[str, Any]:
    """Return a stored result as JSON, with the parts that a further evaluation of it has.

    What the stored result has stays as it is. Its cautions are in the places of their keys.
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
    texts = _CautionTexts()
    del merged["provenance"]
    return {
        **texts.take_out_of(merged),
        "caution_texts": texts.by_key,
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


class _CautionTexts:
    """The cautions of a result by key: its code, with a number from the second sentence on."""

    def __init__(self) -> None:
        self.by_key: dict[str, dict[str, str]] = {}
        self._keys: dict[tuple[str, ...], str] = {}

    def take_out_of(self, value: Any) -> Any:
        """Return a value with keys in the place of the cautions inside it."""
        if isinstance(value, dict):
            return {
                name: [self._add(each) for each in item]
                if name == "cautions" and isinstance(item, list)
                else self.take_out_of(item)
                for name, item in value.items()
            }
        if isinstance(value, list) and value and isinstance(value[0], dict | list):
            return [self.take_out_of(item) for item in value]
        return value

    def _add(self, caution: dict[str, str]) -> str:
        content = tuple(caution.values())
        key = self._keys.get(content)
        if key is None:
            code = caution["code"]
            n = sum(known == code for known, *_ in self._keys)
            key = f"{code}:{n + 1}" if n else code
            self._keys[content] = key
            self.by_key[key] = caution
        return key

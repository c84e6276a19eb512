"""The catalogue of methods by family, from the registries of the core."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, TypedDict, cast

from pydantic import TypeAdapter

from thetahat.analyses.losses import EVERY_TEST
from thetahat.analyses.losses.rules import ListedRule, list_rules
from thetahat.analyses.studies.presets import collect_presets
from thetahat.corrections import CORRECTIONS
from thetahat.generators import GENERATORS
from thetahat.importance_weights import IMPORTANCE_WEIGHTS
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.metrics import METRICS
from thetahat.references import REFERENCES
from thetahat.refit_estimators import EVERY_INTERVAL, EVERY_VARIANCE
from thetahat.registry import MethodInfo
from thetahat.schemes import SCHEMES
from thetahat.sequential import SEQUENTIAL_METHODS
from thetahat.similar_names import suggest_name
from thetahat.statistics.vector_statistics import EVERY_STATISTIC
from thetahat.two_sample_tests import TWO_SAMPLE_TESTS
from thetahat.values.json_schema import JsonSchema
from thetahat.values.json_values import to_json
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat_service.errors import ResourceNotFound
from thetahat_service.json_types import MethodDescription
from thetahat_service.settings import get_settings


class FamilyDescription(TypedDict):
    """All methods of a family."""

    family: str
    items: list[MethodDescription]


def describe(method: type[Any]) -> MethodDescription:
    """Return the description of a method, with the JSON Schema of its parameters."""
    info: MethodInfo = method.info
    return {
        "name": info.name,
        "title": info.title,
        "summary": info.summary,
        "formula": info.formula,
        "references": [{"key": key, "text": REFERENCES[key]} for key in info.references],
        "assumptions": info.assumptions,
        "errs": info.errs,
        "needs": info.needs.value,
        "blocks": sorted(kind.value for kind in info.blocks),
        "targets": [target.value for target in info.targets],
        "mean": None if info.mean is None else info.mean.value,
        "parameters": describe_parameters(method),
    }


def describe_parameters(method: type[Any]) -> JsonSchema:
    """Return the JSON Schema of a method's fields, without the name and docstring of its class."""
    schema = TypeAdapter(method).json_schema()
    kept = {key: value for key, value in schema.items() if key not in {"title", "description"}}
    return cast("JsonSchema", kept)


def _describe_registry(registry: Mapping[str, type[Any]]) -> Callable[[], list[MethodDescription]]:
    def describe_all() -> list[MethodDescription]:
        return [describe(registry[name]) for name in registry]

    return describe_all


def _describe_presets() -> list[MethodDescription]:
    """Describe presets, with their repetitions and the data sets that they can use by role."""
    return [
        {
            **describe(preset),
            "repetitions": preset.repetitions,
            "roles": dict(preset.roles),
        }
        for preset in collect_presets().values()
    ]


def _describe_generators() -> list[MethodDescription]:
    """Describe generators, with what they draw: losses, data or pairs."""
    return [{**describe(GENERATORS[name]), "gives": GENERATORS[name].draws} for name in GENERATORS]


def _describe_learners() -> list[MethodDescription]:
    """Describe the service's own learners, and those of scikit-learn that were reviewed."""
    from thetahat.pipelines import describe_learners  # noqa: PLC0415 - it imports scikit-learn

    own_learners = {name: describe(LEARNERS[name]) for name in LEARNERS}
    names = describe_learners(allowed_packages=get_settings().allowed_packages)
    return [
        cast("MethodDescription", {**own_learners.get(item["name"], {}), **item}) for item in names
    ]


def _describe_transformers() -> list[MethodDescription]:
    from thetahat.pipelines import describe_steps  # noqa: PLC0415 - likewise

    return [cast("MethodDescription", step) for step in describe_steps()]


FAMILIES: Final[dict[str, Callable[[], list[MethodDescription]]]] = {
    "schemes": _describe_registry(SCHEMES),
    "learners": _describe_learners,
    "transformers": _describe_transformers,
    "losses": _describe_registry(LOSSES),
    "metrics": _describe_registry(METRICS),
    "variances": _describe_registry(EVERY_VARIANCE),
    "intervals": _describe_registry(EVERY_INTERVAL),
    "tests": _describe_registry(EVERY_TEST),
    "corrections": _describe_registry(CORRECTIONS),
    "sequential": _describe_registry(SEQUENTIAL_METHODS),
    "risks": _describe_registry(WEIGHTED_RISKS),
    "statistics": _describe_registry(EVERY_STATISTIC),
    "two_sample_tests": _describe_registry(TWO_SAMPLE_TESTS),
    "weights": _describe_registry(IMPORTANCE_WEIGHTS),
    "generators": _describe_generators,
    "presets": _describe_presets,
}


@lru_cache(maxsize=len(FAMILIES))
def read_family(name: str) -> FamilyDescription:
    """Return all methods of a family, or raise ``ResourceNotFound``."""
    if name not in FAMILIES:
        near = suggest_name(name, FAMILIES)
        raise ResourceNotFound(
            f"There is no family {name[:80]!r}{near}; the families are {', '.join(FAMILIES)}."
        )
    return {"family": name, "items": FAMILIES[name]()}


def describe_rules() -> tuple[ListedRule, ...]:
    """Return the rules by which an interval is recommended, with the order of each."""
    intervals, variances = EVERY_INTERVAL.values(), EVERY_VARIANCE.values()
    return list_rules([m.info for m in intervals], [m.info for m in variances])


def build_index() -> dict[str, Any]:
    """Return the families, and the rules by which an interval is recommended."""
    return {
        "families": [{"name": name, "link": f"/v1/methods/{name}"} for name in FAMILIES],
        "recommendation": to_json(describe_rules()),
    }

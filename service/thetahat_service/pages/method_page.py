"""The catalogue of methods as pages show it: formulas typeset, parameters as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from latex2mathml.converter import convert
from markupsafe import Markup

from thetahat_presentation.document import Table
from thetahat_presentation.numbers import MISSING, format_number
from thetahat_presentation.targets import describe_target
from thetahat_presentation.wording import capitalise, join_words, name_method, name_parameter
from thetahat_service.pages.measured_coverage import tabulate_coverage

if TYPE_CHECKING:
    from thetahat.values.json_schema import JsonSchema
    from thetahat_service.json_types import MethodDescription


FAMILY_TITLES: Final = {
    "schemes": ("Schemes", "Rules that divide data into training and test parts."),
    "learners": ("Learners", "Ways to train a model, of the service and of scikit-learn."),
    "transformers": ("Preparation steps", "Steps that a learner takes before it is trained."),
    "losses": ("Losses", "Numbers that say how bad a prediction is."),
    "metrics": ("Metrics", "Numbers about a model that are not averages of losses."),
    "variances": ("Variances", "Estimators of the variance of a mean loss."),
    "intervals": ("Intervals", "Ranges that contain a target with a stated probability."),
    "tests": ("Tests", "Tests of pairs of models, and of all models at once."),
    "omnibus": ("Tests of all models", "Tests of all models at once."),
    "two_sample_tests": ("Tests of two samples", "Tests of two independent samples."),
    "corrections": ("Corrections", "Adjustments of p-values for several comparisons."),
    "sequential": ("Sequential methods", "Intervals that may be looked at again and again."),
    "risks": ("Weighted risks", "Estimators of the error in another population."),
    "statistics": ("Statistics", "Statistics of a sample, for the bootstrap."),
    "weights": ("Importance weights", "Estimators of weights that correct for a shifted sample."),
    "generators": ("Generators", "Populations with a known truth, for studies."),
    "presets": ("Presets", "Studies that redo the results of papers."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMethod:
    """A method of the catalogue."""

    name: str
    title: str
    summary: str
    """Its name in requests, its title, and what it is."""
    formula: Markup
    """Its formula in MathML; empty if it has none."""
    facts: Sequence[tuple[str, str]]
    """Names and texts: assumptions, direction of error, what it needs and what it is about."""
    references: Sequence[str]
    """Its sources."""
    parameters: Table | None
    """Its parameters; None if it has none."""
    coverage: Table | None = None
    """How often its intervals covered in the kept study; None if it is not in it."""


def describe_family(name: str) -> tuple[str, str]:
    """Return the title of a family and what its methods are."""
    return FAMILY_TITLES.get(name, (capitalise(name.replace("_", " ")), ""))


def describe_method(item: MethodDescription, family: str = "") -> ShownMethod:
    """Return a method of the catalogue as its page shows it, with its measured coverage."""
    is_preset = family == "presets"
    targets = [describe_target(target) for target in item.get("targets") or ()]
    facts = (
        ("Assumptions", item.get("assumptions") or ""),
        ("Direction of error", item.get("errs") or ""),
        ("About the error", join_words(targets)),
        ("Test blocks", "" if is_preset else join_words(list(item.get("blocks") or ()))),
        ("Tasks", join_words(list(item.get("tasks") or ()))),
        ("Needs", "" if is_preset else str(item.get("needs") or "")),
        ("Repetitions", format_number(item["repetitions"]) if "repetitions" in item else ""),
        ("Package", str(item.get("package") or "")),
    )
    return ShownMethod(
        name=item["name"],
        title=item.get("title") or item["name"],
        summary=item.get("summary") or "",
        formula=typeset(item.get("formula") or ""),
        facts=[(name, text) for name, text in facts if text],
        references=[reference["text"] for reference in item.get("references") or ()],
        parameters=_tabulate_parameters(item.get("parameters") or {}),
        coverage=tabulate_coverage(family, item["name"]),
    )


def write_method(method: Any) -> str:
    """Return a field of a request in words: a method with its parameters, or the value."""
    if not isinstance(method, Mapping):
        return str(method)
    parameters = method.get("params") or {}
    inside = ", ".join(f"{name_parameter(key)} = {value}" for key, value in parameters.items())
    name = name_method(str(method.get("name", "")))
    return f"{name} ({inside})" if inside else name


@lru_cache(maxsize=512)
def typeset(formula: str) -> Markup:
    """Return a LaTeX formula as MathML; the formula itself where it cannot be converted.

    Formulas come from the registry of methods, never from a request.
    """
    if not formula:
        return Markup("")
    try:
        return Markup(convert(formula, display="block"))  # noqa: S704 - made from our own formulas
    except Exception:  # noqa: BLE001 - the converter raises errors of many classes
        return Markup("<code>{}</code>").format(formula)


def _tabulate_parameters(schema: JsonSchema) -> Table | None:
    properties = schema.get("properties") or {}
    if not properties:
        return None
    required = set(schema.get("required") or ())
    rows = []
    for name, field in properties.items():
        default = "required" if name in required else write_default(field.get("default"))
        rows.append([name, _describe_type(field), default, field.get("description") or ""])
    return Table(
        caption="Parameters",
        columns=["Name", "Values", "Default", "Meaning"],
        rows=rows,
    )


def write_default(value: Any) -> str:
    """Return the default of a parameter."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return ", ".join(map(format_number, value)) or MISSING
    if isinstance(value, Mapping):
        return (
            ", ".join(f"{key}: {format_number(number)}" for key, number in value.items()) or MISSING
        )
    return format_number(value)


def _describe_type(field: JsonSchema) -> str:
    """Return the values that a parameter may have, from its JSON Schema."""
    if "enum" in field:
        return ", ".join(map(str, field["enum"]))
    if "const" in field:
        return str(field["const"])
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_describe_type(option) for option in field["anyOf"]))
    kind = field.get("type", "")
    words = {"null": "none", "integer": "whole number", "array": "list", "string": "text"}
    return words.get(kind, str(kind)) or "see the HTTP interface"

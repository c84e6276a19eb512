"""``thetahat reference``: the page of all methods of this version, ``docs/methods.md``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from thetahat.analyses.losses.rules import RankedInterval
    from thetahat.values.json_schema import JsonSchema
    from thetahat.values.json_values import JsonValue
    from thetahat_service.json_types import MethodDescription

OPENING: Final = """\
# Methods

`make docs` writes this page from the methods' own descriptions, which `GET /v1/methods/FAMILY` has,
too; a test compares them. Each entry says what the number is, what it assumes, in which direction
it errs if the assumptions fail, and for which blocks it is valid: `random` folds, `source` blocks,
one `holdout` set, or `subsamples` (test parts that may overlap). If a request names a method that
is not valid, it is refused with the names of those that are. The [glossary](glossary.md) explains
the terms.
"""
TITLES: Final = {
    "variances": "Variances of a mean loss",
    "refit_estimators": "Estimators that train the learner again",
    "intervals": "Intervals",
    "paired_tests": "Tests of a pair",
    "multiple_tests": "Tests of all models at once",
    "two_sample_tests": "Tests of two independent samples, for the bootstrap",
    "corrections": "Corrections for several comparisons",
    "sequential": "Sequential methods, for looking again and again",
    "metrics": "Metrics that are not averages",
    "losses": "Losses",
    "importance_weights": "Importance weights",
    "weighted_risks": "Importance-weighted risks",
    "statistics": "Statistics of a sample, for the bootstrap",
    "schemes": "Resampling schemes",
    "learners": "The service's own learners",
    "steps": "The service's own preparation steps",
    "generators": "Generators of data with a known truth",
    "presets": "Presets: published results computed again",
}
"""Titles in the order of the page; other families follow, with their name as the title."""


def reference(
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Write to this file instead of printing."),
    ] = None,
) -> None:
    """Print the page of all methods (Markdown)."""
    text = render_page()
    if output is None:
        print(text, end="")
    else:
        output.write_text(text, encoding="utf-8")


def render_page() -> str:
    """Return ``docs/methods.md``."""
    from thetahat.families import collect_families
    from thetahat_service.api.catalogue import describe

    descriptions = {
        family: [describe(registry[name]) for name in registry]
        for family, registry in collect_families().items()
    }
    titled = [family for family in TITLES if family in descriptions]
    untitled = [family for family in descriptions if family not in TITLES]
    described = {family: descriptions[family] for family in titled + untitled}
    lines = [OPENING, *_write_contents(described)]
    for name, methods in described.items():
        lines += ["", f"## {_write_title(name)}"]
        for method in methods:
            lines += ["", *_write_entry(method)]
    lines += ["", "## Recommended intervals", "", *_write_recommendations()]
    cited = {r["key"]: r["text"] for m in described.values() for d in m for r in d["references"]}
    lines += ["", "## Sources", "", *(f"- `{key}`: {cited[key]}" for key in sorted(cited))]
    return "\n".join(lines) + "\n"


def _write_title(family: str) -> str:
    return TITLES.get(family, family.replace("_", " ").capitalize())


def _write_contents(described: Mapping[str, Sequence[MethodDescription]]) -> Iterator[str]:
    yield "| family | methods |"
    yield "|---|---|"
    for family, methods in described.items():
        yield f"| {_write_title(family)} | {_format_code(method['name'] for method in methods)} |"


def _write_entry(method: MethodDescription) -> Iterator[str]:
    yield f"### `{method['name']}`"
    yield f"**{method['title']}.** {method['summary']}"
    if method["formula"]:
        yield from ("", "$$", method["formula"], "$$", "")
    else:
        yield ""
    schema = method["parameters"]
    parameters = [
        _write_parameter(k, s, schema.get("$defs", {})) for k, s in schema["properties"].items()
    ]
    for label, text in (
        ("Assumptions", method["assumptions"]),
        ("Direction of error", method["errs"]),
        ("Input", _describe_input(method)),
        ("Targets", _format_code(method["targets"])),
        ("Centre", method["mean"] and f"the {method['mean']} mean"),
        ("Parameters", "; ".join(parameters)),
        ("Source", _format_code(reference["key"] for reference in method["references"])),
    ):
        if text:
            yield f"- *{label}:* {text}"


def _describe_input(method: MethodDescription) -> str:
    """Return the input and blocks of an estimate; nothing for a method without a target."""
    if not method["targets"]:
        return ""
    return f"`{method['needs']}`; blocks {_format_code(method['blocks'])}"


def _format_code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _write_parameter(name: str, schema: JsonSchema, objects: Mapping[str, JsonSchema]) -> str:
    default = f", default {_encode_json(schema['default'])}" if "default" in schema else ""
    return f"`{name}` ({_describe_type(schema, objects)}{default})"


def _encode_json(value: JsonValue) -> str:
    from thetahat_service.json_encoding import encode_json

    return f"`{encode_json(value)}`"


def _describe_type(schema: JsonSchema, objects: Mapping[str, JsonSchema]) -> str:
    """Return a JSON Schema in words; ``objects`` are those that it refers to, by name."""
    if "anyOf" in schema:
        return " or ".join(_describe_type(option, objects) for option in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(_encode_json(value) for value in schema["enum"])
    if "const" in schema:
        return _encode_json(schema["const"])
    if "$ref" in schema:
        found = objects[schema["$ref"].rpartition("/")[2]]
        if "properties" not in found:
            return _describe_type(found, objects)
        fields = found["properties"].items()
        return "object of " + ", ".join(_write_parameter(k, s, objects) for k, s in fields)
    if schema.get("type") != "array":
        return str(schema.get("type", "any value"))
    anything: JsonSchema = {}
    item = _describe_type(schema.get("items") or schema.get("prefixItems", [anything])[0], objects)
    has_fixed_length = "maxItems" in schema and schema["maxItems"] == schema.get("minItems")
    return f"list of {schema['maxItems']} {item}s" if has_fixed_length else f"list of {item}"


def _write_recommendations() -> Iterator[str]:
    """Yield the order in which intervals are recommended, as a table."""
    from thetahat_service.api.catalogue import describe_rules

    yield "For each kind of block and target, the first interval of the order that could be"
    yield "computed is recommended. Estimators that train the learner again come before the order"
    yield "if a request names them."
    yield ""
    yield "| blocks | target | first, if named | order: interval on variance | reason |"
    yield "|---|---|---|---|---|"
    for rule in describe_rules():
        blocks = f"`{rule.blocks}`" + (", models trained elsewhere" * rule.only_fixed_models)
        first, order = _list_pairs(rule.where_asked), _list_pairs(rule.order)
        yield f"| {blocks} | `{rule.target}` | {first} | {order} | {rule.reason} |"


def _list_pairs(order: Iterable[RankedInterval]) -> str:
    """Return intervals with the variances on which they are built."""
    return ", ".join(
        f"`{pair.interval}`" + (f" on `{pair.variance}`" if pair.variance else "") for pair in order
    )

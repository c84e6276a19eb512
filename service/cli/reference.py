"""``thetahat reference``: the page of all methods of this version, ``docs/methods.md``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

if TYPE_CHECKING:
    from thetahat.analyses.losses.rules import RankedInterval

Description = Mapping[str, Any]

OPENING: Final = """\
# Methods

Written by `make docs` from the methods' own descriptions, which `GET /v1/methods/FAMILY` gives too;
a test compares. Each entry says what the number is, what must hold for it, which way it errs where
that fails, and for which test blocks it is offered: `random` folds, `source` blocks, one `holdout`
set, or `subsamples` whose test parts may overlap. A method that is named in a request and does not
fit is refused with the names of those that do.
"""
TITLES: Final = {
    "variances": "Variances of a mean loss",
    "refits": "Estimates that fit the learner again",
    "intervals": "Intervals",
    "comparisons": "Tests of a pair",
    "omnibus": "Tests of all models at once",
    "corrections": "Corrections for the number of comparisons",
    "metrics": "Metrics that are not averages",
    "losses": "Losses",
    "weights": "Importance weights",
    "risks": "Importance-weighted risks",
    "statistics": "Statistics of a sample, for the bootstrap",
    "schemes": "Resampling schemes",
    "learners": "The service's own learners",
    "steps": "The service's own preparation steps",
}
"""In the order of the page; a family that is not named here follows under its own name."""


def add_commands(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Documentation")(reference)


def reference(
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to this file instead of printing.")
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
    from service.api.catalogue import describe
    from thetahat.families import families

    found = {name: [describe(each[m]) for m in each] for name, each in families().items()}
    names = [*(n for n in TITLES if n in found), *(n for n in found if n not in TITLES)]
    described = {name: found[name] for name in names}
    lines = [OPENING, *_contents(described)]
    for name, methods in described.items():
        lines += ["", f"## {_title(name)}"]
        for method in methods:
            lines += ["", *_entry(method)]
    lines += ["", "## Recommended intervals", "", *_recommendations()]
    cited = {r["key"]: r["text"] for m in described.values() for d in m for r in d["references"]}
    lines += ["", "## Sources", "", *(f"- `{key}`: {cited[key]}" for key in sorted(cited))]
    return "\n".join(lines) + "\n"


def _title(family: str) -> str:
    return TITLES.get(family, family.replace("_", " ").capitalize())


def _contents(described: Mapping[str, Sequence[Description]]) -> Iterator[str]:
    yield "| family | methods |"
    yield "|---|---|"
    for family, methods in described.items():
        yield f"| {_title(family)} | {_code(method['name'] for method in methods)} |"


def _entry(method: Description) -> Iterator[str]:
    yield f"### `{method['name']}`"
    yield f"**{method['title']}.** {method['summary']}"
    if method["formula"]:
        yield from ("", "$$", method["formula"], "$$", "")
    else:
        yield ""
    parameters = [_parameter(k, s) for k, s in method["parameters"]["properties"].items()]
    for label, text in (
        ("Assumes", method["assumptions"]),
        ("Errs", method["errs"]),
        ("Needs", _needs(method)),
        ("Speaks of", _code(method["targets"])),
        ("Centres on", method["mean"] and f"the {method['mean']} mean"),
        ("Parameters", "; ".join(parameters)),
        ("Source", _code(reference["key"] for reference in method["references"])),
    ):
        if text:
            yield f"- *{label}:* {text}"


def _needs(method: Description) -> str:
    """Say what an estimate is made from; a scheme or a loss speaks of nothing and says nothing."""
    if not method["targets"]:
        return ""
    return f"`{method['needs']}`; blocks {_code(method['blocks'])}"


def _code(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _parameter(name: str, schema: Mapping[str, Any]) -> str:
    default = f", default {_json(schema['default'])}" if "default" in schema else ""
    return f"`{name}` ({_kind(schema)}{default})"


def _json(value: Any) -> str:
    from service.storage.engine import to_json

    return f"`{to_json(value)}`"


def _kind(schema: Mapping[str, Any]) -> str:
    """Say a JSON Schema in words."""
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(_json(value) for value in schema["enum"])
    if "const" in schema:
        return _json(schema["const"])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2].lower()
    kind = str(schema.get("type", "any value"))
    if kind == "array":
        inner = schema.get("items") or schema.get("prefixItems", [{}])[0]
        fixed = "maxItems" in schema and schema["maxItems"] == schema.get("minItems")
        return (
            f"list of {schema['maxItems']} {_kind(inner)}s" if fixed else f"list of {_kind(inner)}"
        )
    return kind


def _recommendations() -> Iterator[str]:
    """Yield the rules by which one interval per target is marked as recommended."""
    from service.api.catalogue import rules

    yield "The first of the order that could be built is recommended; what fits the learner again"
    yield "goes before the order, where a request names it."
    yield ""
    yield "| blocks | target | where a request names it | order of interval on variance | why |"
    yield "|---|---|---|---|---|"
    for rule in rules():
        blocks = f"`{rule.blocks}`" + (", models trained elsewhere" * rule.only_fixed_models)
        asked, order = _pairs(rule.where_asked), _pairs(rule.order)
        yield f"| {blocks} | `{rule.target}` | {asked} | {order} | {rule.reason} |"


def _pairs(order: Iterable[RankedInterval]) -> str:
    """Return intervals with the variances that they are built on."""
    return ", ".join(
        f"`{pair.interval}`" + (f" on `{pair.variance}`" if pair.variance else "") for pair in order
    )

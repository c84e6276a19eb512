"""What the study found, in sentences with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

Row = Mapping[str, Any]

SEVERAL: Final = 20
"""Plans of a cell from which its share says something."""


def write_findings(rows: Sequence[Row], words: Sequence[Row], plans: Sequence[Row]) -> str:
    """Return the section with what was found."""
    lines = ["## What was found", ""]
    lines += _describe_verdicts(rows)
    lines += _describe_words(words)
    lines += _describe_tests(rows)
    lines += _describe_plans(plans)
    return "\n".join([*lines, ""])


def _average(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _describe_verdicts(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a table of the verdict's size and power by design and target, over the cells."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row["subject"] == "verdict" and row["own_null"]:
            groups.setdefault((row["design"], row["target"], row["trained"]), []).append(row)
    yield "The verdict, averaged over losses and numbers of rows:"
    yield ""
    yield "| scheme | target | models | cells | size | least | largest | power |"
    yield "|---|---|---|---|---|---|---|---|"
    for (design, target, trained), of_group in groups.items():
        sizes = [row["size"] for row in of_group]
        powers = [row["power"] for row in of_group]
        yield (
            f"| {design} | {target} | {trained} | {len(sizes)} | {_average(sizes):.3f} | "
            f"{min(sizes):.3f} | {max(sizes):.3f} | {_average(powers):.3f} |"
        )
    yield ""


def _describe_words(words: Sequence[Row]) -> Iterator[str]:
    default = [row for row in words if row["default"]]
    for key, text in (
        ("any_false", "Any false word about three comparisons"),
        ("worse_equivalent", "`equivalent`, of a model that is worse by exactly the margin"),
        ("worse_not_worse", "`not_worse`, of a model that is worse by exactly the margin"),
        ("worse_better", "`better`, of a worse model"),
    ):
        values = [row[key][0] for row in default]
        worst = max(default, key=lambda row: row[key][0])
        yield (
            f"- {text}: {_average(values):.3f} on average over {len(values)} cells with the "
            f"default target, {worst[key][0]:.3f} at most ({worst['design']}, {worst['loss']}, "
            f"{worst['n']} rows, {worst['trained']})."
        )


def _describe_tests(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence with the tests that reject most often."""
    groups: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        if row["subject"] != "verdict" and row["own_null"]:
            groups.setdefault((row["name"], row["design"], row["target"]), []).append(row["size"])
    averages = sorted(((_average(sizes), key) for key, sizes in groups.items()), reverse=True)
    many = [(size, key) for size, key in averages if size > 0.075]
    yield (
        f"- Of {len(averages)} combinations of a test, a scheme and a target {len(many)} reject a "
        "true null hypothesis in more than 0.075 of the samples. The worst: "
        + "; ".join(f"`{name}` over {design} {size:.2f}" for size, (name, design, _) in many[:12])
        + "."
    )


def _describe_plans(plans: Sequence[Row]) -> Iterator[str]:
    by_unit: dict[str, list[Row]] = {}
    for row in plans:
        by_unit.setdefault(row["unit"], []).append(row)
    for unit, of_unit in by_unit.items():
        carried_out = sum(row["carried_out"] for row in of_unit)
        kept = sum(row["kept"][0] * row["carried_out"] for row in of_unit) / carried_out
        text = (
            f"- Plans in {unit} promise a chance of 0.80; {carried_out} were carried out and "
            f"{kept:.2f} of them showed the difference"
        )
        several = [row for row in of_unit if row["carried_out"] >= SEVERAL]
        if several:
            least = min(several, key=lambda row: row["kept"][0])
            text += (
                f", {least['kept'][0]:.2f} in the worst cell with {SEVERAL} plans "
                f"({least['design']}, {least['loss']}, {least['n']} rows)"
            )
        yield f"{text}."

"""What the study found, in sentences with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from thetahat.analyses.losses.plans import SPLITS_OF_STUDY
from thetahat_replications.test_errors.plan_checks import MAX_GROWTH
from thetahat_replications.test_errors.repeat_checks import average_decided

Row = Mapping[str, Any]

SEVERAL: Final = 20
"""Plans of a cell from which its share says something."""


def write_findings(
    rows: Sequence[Row], words: Sequence[Row], plans: Sequence[Row], repeats: Sequence[Row]
) -> str:
    """Return the section with what was found."""
    lines = ["## What was found", ""]
    lines += _describe_verdicts(rows)
    lines += _describe_words(words)
    lines += _describe_tests(rows)
    lines += _describe_plans(plans)
    lines += _describe_repeats(repeats)
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
    yield "| scheme | target | models | cells | size | least | largest | power | of the oracle's |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for (design, target, trained), of_group in groups.items():
        sizes = [row["size"] for row in of_group]
        powers = [row["power"] for row in of_group]
        of_oracle = _average([row["of_oracle"] for row in of_group])
        yield (
            f"| {design} | {target} | {trained} | {len(sizes)} | {_average(sizes):.3f} | "
            f"{min(sizes):.3f} | {max(sizes):.3f} | {_average(powers):.3f} | {of_oracle:.2f} |"
        )
    yield ""


def _describe_words(words: Sequence[Row]) -> Iterator[str]:
    default = [row for row in words if row["default"]]
    for key, text in (
        ("any_false", "Any false word about three comparisons"),
        ("worse_equivalent", "`equivalent`, of a model that is worse by exactly the margin"),
        ("worse_not_worse", "`not_worse`, of a model that is worse by exactly the margin"),
        ("worse_better", "`better`, of a worse model"),
        ("equal_better", "`better`, of an equally good model"),
        ("equal_worse", "`worse`, of an equally good model"),
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


PLANS: Final = {
    ("d", "margin"): "that assume the true difference of the worse model",
    ("d", "observed"): "that assume the observed difference, of the worse model",
    ("b", "observed"): "that assume the observed difference, of equal models",
}


def _describe_plans(plans: Sequence[Row]) -> Iterator[str]:
    for (model, assumes), words in PLANS.items():
        for unit in dict.fromkeys(row["unit"] for row in plans):
            of_unit = [
                row
                for row in plans
                if (row["model"], row["assumes"], row["unit"]) == (model, assumes, unit)
            ]
            if of_unit:
                yield _describe_plans_in_unit(of_unit, f"Plans in {unit} {words}")


def _describe_repeats(repeats: Sequence[Row]) -> Iterator[str]:
    for repeated, words in ((False, "one partition"), (True, "several partitions or draws")):
        of_kind = [row for row in repeats if row["repeated"] == repeated]
        if of_kind:
            undecided = sum(row["undecided"] for row in of_kind)
            ratios = [row["error_ratio"] for row in of_kind]
            yield (
                f"- Repeats of the same rows up to {SPLITS_OF_STUDY} splits decided "
                f"{average_decided(repeats, repeated=repeated):.2f} of {undecided} comparisons "
                f"with the worse model that were undecided after {words}. The standard error "
                f"became {min(ratios):.2f} to {max(ratios):.2f} of the first (medians of cells)."
            )


def _describe_plans_in_unit(rows: Sequence[Row], words: str) -> str:
    planned = sum(row["planned"] for row in rows)
    carried_out = sum(row["carried_out"] for row in rows)
    share = sum(row["shown"][0] * row["carried_out"] for row in rows) / carried_out
    showed = "a difference" if rows[0]["model"] == "b" else "that it is worse"
    text = (
        f"- {words}: {planned} were made and {carried_out} carried out (the others need more than "
        f"{MAX_GROWTH} times the data); {share:.2f} of the new experiments showed {showed}"
    )
    several = [row for row in rows if row["carried_out"] >= SEVERAL]
    if several:
        # the least for a true difference, the largest where there is none
        is_true = rows[0]["model"] == "d"
        worst = (min if is_true else max)(several, key=lambda row: row["shown"][0])
        text += (
            f", {worst['shown'][0]:.2f} in the worst cell with {SEVERAL} plans "
            f"({worst['design']}, {worst['loss']}, {worst['n']} rows)"
        )
    return f"{text}."

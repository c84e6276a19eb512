"""A study: the claims of its source, its coverage and its tests, with Monte-Carlo errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from thetahat_presentation.document import Cell, Document, Json, Name, Number, Section, Table
from thetahat_presentation.kinds.base import ModelPair, Presentation
from thetahat_presentation.numbers import count, format_level, format_number
from thetahat_presentation.parts.documents import build_other_document
from thetahat_presentation.parts.models import count_not_shown
from thetahat_presentation.wording import describe_repetitions, join_words

MOST_ROWS: Final = 200


def view(result: Json, request: Json, pair: ModelPair | None) -> Document:
    """Return the claims with their verdicts, then every table."""
    del request, pair
    tables = [_tabulate_claims(result), *map(_tabulate, result["tables"])]
    main = Section(name="main", title="Study", tables=tables)
    return build_other_document(result, describe_study(result), main)


def ask(result: Json, request: Json) -> list[str]:
    """Return the question."""
    del result, request
    return ["How do the estimators behave where the truth is known?"]


def describe_study(result: Json) -> list[str]:
    """Return what the study shows: its claims, its coverage, its tests, or only its size."""
    study = result.get("study") or {}
    repetitions = describe_repetitions(study) if "repetitions" in study else "no repetitions"
    tables = {table.get("name", ""): table["rows"] for table in result["tables"]}
    sentences = []
    if result.get("claims"):
        sentences.append(_count_claims([claim["verdict"] for claim in result["claims"]]))
    sentences += _describe_coverage(tables.get("intervals", ()))
    sentences += _describe_rejections(tables.get("tests", ()))
    if sentences:
        return [*sentences, f"The study has {repetitions}."]
    outputs = [(len(tables), "table"), (len(result.get("figures") or ()), "figure")]
    shown = [count(n, noun) for n, noun in outputs if n]
    made = f" It shows {join_words(shown)}." if shown else ""
    return [f"The study has {repetitions}.{made}"]


def _tabulate(table: Json) -> Table:
    """Return a table; each number is followed by its Monte-Carlo standard error."""
    notes = [table["note"]] if table.get("note") else []
    return Table(
        caption=table["title"],
        columns=list(table["columns"].values()),
        rows=[
            [_build_cell(row.get(key)) for key in table["columns"]]
            for row in table["rows"][:MOST_ROWS]
        ],
        notes=[*notes, *count_not_shown(len(table["rows"]), MOST_ROWS)],
    )


def _build_cell(cell: Any) -> Cell:
    if isinstance(cell, Mapping):
        return Number(cell["value"], cell["standard_error"], shows_error=True)
    return Name(cell.replace("_", " ")) if isinstance(cell, str) else Number(cell)


def _tabulate_claims(result: Json) -> Table:
    """Return the claims of the source with their verdicts."""
    claims: Sequence[Json] = result.get("claims") or ()
    has_reason = any(claim.get("undecided_because") for claim in claims)
    rows: list[dict[str, Cell]] = []
    for claim in claims:
        row: dict[str, Cell] = {
            "Claim": claim["text"],
            "Verdict": claim["verdict"],
            "Measured": claim["measured"],
            "Number": Number(claim.get("figure"), claim.get("standard_error")),
            "Claimed": _write_bounds(claim),
            "Place": ", ".join(filter(None, (claim.get("reference"), claim.get("place")))),
        }
        if has_reason:
            row["Undecided because"] = claim.get("undecided_because") or ""
        rows.append(row)
    return Table.of_rows("Claims of the source", rows)


def _write_bounds(claim: Json) -> str:
    limits = (("least", claim.get("at_least")), ("most", claim.get("at_most")))
    bounds = [f"at {side} {format_number(limit)}" for side, limit in limits if limit is not None]
    return " and ".join(bounds)


def _count_claims(verdicts: Sequence[str]) -> str:
    """Return how many claims of a source hold, fail and are undecided."""
    n_hold, n_fail = verdicts.count("holds"), verdicts.count("fails")
    n_undecided = len(verdicts) - n_hold - n_fail
    parts = [
        f"{n_hold} {'holds' if n_hold == 1 else 'hold'}",
        f"{n_fail} {'fails' if n_fail == 1 else 'fail'}",
        f"{n_undecided} {'is' if n_undecided == 1 else 'are'} undecided",
    ]
    return f"Of {count(len(verdicts), 'claim')} of the source, {join_words(parts)}."


def _describe_coverage(rows: Sequence[Json]) -> Iterator[str]:
    """Yield how often the intervals of each level contained the truth of their own target."""
    recommended = [row for row in rows if row.get("interval") == "recommended"]
    by_level: dict[float, list[float]] = {}
    for row in recommended or rows:
        cell = row.get("coverage")
        if isinstance(cell, Mapping) and cell["value"] is not None and "level" in row:
            by_level.setdefault(row["level"], []).append(cell["value"])
    kind = "recommended interval" if recommended else "interval"
    for level, shares in sorted(by_level.items(), reverse=True):
        subject = kind if len(shares) == 1 else f"{len(shares)} {kind}s"
        yield (
            f"The {subject} of level {format_level(level)} contained the truth of the target in "
            f"{_write_range(shares)} of the repetitions."
        )


def _describe_rejections(rows: Sequence[Json]) -> Iterator[str]:
    """Yield how often tests rejected where the models are equal, and where they differ."""
    for meaning, words in (("size", "equal"), ("power", "unequal")):
        shares = [
            row["rejected"]["value"]
            for row in rows
            if row.get("is") == meaning and row["rejected"]["value"] is not None
        ]
        if shares:
            subject = "The test" if len(shares) == 1 else f"The {len(shares)} tests"
            yield (
                f"{subject} found a difference between {words} models in {_write_range(shares)} of "
                "the repetitions."
            )


def _write_range(shares: Sequence[float]) -> str:
    """Return the smallest and the largest of several shares, in per cent."""
    low, high = (f"{100 * end:.3g}" for end in (min(shares), max(shares)))
    return f"{low if low == high else f'{low} to {high}'} %"


PRESENTATION = Presentation(name="study", title="Study", view=view, ask=ask)

"""The agreement of raters: pairs, all raters together, and two raters compared by their kappa."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from thetahat_presentation.document import (
    Cell,
    Document,
    Interval,
    Json,
    Name,
    Number,
    Pair,
    Section,
    Table,
)
from thetahat_presentation.kinds.base import ModelPair, Presentation
from thetahat_presentation.numbers import MISSING, format_count, format_interval, format_level
from thetahat_presentation.parts.documents import build_other_document
from thetahat_presentation.parts.models import build_estimate
from thetahat_presentation.parts.studied import tabulate_shares
from thetahat_presentation.wording import list_names, name_method

MOST_ASKED: Final = 6
"""Raters that the question lists."""
MEASURES: Final = {
    "observed": "Agreement",
    "kappa": "Kappa",
    "kappa_linear": "Kappa, linear weights",
    "kappa_quadratic": "Kappa, quadratic weights",
    "gwet_ac1": "AC1",
    "krippendorff_alpha": "Alpha",
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
}
"""The measures of a pair, in the order of their columns."""


def view(result: Json, request: Json, pair: ModelPair | None) -> Document:
    """Return the sentences and the tables of agreement."""
    del request, pair
    main = Section(
        name="main",
        title="How far do the raters agree?",
        tables=[
            _tabulate_pairs(result),
            _tabulate_all(result),
            _tabulate_differences(result),
            _tabulate_raters(result),
        ],
        more=[tabulate_shares(_list_intervals(result))],
        more_title="Do such intervals hold in simulations?",
    )
    return build_other_document(result, _list_sentences(result), main)


def ask(result: Json, request: Json) -> list[str]:
    """Return the question."""
    del request
    names, truth = list(result.get("raters", ())), result.get("truth")
    if truth is None:
        return [f"How far do {list_names(names, MOST_ASKED)} agree?"]
    others = [name for name in names if name != truth]
    return [f"How far do {list_names(others, MOST_ASKED)} agree with {truth}?"]


def _list_sentences(result: Json) -> list[str]:
    """Return the sentences of a result.

    Of several raters beside a truth all kappas come first, in place of the sentences about each
    pair, with which a result begins: the table has their numbers.
    """
    sentences = [str(each) for each in result.get("sentences", ())]
    pairs = result.get("pairs", ())
    if result.get("truth") is None or len(pairs) < 2:
        return sentences
    kappas = list_names([_write_kappa(each) for each in pairs], MOST_ASKED)
    level = format_level(result.get("level", 0.95))
    return [f"Kappa with {result['truth']} ({level} interval): {kappas}.", *sentences[len(pairs) :]]


def _write_kappa(pair: Json) -> str:
    """Return the first rater of a pair with kappa and its interval."""
    kappa = build_estimate(pair.get("kappa"))
    value, ends = format_interval(kappa.estimate, kappa.lower, kappa.upper, kappa.standard_error)
    return f"{pair['a']} {value}" if ends == MISSING else f"{pair['a']} {value} ({ends})"


def _tabulate_pairs(result: Json) -> Table:
    pairs = result.get("pairs", ())
    shown = [key for key in MEASURES if any(key in pair for pair in pairs)]
    level = format_level(result.get("level", 0.95))
    rows: list[list[Cell]] = [
        [
            Name(f"{pair['a']}, {pair['b']}"),
            format_count(pair["n"]),
            *(build_estimate(pair.get(key)) for key in shown),
        ]
        for pair in pairs
    ]
    return Table(
        caption=f"Pairs of raters, with {level} intervals",
        columns=["Raters", "Items", *(MEASURES[key] for key in shown)],
        rows=rows,
        notes=["The items of a pair are those that both raters rated."],
    )


def _tabulate_all(result: Json) -> Table:
    rows: list[list[Cell]] = [
        [name_method(key), format_count(each["n"]), build_estimate(each)]
        for key, each in result.get("coefficients", {}).items()
    ]
    return Table(
        caption="All raters together", columns=["Coefficient", "Items", "Agreement"], rows=rows
    )


def _list_intervals(result: Json) -> Iterator[tuple[str, Json]]:
    """Yield the intervals of pairs, of all raters and of differences by their names."""
    for pair in result.get("pairs", ()):
        for key, head in MEASURES.items():
            if key in pair:
                yield f"{head} of {pair['a']} and {pair['b']}", pair[key]
    for key, each in result.get("coefficients", {}).items():
        yield f"{name_method(key)} of all raters", each
    for each in result.get("differences", ()):
        yield f"Difference of kappa of {each['a']} and {each['b']}", each


def _tabulate_differences(result: Json) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "Raters": Pair(each["a"], each["b"]),
            "Items": format_count(each["n"]),
            "First": Number(each["kappa_a"], each["standard_error"]),
            "Second": Number(each["kappa_b"], each["standard_error"]),
            "Difference": Interval(
                each["lower"], each["upper"], each["standard_error"], each["difference"]
            ),
        }
        for each in result.get("differences", ())
    ]
    note = "Percentile intervals of a bootstrap over the items that all three rated."
    if any(each.get("simultaneous_pairs") for each in result.get("differences", ())):
        note += f" All {len(rows)} hold at once."
    return Table.of_rows(f"Kappa with {result.get('truth')}, compared", rows, [note])


def _tabulate_raters(result: Json) -> Table:
    raters = result.get("raters", {})
    categories = list(dict.fromkeys(key for each in raters.values() for key in each["shares"]))
    rows: list[list[Cell]] = [
        [
            Name(name),
            format_count(each["n"]),
            *(Number(each["shares"].get(key)) for key in categories),
        ]
        for name, each in raters.items()
    ]
    return Table(
        caption="How often each category was given",
        columns=["Rater", "Items", *categories],
        rows=rows,
    )


PRESENTATION = Presentation(name="agreement", title="Agreement", view=view, ask=ask)

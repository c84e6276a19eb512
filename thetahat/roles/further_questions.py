"""Questions beyond the means of models: groups, a judge, runs, time, and the agreement of raters.

Each sentence names the columns that serve, and the option of the command line that takes them.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from thetahat.roles.long_tables import LongColumns
from thetahat.roles.names import NameKind, is_name_of, is_rater_name, split_words
from thetahat.roles.proposals import Proposal, Role, list_of
from thetahat.tables.labels import list_names

MOST_GROUPS: Final = 30
"""Different values of a column whose groups one would describe."""
LISTED: Final = 8
INDEPENDENT: Final = "--blocks holdout if the rows are independent"


def list_further_questions(proposals: Mapping[str, Proposal]) -> Iterator[str]:
    """Yield the questions that a table with a row for each test instance may answer."""
    models = [proposal.name for proposal in list_of(proposals, Role.MODEL)]
    labels = list_of(proposals, Role.LABEL)
    few = [p.name for p in labels if p.column.distinct <= MOST_GROUPS]
    others: tuple[NameKind, ...] = ("item", "run", "time")
    yield _ask_about_groups([n for n in few if not any(is_name_of(kind, n) for kind in others)])
    yield _ask_about_judge(models, [name for name in proposals if is_rater_name(name)])
    items = [name for name, p in proposals.items() if is_name_of("item", name) and p.column.repeats]
    yield _answer(
        "How much runs of one item vary",
        items
        and f"with {_write_options('--item', items[:1])} (rows of one {items[0]} are its runs)",
        "A column of items, which several rows share, would be needed (--item COLUMN)",
    )
    times = [n for n, p in proposals.items() if is_name_of("time", n) and p.column.distinct > 1]
    yield _answer(
        "How neighbours in time depend on each other",
        times and f"with {_write_options('--time', times[:1])}",
        "A column with the time of each row would be needed (--time COLUMN)",
    )
    yield ask_about_raters(proposals)


def list_further_questions_of_long_table(columns: LongColumns) -> Iterator[str]:
    """Yield the questions that a table with a row for each item and model may answer."""
    groups = [label.name for label in columns.labels if label.column.distinct <= MOST_GROUPS]
    yield _ask_about_groups([*groups, *filter(None, [columns.task])])
    several = ", and how often one of several succeeds" if columns.n_runs > 1 else ""
    yield _answer(
        f"How much runs of one item vary{several}",
        several and f"items have up to {columns.n_runs} runs",
        "Several rows of one item and model would be needed, as of seeds or epochs",
    )


def _answer(question: str, yes: str | list[str], no: str) -> str:
    """Return whether a question can be answered: with what, if there is something, or why not."""
    return f"{question}: yes, {yes}." if yes else f"{question}: no. {no}."


def _ask_about_groups(names: list[str]) -> str:
    options = _write_options("--group", names)
    return _answer(
        "For whom a model is worst",
        names
        and f"by {list_names(names)} ({options}; --blocks holdout if the rows are independent)",
        "A column with groups of the rows, such as a language, would be needed (--group COLUMN)",
    )


def _ask_about_judge(models: Collection[str], ratings: Collection[str]) -> str:
    """Return what a judge's grades are for, where a column of them has the name of a model, too."""
    pairs = {
        model: grade
        for model in models
        for grade in ratings
        if set(split_words(model)) < set(split_words(grade))
    }
    options = " ".join(f"--judge {shlex.quote(f'{m}={grade}')}" for m, grade in pairs.items())
    question = "What grades of a judge add to labels"
    if pairs and len(pairs) < len(models):
        have = list_names([*pairs])
        return f"{question}: each model needs its own; there are those of {have} ({options})."
    return _answer(
        f"{question} of some rows" if pairs else question,
        options and f"with {options}",
        "A column of grades for each model would be needed (--judge MODEL=COLUMN)",
    )


def ask_about_raters(proposals: Mapping[str, Proposal]) -> str:
    """Return whether raters of the same rows can be compared."""
    raters = [
        name for name, p in proposals.items() if is_rater_name(name) and p.role is not Role.EMPTY
    ]
    options, command = _write_options("--rater", raters), "thetahat agreement FILE"
    return _answer(
        "How far raters agree",
        raters[1:] and f"of {list_names(raters)} ({command} {options})",
        "Two columns with ratings of the same rows would be needed "
        f"({command} --rater COLUMN --rater COLUMN)",
    )


def _write_options(option: str, names: list[str]) -> str:
    return " ".join(f"{option} {shlex.quote(name)}" for name in names[:LISTED])

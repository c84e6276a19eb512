"""Questions beyond the means of models: groups, a judge, runs, time, and the agreement of raters.

Each sentence names the columns that serve, and the option of the command line that takes them.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from thetahat_service.roles.long_tables import LongColumns
from thetahat_service.roles.names import (
    is_item_name,
    is_rater_name,
    is_run_name,
    is_time_name,
    split_words,
)
from thetahat_service.roles.proposals import Proposal, Role, list_of

MOST_GROUPS: Final = 30
"""Different values of a column whose groups one would describe."""
LISTED: Final = 8


def list_further_questions(proposals: Mapping[str, Proposal]) -> Iterator[str]:
    """Yield the questions that a table with a row for each test instance may answer."""
    models = [proposal.name for proposal in list_of(proposals, Role.MODEL)]
    labels = list_of(proposals, Role.LABEL)
    no_groups = (is_item_name, is_run_name, is_time_name)
    yield from _ask_about_groups(
        [
            p.name
            for p in labels
            if p.column.distinct <= MOST_GROUPS and not any(named(p.name) for named in no_groups)
        ]
    )
    yield from _ask_about_judge(models, [name for name in proposals if is_rater_name(name)])
    items = [name for name, p in proposals.items() if is_item_name(name) and p.column.repeats]
    if items:
        yield (
            f"How much runs of one item vary: yes, with {_write_options('--item', items[:1])} "
            f"(rows of one {items[0]} are its runs)."
        )
    else:
        yield (
            "How much runs of one item vary: no. A column of items, which several rows share, "
            "would be needed (--item COLUMN)."
        )
    times = [p for p in proposals.values() if is_time_name(p.name) and p.column.distinct > 1]
    if times:
        yield (
            f"How neighbours in time depend on each other: yes, with "
            f"{_write_options('--time', [times[0].name])}."
        )
    else:
        yield (
            "How neighbours in time depend on each other: no. A column with the time of each row "
            "would be needed (--time COLUMN)."
        )
    yield from list_questions_of_raters(proposals)


def list_further_questions_of_long_table(columns: LongColumns) -> Iterator[str]:
    """Yield the questions that a table with a row for each item and model may answer."""
    groups = [label.name for label in columns.labels if label.column.distinct <= MOST_GROUPS]
    yield from _ask_about_groups([*groups, *filter(None, [columns.task])])
    if columns.n_runs > 1:
        yield (
            f"How much runs of one item vary, and how often one of several succeeds: yes, items "
            f"have up to {columns.n_runs} runs."
        )
    else:
        yield (
            "How much runs of one item vary: no. Several rows of one item and model would be "
            "needed, as of seeds or epochs."
        )


def _ask_about_groups(names: list[str]) -> Iterator[str]:
    if names:
        yield (
            f"For whom a model is worst: yes, by {_list(names)} "
            f"({_write_options('--group', names)}; --blocks holdout if the rows are independent)."
        )
    else:
        yield (
            "For whom a model is worst: no. A column with groups of the rows, such as a language, "
            "would be needed (--group COLUMN)."
        )


def _ask_about_judge(models: Collection[str], ratings: Collection[str]) -> Iterator[str]:
    """Yield what a judge's grades are for, where a column of them has the name of a model, too."""
    pairs = {
        model: grade
        for model in models
        for grade in ratings
        if set(split_words(model)) < set(split_words(grade))
    }
    if pairs:
        options = " ".join(
            f"--judge {shlex.quote(f'{model}={grade}')}" for model, grade in pairs.items()
        )
        yield (
            f"What grades of a judge add to labels of some rows: yes, with {options}."
            if len(pairs) == len(models)
            else f"What grades of a judge add to labels: each model needs its own; there are those "
            f"of {_list([*pairs])} ({options})."
        )
    else:
        yield (
            "What grades of a judge add to labels: no. A column of grades for each model would be "
            "needed (--judge MODEL=COLUMN)."
        )


def list_questions_of_raters(proposals: Mapping[str, Proposal]) -> Iterator[str]:
    """Yield whether raters of the same rows can be compared."""
    raters = [
        name for name, p in proposals.items() if is_rater_name(name) and p.role is not Role.EMPTY
    ]
    if len(raters) > 1:
        yield (
            f"How far raters agree: yes, of {_list(raters)} (thetahat agreement FILE "
            f"{_write_options('--rater', raters)})."
        )
    else:
        yield (
            "How far raters agree: no. Two columns with ratings of the same rows would be needed "
            "(thetahat agreement FILE --rater COLUMN --rater COLUMN)."
        )


def _list(names: list[str]) -> str:
    return ", ".join(names[:LISTED]) + (
        f" and {len(names) - LISTED} more" if names[LISTED:] else ""
    )


def _write_options(option: str, names: list[str]) -> str:
    return " ".join(f"{option} {shlex.quote(name)}" for name in names[:LISTED])

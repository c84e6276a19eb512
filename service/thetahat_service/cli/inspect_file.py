"""``thetahat inspect``: how a file is understood, and which questions it can answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from thetahat_service.cli.evaluate_once import open_data
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.output import print_json, print_text

if TYPE_CHECKING:
    from thetahat_service.kinds.base import DatasetFile
    from thetahat_service.roles.profile import ColumnProfile

PANEL: Final = "Evaluations"
EXAMPLES: Final = 3
LONGEST_EXAMPLE: Final = 30
SCANNED: Final = 100
"""The first rows, from which the examples are taken."""


def add_commands(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("inspect", rich_help_panel=PANEL)(inspect_file)


def inspect_file(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Table of losses or scores, or a log.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show what each column of a file seems to be for, and which questions the file can answer."""
    if not file.is_file():
        message = f"There is no file {str(file)!r}."
        raise UserError(message)
    with open_data(file) as data:
        found = describe_file(data)
    if as_json:
        print_json(found)
        return
    print_text(f"{file}: {found['rows']} rows, {len(found['columns'])} columns")
    for column in found["columns"]:
        print_text(f"\n{column['name']}: {column['role']}, because it {column['reason']}")
        if column["examples"]:
            print_text(f"  for example {', '.join(column['examples'])}")
        if column["missing"]:
            first = column["first_missing"]
            print_text(f"  no value in {column['missing']} rows, the first is row {first}")
    print_text("\nQuestions")
    for sentence in found["questions"]:
        print_text(f"- {sentence}")


def describe_file(data: DatasetFile) -> dict[str, Any]:
    """Return rows, columns with their proposed roles, and questions, as JSON values."""
    from thetahat_service.data.reading import read_columns, read_labels
    from thetahat_service.in_process.files import profile_columns
    from thetahat_service.roles.proposals import find_model_column, propose_roles

    profiles = profile_columns(data)
    proposals = propose_roles(profiles.values())
    roles = {name: (str(p.role), p.reason) for name, p in proposals.items()}
    if find_model_column(profiles) is not None:
        long_roles, questions = _describe_long_table(data, profiles)
        roles |= long_roles
    else:
        from thetahat_service.roles.questions import list_questions

        questions = list_questions(proposals, data.rows)
    columns = []
    for name, profile in profiles.items():
        role, reason = roles[name]
        is_column = profile.is_numeric or profile.type == "string"
        read = read_labels if profile.type == "integer" else read_columns
        examples = read(data, [name])[name][:SCANNED].tolist() if is_column else []
        columns.append(
            {
                "name": name,
                "type": profile.type,
                "role": role,
                "reason": reason,
                "examples": _choose_examples(examples),
                "missing": profile.rows - profile.present,
                "first_missing": profile.first_missing,
            }
        )
    return {"rows": data.rows, "columns": columns, "questions": questions}


def _describe_long_table(
    data: DatasetFile, profiles: Mapping[str, ColumnProfile]
) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Return the roles of a long table by column, and the questions that it can answer."""
    from thetahat_service.data.reading import read_labels
    from thetahat_service.roles.long_tables import UnclearTable, read_long_table
    from thetahat_service.roles.questions import list_questions_of_long_table

    def read_values(name: str) -> list[Any]:
        values: list[Any] = read_labels(data, [name])[name].tolist()
        return values

    try:
        found = read_long_table(profiles, read_values, {})
    except UnclearTable as unclear:
        return {}, [f"{unclear} This has to be said before models can be compared."]
    roles = {
        found.model: ("model of the row", "has the name of models, and rows share its values"),
        found.item: ("item", "has the name of items, and models share its values"),
        found.score: ("score", "is the column of scores"),
        **dict.fromkeys(found.runs, ("run", "tells the runs of an item apart")),
        **{label.name: ("label", label.reason) for label in found.labels},
    }
    if found.task is not None:
        roles[found.task] = ("task", "has the name of tasks, and items share its values")
    items = len(set(map(str, read_values(found.item))))
    return roles, list_questions_of_long_table(found, items)


def _choose_examples(values: Sequence[Any]) -> list[str]:
    """Return the first different values that are not missing, shortened."""
    known = dict.fromkeys(str(v) for v in values if v is not None and v == v)  # noqa: PLR0124 - NaN
    return [
        text if len(text) <= LONGEST_EXAMPLE else f"{text[:LONGEST_EXAMPLE]}..."
        for text in list(known)[:EXAMPLES]
    ]

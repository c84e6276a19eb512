"""``thetahat inspect``: how a file is understood, and which questions it can answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thetahat_service.cli.evaluate_once import open_data
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.output import print_json, print_text


def inspect_file(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Table of losses or scores, or a log.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show what each column of a file seems to be for, and which questions the file can answer."""
    if not file.is_file():
        message = f"There is no file {str(file)!r}."
        if file.is_dir():
            message = f"{file} is a folder. Name a file in it; thetahat compare takes folders."
        raise UserError(message)
    with open_data(file) as data:
        from thetahat_service.cli.table_columns import describe_left_out, describe_reading
        from thetahat_service.data.understanding import understand_file

        found = understand_file(data, data.rows)
    if as_json:
        print_json(found)
        return
    print_text(f"{file}: {found['rows']} rows, {len(found['columns'])} columns")
    print_text(*describe_reading(data, ()), *describe_left_out(data))
    for column in found["columns"]:
        print_text(f"\n{column['name']}: {column['role']}, because it {column['reason']}")
        if column["examples"]:
            print_text(f"  for example {', '.join(column['examples'])}")
        if column["missing"]:
            first = column["first_missing"]
            marks = " or ".join(map(repr, column["missing_marks"]))
            written = f" (written {marks})" if marks else ""
            print_text(f"  no value in {column['missing']} rows{written}, the first is row {first}")
        for cell in column["first_not_numbers"]:
            print_text(f"  row {cell['row']} has {cell['value']!r}, which is no number")
    if found["columns_left_out"]:
        print_text(f"\n{found['columns_left_out']} more columns are not described.")
    print_text(f"\nKind of evaluation: {found['kind']}. {found['kind_reason']}")
    print_text("\nQuestions")
    for sentence in found["questions"]:
        print_text(f"- {sentence}")

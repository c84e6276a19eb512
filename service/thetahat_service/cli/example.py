"""``thetahat example``: real data to try the other commands with."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated, Final

import typer

from thetahat_service.cli.failures import UserError
from thetahat_service.cli.output import print_text

FILES: Final = {
    "exam_losses.csv": "squared errors of 3 models for 4059 pupils in 65 schools\n"
    "  thetahat compare exam_losses.csv --block school",
    "exam.csv": "the data: exam scores of these pupils, with features and school\n"
    "  thetahat inspect exam.csv",
    "exam_request.json": "a comparison of 3 learners on the data, for a running service\n"
    "  thetahat submit exam_request.json --data exam.csv --wait",
}
"""What each file has, and a command that takes it."""


def write_examples(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where to write them.", show_default=False)
    ] = Path(),
) -> None:
    """Write example files, real data of schools among them, and say what to do with them.

    A file that is there already is kept if its content is the same, and else refused.
    """
    if not folder.is_dir():
        raise UserError(f"There is no folder {str(folder)!r}.")
    contents = {name: _read(name) for name in FILES}
    for name, content in contents.items():
        path = folder / name
        if path.exists() and path.read_bytes() != content:
            message = f"{path} exists and is another file. Move it away, or name another folder."
            raise UserError(message)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
        print_text(f"{folder / name}: {FILES[name]}")


def _read(name: str) -> bytes:
    return resources.files("thetahat_service").joinpath("example_files", name).read_bytes()

"""``thetahat study``: run presets, and keep their results, tables and figures in files."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from thetahat_service.cli.connection import DEFAULT_URL, Url, connect
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.progress import wait_with_progress
from thetahat_service.cli.study_pages import build_study_files

if TYPE_CHECKING:
    from thetahat.values.json_values import JsonValue
    from thetahat_client import Client

DEFAULT_SEED: Final = 20_261_121
DEFAULT_FOLDER: Final = Path("docs/results")
VERDICTS: Final = ("holds", "fails", "undecided")


class StudyInput(TypedDict):
    """A file for a role of a preset, as a request names it."""

    dataset: str
    columns: dict[str, str | list[str]]
    task: str


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command, which apply to every preset."""

    seed: int
    repetitions: int | None
    overrides: tuple[str, ...]
    inputs: tuple[str, ...]

    def build_command(self, preset: str) -> str:
        """Return the command that gives the same numbers again."""
        words = ["thetahat study", preset, f"--seed {self.seed}"]
        if self.repetitions is not None:
            words.append(f"--repetitions {self.repetitions}")
        words += [f"--set '{text}'" for text in self.overrides]
        words += [f"--input '{text}'" for text in self.inputs]
        return " ".join(words)

    def request(self, preset: str, inputs: Mapping[str, StudyInput]) -> dict[str, object]:
        """Return the request that runs a preset."""
        request: dict[str, object] = {
            "kind": "study",
            "preset": preset,
            "name": preset,
            "seed": self.seed,
        }
        request.update(_parse_override(text) for text in self.overrides)
        if self.repetitions is not None:
            request["repetitions"] = self.repetitions
        if inputs:
            request["inputs"] = dict(inputs)
        return request


def study(
    presets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PRESET]...", help="Presets to run; all of them if none is named."),
    ] = None,
    repetitions: Annotated[
        int | None, typer.Option(help="Repetitions; by default as many as the preset says.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of every study.")] = DEFAULT_SEED,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=JSON", help="Override a parameter of the preset."),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="ROLE=FILE:COLUMNS",
            help="File for a role of the presets that have it, with its columns: "
            "reviews=amazon.npz:target=y,source=site (for numeric targets add task=regression).",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option(help="Folder in which each study gets a folder.")
    ] = DEFAULT_FOLDER,
    url: Url = DEFAULT_URL,
) -> None:
    """Run presets, and keep their tables and figures."""
    options = Options(seed, repetitions, tuple(overrides or ()), tuple(inputs or ()))
    with connect(url) as client:
        files = dict(_upload_input(client, text) for text in options.inputs)
        listed = client.methods("presets") if files or not presets else []
        roles = {item["name"]: item.get("roles", {}) for item in listed}
        for preset in presets or roles:
            own_files = {
                role: file for role, file in files.items() if role in roles.get(preset, {})
            }
            submitted = client.submit(options.request(preset, own_files))
            print(f"{preset}: evaluation {submitted.id}", file=sys.stderr)
            wait_with_progress(client, submitted.id)
            result = client.result(submitted.id, "study")
            _write(output / preset, build_study_files(result, options.build_command(preset)))
            verdicts = [claim["verdict"] for claim in result["claims"]]
            counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS)
            print(f"{preset}: {result['study']['repetitions']} repetitions; claims: {counts}")


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _parse_override(text: str) -> tuple[str, JsonValue]:
    """Return the name and the value of ``NAME=JSON``; a value that is not JSON is a string."""
    name, _, value = text.partition("=")
    try:
        parsed: JsonValue = json.loads(value)
    except ValueError:
        return name, value
    return name, parsed


def _upload_input(client: Client, text: str) -> tuple[str, StudyInput]:
    """Upload the file of a role; return the role and its entry in the request."""
    role, _, value = text.partition("=")
    file, _, words = value.rpartition(":")
    named = dict(word.split("=", 1) for word in words.split(",") if "=" in word)
    if not role or not file or not named:
        raise UserError(f"--input {text!r} must have the form ROLE=FILE:target=COLUMN,...")
    task = named.pop("task", "classification")
    columns: dict[str, str | list[str]] = {**named}
    if "features" in named:
        columns["features"] = named["features"].split("+")
    dataset = client.upload(file)
    return role, {"dataset": dataset.id, "columns": columns, "task": task}

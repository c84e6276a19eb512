"""``thetahat study``: redo results of the sources, and keep what came out."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from service.cli._client import add_command
from service.cli._study_pages import kept_as

if TYPE_CHECKING:
    from thetahat_client import Client

SEED: Final = 20_261_121
FOLDER: Final = "docs/results"


def register(commands: Any) -> None:
    """Add the command."""
    command = add_command(commands, "study", "run presets and keep tables and figures", _study)
    command.add_argument("preset", nargs="*", metavar="PRESET", help="which; none for all of them")
    command.add_argument("--repetitions", type=int, help="the preset's own, if left out")
    command.add_argument("--seed", type=int, default=SEED, help=f"of every study ({SEED})")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=JSON",
        help="override a parameter of the preset",
    )
    command.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="ROLE=FILE:COLUMNS",
        help="a file that plays a role, with its columns: reviews=amazon.npz:target=y,source=site "
        "(for numbers add task=regression); presets without the role do not get it",
    )
    command.add_argument(
        "--output", type=Path, default=Path(FOLDER), help=f"a folder for each goes here ({FOLDER})"
    )


def _study(client: Client, given: argparse.Namespace) -> int:
    from thetahat_client.progress import ProgressBar  # noqa: PLC0415 - late, so that --help is quick

    overrides = dict(_override(text) for text in given.set)
    inputs = dict(_input(client, text) for text in given.input)
    listed = [] if given.preset and not inputs else client.methods("presets")
    roles = {item["name"]: item.get("roles", {}) for item in listed}
    for preset in given.preset or list(roles):
        request = {"kind": "study", "preset": preset, "seed": given.seed, **overrides}
        if given.repetitions is not None:
            request["repetitions"] = given.repetitions
        own = {role: told for role, told in inputs.items() if role in roles.get(preset, {})}
        if own:
            request["inputs"] = own
        sent = client.submit(request)
        print(f"{preset}: evaluation {sent.id}", file=sys.stderr)
        client.wait(sent.id, on_progress=ProgressBar())
        result = client.result(sent.id)
        for name, content in kept_as(result, _command(given, preset)).items():
            path = given.output / preset / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        verdicts = [claim["verdict"] for claim in result["claims"]]
        told = ", ".join(f"{verdicts.count(v)} {v}" for v in ("holds", "fails", "undecided"))
        print(f"{preset}: {result['study']['repetitions']} repetitions; claims: {told}")
    return 0


def _override(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _input(client: Client, text: str) -> tuple[str, dict[str, Any]]:
    """Send the file of a role, and return what a request says of it."""
    role, _, rest = text.partition("=")
    file, _, words = rest.rpartition(":")
    columns: dict[str, Any] = dict(w.split("=", 1) for w in words.split(",") if "=" in w)
    if not role or not file or not columns:
        message = f"an input is ROLE=FILE:target=COLUMN,..., and this is {text!r}"
        raise ValueError(message)
    task = columns.pop("task", "classification")
    if "features" in columns:
        columns["features"] = columns["features"].split("+")
    sent = client.upload(file)
    return role, {"dataset": sent.id, "columns": columns, "task": task}


def _command(given: argparse.Namespace, preset: str) -> str:
    """Return the command that gives the same numbers again."""
    words = ["thetahat study", preset, f"--seed {given.seed}"]
    if given.repetitions is not None:
        words.append(f"--repetitions {given.repetitions}")
    words += [f"--set '{text}'" for text in given.set]
    words += [f"--input '{text}'" for text in given.input]
    return " ".join(words)

"""Commands in this process, with what they print."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, NamedTuple
from unittest import mock

from thetahat_service.cli import compared_files, main
from thetahat_service.cli.evaluate_once import evaluate_here
from thetahat_service.json_types import FileUnderstanding

SEED = 3


class Printed(NamedTuple):
    """The exit status of a command, and what it printed."""

    status: int
    out: str
    errors: str


def run_command(*words: object) -> Printed:
    """Run a command that evaluates, if it does, with one seed whatever the bytes of its file."""
    out, errors = io.StringIO(), io.StringIO()
    with with_one_seed(), redirect_stdout(out), redirect_stderr(errors):
        status = main([*map(str, words)])
    return Printed(status, out.getvalue(), errors.getvalue())


def inspect(path: object) -> FileUnderstanding:
    """Return how a file is understood."""
    printed = run_command("inspect", path, "--json")
    assert printed.status == 0, printed.errors
    found: FileUnderstanding = json.loads(printed.out)
    return found


@contextmanager
def with_one_seed() -> Iterator[None]:
    """Let ``compare`` and ``gate`` use one seed, which is else that of the file's bytes."""

    def compute_seeded(request: Mapping[str, Any], *data: Any, **logs: Any) -> Any:
        return evaluate_here({**request, "seed": SEED}, *data, **logs)

    with mock.patch.object(compared_files, "evaluate_here", compute_seeded):
        yield

"""The fenced blocks of README and docs, and how each is run against one service.

- ``sh``: one bash for all blocks of a page, in a folder of the page.
- ``python``: one namespace for all blocks of a page, in the same folder.
- ``json`` with a ``kind``: it is written to ``request.json`` and submitted; a data set with the
  columns that it names takes the place of ``"ID"``.
- ``text`` after a block that was run: its sentences must be in what that block has printed.

Everything else is in ``not_run.py`` with a reason.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.architecture.sources import ROOT
from tests.clients.not_run import NOT_RUN, SKIPPED_LINES
from tests.servers.processes import free_port
from tests.service.supervisor.processes import environment
from thetahat_client import Client
from thetahat_service.kinds.registry import JOB_KINDS

FENCE: Final = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
ADDRESS: Final = "http://127.0.0.1:8000"
OTHER_PORTS: Final = re.compile(r"\b80[1-9]\d\b")
"""Ports of services that a page starts itself; each becomes a free port."""
LONGEST_S: Final = 120.0
GIVEN_FILES: Final = {"clients/python/README.md": "visits.csv"}
"""Files of the reader's own that a page uses, by page; each has the columns of ``make_visits``."""
ROWS: Final = 120


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page.

    Parameters
    ----------
    page : str
        Path of the page from the root of the repository.
    language : str
        The word after the fence.
    text : str
        What is between the fences.
    """

    page: str
    language: str
    text: str

    @property
    def first_line(self) -> str:
        """The first line, by which ``NOT_RUN`` names the block."""
        return self.text.split("\n", 1)[0].strip()

    @property
    def reason(self) -> str | None:
        """Why the block is not run; None if it is."""
        for start, reason in NOT_RUN.get(self.page, {}).items():
            if self.first_line.startswith(start):
                return reason
        return None


def list_pages() -> list[Path]:
    """Return README and every page of the documentation."""
    pages = [ROOT / "README.md", ROOT / "clients" / "python" / "README.md"]
    return [*pages, *sorted((ROOT / "docs").rglob("*.md"))]


def read_blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    name = str(page.relative_to(ROOT))
    return [Block(name, language, text) for language, text in FENCE.findall(page.read_text())]


@dataclass
class PageRun:
    """Runs the blocks of one page.

    Parameters
    ----------
    url : str
        Address of the service that all pages share.
    folder : Path
        The folder in which the commands run; it has links to the folders of the repository.
    page : str
        Path of the page from the root of the repository.
    """

    url: str
    folder: Path
    page: str
    printed: str | None = None
    values: dict[str, Any] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        commands = self.folder / ".venv" / "bin"
        commands.mkdir(parents=True)
        python = shlex.quote(sys.executable)
        programs = {"python": "", "python3": "", "thetahat": " -m thetahat_service.cli"}
        for name, module in programs.items():
            (commands / name).write_text(f'#!/bin/sh\nexec {python}{module} "$@"\n')
            (commands / name).chmod(0o755)
        for name in ("docs", "clients", "docker-compose.yml"):
            (self.folder / name).symlink_to(ROOT / name)
        if self.page in GIVEN_FILES:
            (self.folder / GIVEN_FILES[self.page]).write_bytes(make_visits())
        self.environment = {
            **environment(),
            "THETAHAT_TESTS_LOAD_NOTHING": "1",  # a service of the page computes little
            "PATH": f"{commands}:{os.environ['PATH']}",
            "URL": self.url,
            "THETAHAT_URL": self.url,
            "THETAHAT_DATA_DIR": str(self.folder / "unused"),
        }
        self._shell = subprocess.Popen(
            ["bash", "--norc"],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def kill(self) -> None:
        """Kill the shell and all commands that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._shell.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the shell; a command that it has left in the background is ended, too."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._shell.pid, signal.SIGTERM)
        self._shell.communicate()

    def run(self, block: Block) -> None:
        """Run a block; an assertion fails if it does not do what the page says."""
        text = self.replace_addresses(block.text)
        if block.language == "sh":
            self.printed = self.run_shell(text)
        elif block.language == "python":
            self.printed = self.run_python(text)
        elif block.language == "json":
            self.submit(json.loads(text))
        elif block.language == "text" and self.printed is not None:
            check_output(text, self.printed)
        else:
            raise AssertionError(f"{block.page}: {block.first_line!r} is neither run nor listed.")

    def replace_addresses(self, text: str) -> str:
        """Replace the address of the pages by the service's, and other ports by free ones."""
        text = text.replace(ADDRESS, self.url)
        for port in OTHER_PORTS.findall(text):
            self.ports.setdefault(port, free_port())
            text = re.sub(rf"\b{port}\b", str(self.ports[port]), text)
        return text

    def run_shell(self, text: str) -> str:
        """Run commands in the bash of the page and return what they print."""
        lines = [line for line in text.splitlines() if not is_skipped(line)]
        script = self.folder / f".block-{uuid.uuid4().hex}.sh"
        script.write_text("\n".join(lines) + "\n")
        end = f"end-of-{script.stem}"
        assert self._shell.stdin is not None
        assert self._shell.stdout is not None
        watch = threading.Timer(LONGEST_S, self.kill)
        watch.start()
        printed: list[str] = []
        try:
            self._shell.stdin.write(f"set -eu\n. ./{script.name}\nset +eu\necho; echo {end}\n")
            self._shell.stdin.flush()
            for line in self._shell.stdout:
                if line.strip() == end:
                    return "".join(printed)
                printed.append(line)
        finally:
            watch.cancel()
        raise AssertionError(f"The commands\n{text}\nended with\n{''.join(printed)}")

    def run_python(self, text: str) -> str:
        """Run statements in the namespace of the page and return what they print."""
        output = io.StringIO()
        with (
            contextlib.chdir(self.folder),
            changed_environment(self.environment),
            contextlib.redirect_stdout(output),
        ):
            exec(compile(text, "<a block of the page>", "exec"), self.values)
        return output.getvalue()

    def submit(self, body: dict[str, Any]) -> None:
        """Submit a request and wait until it has succeeded."""
        assert "kind" in body, f"A part of a request is listed in not_run.py: {body}"
        (self.folder / "request.json").write_text(json.dumps(body))
        with Client(self.url) as client:
            if str(body.get("dataset", "")).startswith("ID"):
                table = make_table(body)
                body = {**body, "dataset": client.upload(table, media_type="text/csv").id}
            done = client.wait(client.submit(body).id, timeout=LONGEST_S)
        assert done.status == "succeeded", done.error


def is_skipped(line: str) -> bool:
    """Return whether a line of a shell block is one that no test runs."""
    return any(re.match(pattern, line.strip()) for pattern in SKIPPED_LINES)


def check_output(shown: str, printed: str) -> None:
    """Check that each sentence of a shown output has been printed, whatever the line breaks."""
    # All pages share one service, which counts how often their data were compared.
    words = re.sub(
        r"- This is comparison \d+ on this test set, [\w ]+\. ", "", " ".join(printed.split())
    )
    for sentence in re.split(r"(?<=[.:]) (?=[A-Z])", " ".join(shown.split())):
        assert sentence in words, f"{sentence!r} is not in {printed}"


@contextlib.contextmanager
def changed_environment(variables: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def make_visits() -> bytes:
    """Return a small data set of patients in hospitals."""
    rng, index = np.random.default_rng(1), np.arange(ROWS)
    hospitals, ages = [f"h{i % 6}" for i in index], rng.normal(60, 9, ROWS).round()
    return write_table({"hospital": hospitals, "age": ages, "readmitted": index % 2})


def make_table(body: dict[str, Any]) -> bytes:
    """Return a CSV with every column that a request names: labels, classes or numbers."""
    request: Any = JOB_KINDS[body["kind"]].request.model_validate(
        {**body, "dataset": str(uuid.uuid4())}
    )
    rng, index = np.random.default_rng(1), np.arange(ROWS)
    table: dict[str, Any] = {}
    for role, value in request.columns.model_dump().items():
        for name in list_names(value):
            if role in {"block", "source", "fold", "cluster", "instance"}:
                table[name] = [f"s{i % 10}" for i in index]
            elif role == "target" and body.get("task") == "classification":
                table[name] = index % 2
            else:
                table[name] = np.abs(rng.normal(1, 1, ROWS)).round(3)
    return write_table(table)


def list_names(value: Any) -> list[str]:
    """Return the names of columns in a role: one, several, or one for each model."""
    if isinstance(value, dict):
        return [name for entry in value.values() for name in list_names(entry)]
    return [value] if isinstance(value, str) else value or []


def write_table(table: dict[str, Any]) -> bytes:
    """Return a CSV of columns."""
    rows = [table, *zip(*table.values(), strict=True)]
    return "".join(",".join(map(str, row)) + "\n" for row in rows).encode()

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, committed_files

DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
HEADINGS = ["Context", "Decision", "Consequence", "Enforced by"]


def test_exact_make_help_lists_every_public_target() -> None:
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    phony = re.findall(r"^\.PHONY:(.*)$", text, re.MULTILINE)
    # Under `make test` this make is a child of another, and would speak of folders.
    alone = {k: v for k, v in os.environ.items() if k not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}}
    done = subprocess.run(
        ["make", "help"], cwd=ROOT, env=alone, capture_output=True, text=True, check=True
    )

    listed = [line.split()[0] for line in done.stdout.splitlines()]
    assert sorted(listed) == sorted(" ".join(phony).split())
    assert len(listed) > 10


def test_exact_there_are_decision_records() -> None:
    assert [path.name[:4] for path in DECISIONS] == [
        f"{i:04}" for i in range(1, len(DECISIONS) + 1)
    ]
    assert len(DECISIONS) >= 11


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_exact_a_decision_names_what_enforces_it(path: Path) -> None:
    text = path.read_text()
    enforced = text.rpartition("## Enforced by")[2]
    files = re.findall(r"`([\w./-]+/[\w./-]+)`", enforced)

    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == HEADINGS
    assert files or "pyproject.toml" in enforced
    assert [name for name in files if not (ROOT / name).exists()] == []


def test_exact_the_changelog_has_the_heading_for_numbers() -> None:
    assert "\n### Numerical changes\n" in (ROOT / "CHANGELOG.md").read_text()


def test_exact_the_contributing_guide_fits_two_pages() -> None:
    assert len((ROOT / "CONTRIBUTING.md").read_text().split()) < 1000


def test_exact_what_the_guide_to_adding_names_is_there() -> None:
    text = (ROOT / "docs" / "adding.md").read_text()
    paths = [f"/{path}" for path in committed_files()]
    code = [path for path in paths if path.endswith(".py")]
    source = "\n".join((ROOT / path[1:]).read_text(encoding="utf-8") for path in code)
    files = set(re.findall(r"`([\w./-]*(?:\.py|\.md|\.json|/))`", text))
    names = set(re.findall(r"`([A-Za-z]\w{3,})`", text))

    assert [name for name in sorted(files) if not any(f"/{name}" in path for path in paths)] == []
    assert [name for name in sorted(names) if name not in source] == []
    assert len(files) > 20
    assert len(names) > 20

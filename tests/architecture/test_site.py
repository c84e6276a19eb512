"""The documentation site has every page, as HTML and as Markdown, and a list for programs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.architecture.sources import ROOT

NAVIGATION = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
LISTED = re.compile(r"^- \[([^\]]+)\]\(([^)]+)\)(?:: (.*))?$", re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+\.md)(?:#[^)]*)?\)")


def pages(part: Any) -> list[str]:
    """Return the pages of a part of the navigation."""
    if isinstance(part, str):
        return [part]
    parts = part.values() if isinstance(part, dict) else part
    return [page for each in parts for page in pages(each)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site as ``make site`` builds it."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        check=True,
    )
    return folder


def test_exact_the_site_has_every_page() -> None:
    listed = pages(NAVIGATION)
    written = {
        str(path.relative_to(ROOT / "docs"))
        for folder in ("", "http", "tutorials", "results/speed")
        for path in (ROOT / "docs" / folder).glob("*.md")
    }
    assert sorted(listed) == sorted(written)


def test_exact_each_page_of_the_site_is_there_as_markdown_too(built: Path) -> None:
    docs = ROOT / "docs"
    html = {path.relative_to(built).with_suffix("") for path in built.rglob("*.html")}
    markdown = {path.relative_to(built).with_suffix("") for path in built.rglob("*.md")}
    as_html = {path.parent / "index" if path.name == "README" else path for path in markdown}

    assert as_html == html - {Path("404")}
    assert len(markdown) > len(pages(NAVIGATION))
    for path in markdown:
        name = f"{path}.md"
        assert (built / name).read_bytes() == (docs / name).read_bytes()
    assert not list(built.rglob("*.py"))


def test_exact_links_between_pages_lead_to_markdown_of_the_site(built: Path) -> None:
    broken = [
        (str(path.relative_to(built)), link)
        for path in built.rglob("*.md")
        for link in LINK.findall(path.read_text())
        if not (path.parent / link).exists()
        # The project's own files beside docs, which the site does not have.
        and not (ROOT / "docs" / path.relative_to(built).parent / link).exists()
    ]

    assert broken == []


def test_exact_the_list_for_programs_has_every_page_of_the_navigation(built: Path) -> None:
    text = (built / "llms.txt").read_text()
    listed = {name: (title, words) for title, name, words in LISTED.findall(text)}

    assert text.startswith("# thetahat\n\n> How good trained models are")
    assert sorted(listed) == sorted(pages(NAVIGATION))
    assert [name for name in listed if not (built / name).is_file()] == []
    assert listed["settings.md"][0] == "Settings"
    assert [n for n, (_, words) in listed.items() if not re.match(r"[A-Z`t].*[.]$", words)] == []
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert sections[:2] == ["Start", "Tutorials"]
    assert {"Explanations", "Reference", "Reference: The HTTP interface"} <= set(sections)
    assert [words for _, words in listed.values() if "](" in words or "```" in words] == []

"""Hooks of MkDocs: each page also as Markdown, and ``llms.txt``, a list of the pages, for programs.

A page is written as it stands, beside its HTML, so that its links to other pages lead to Markdown.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files

LIST: Final = "llms.txt"
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CODE: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_PROSE: Final = re.compile(r"[A-Za-z`\[*]")
_SENTENCE: Final = re.compile(r"(.*?[^.])[.:](?:\s|$)")
_ADVICE: Final = "Each page is Markdown. Links lead from page to page."


def on_env(env: Any, *, config: MkDocsConfig, files: Files) -> None:
    """Write the Markdown of every page and the list of those in the navigation."""
    del env  # a hook has the arguments that MkDocs hands over
    site = Path(config.site_dir)
    texts = {file.src_uri: file.content_string for file in files.documentation_pages()}
    for name, text in texts.items():
        target = site / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    lines = [f"# {config.site_name}", "", f"> {config.site_description}", "", _ADVICE]
    for section, pages in _list_sections("", config.nav or []):
        lines += ["", f"## {section}", ""]
        lines += [f"- [{title}]({name}){describe(texts[name])}" for title, name in pages]
    (site / LIST).write_text("\n".join([*lines, ""]), encoding="utf-8")


def _list_sections(name: str, entries: list[Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the pages of each section, with their titles; a section in another follows it."""
    pages: list[tuple[str, str]] = []
    inner = []
    for entry in entries:
        ((title, content),) = entry.items()
        if isinstance(content, str):
            pages.append((title, content))
        else:
            inner += _list_sections(f"{name}: {title}" if name else title, content)
    own = [(name or pages[0][0], pages)] if pages else []
    return own + inner


def describe(text: str) -> str:
    """Return a colon and the first sentence of a page's first paragraph; nothing without one."""
    for paragraph in _CODE.sub("", text).split("\n\n"):
        lines = [line for line in paragraph.splitlines() if not line.startswith("#")]
        if lines and _PROSE.match(lines[0]):
            words = _LINK.sub(r"\1", " ".join(lines))
            found = _SENTENCE.match(words)
            return f": {found[1] if found else words}."
    return ""

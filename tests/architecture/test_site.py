"""The documentation site has every page."""

from __future__ import annotations

from typing import Any

import yaml  # type: ignore[import-untyped]

from tests.architecture.sources import ROOT


def test_exact_the_site_has_every_page() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())

    def pages(part: Any) -> list[str]:
        if isinstance(part, str):
            return [part]
        parts = part.values() if isinstance(part, dict) else part
        return [page for each in parts for page in pages(each)]

    listed = pages(site["nav"])
    written = {
        str(path.relative_to(ROOT / "docs"))
        for folder in ("", "http", "tutorials", "results/speed")
        for path in (ROOT / "docs" / folder).glob("*.md")
    }
    assert sorted(listed) == sorted(written)

"""The tables of layers in docs/ARCHITECTURE.md are the import contracts of pyproject.toml."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.architecture.sources import ROOT

PAGE = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
CONTRACTS = {
    contract["name"]: contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
}


def documented_layers(heading: str) -> list[str]:
    """Return the first cells of a section's table, written as contracts have them."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`.*?) \| (?!`)", section, re.MULTILINE)
    return [re.sub(r"[`\\]", "", cell) for cell in cells]


@pytest.mark.parametrize(
    ("heading", "contract"),
    [
        ("The whole project", "Layers of the whole project"),
        ("The library", "Layers of the library"),
    ],
)
def test_exact_the_documented_layers_are_the_contract(heading: str, contract: str) -> None:
    assert documented_layers(heading) == CONTRACTS[contract]["layers"]


def test_exact_every_package_of_the_library_is_in_a_layer() -> None:
    words = set(re.findall(r"[a-z_.]+", " ".join(CONTRACTS["Layers of the library"]["layers"])))
    packages = {
        path.name for path in (ROOT / "thetahat").iterdir() if (path / "__init__.py").exists()
    }
    parents = {word.partition(".")[0] for word in words}

    assert packages <= words | parents

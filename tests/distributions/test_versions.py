"""One version stands in every place where a release has it."""

from __future__ import annotations

import re

import pytest

import thetahat
import thetahat_client
from tests.architecture.sources import ROOT

VERSION = re.escape(thetahat.__version__)
VERSIONED = re.findall(
    r"\S+",
    re.search(r"VERSIONED := ((?:.*\\\n)*.*)", (ROOT / "Makefile").read_text())[1],  # type: ignore[index]
)
PLACES = [name for name in VERSIONED if name != "\\"]


@pytest.mark.parametrize("place", PLACES)
def test_exact_the_version_is_the_same_in_every_place(place: str) -> None:
    lines = (ROOT / place).read_text().splitlines()
    named = [
        line
        for line in lines
        if re.search(r"(version|newTag).*\d+\.\d+\.\d+|thetahat[^ ]*==", line, re.IGNORECASE)
    ]
    named = [line for line in named if "cff-version" not in line]

    assert named
    assert [line for line in named if not re.search(rf"{VERSION}\b", line)] == []


def test_exact_the_client_has_the_version_of_the_library() -> None:
    assert thetahat_client.__version__ == thetahat.__version__

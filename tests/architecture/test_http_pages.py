"""The tables of formats, schemes and losses in docs/http are those of the code."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thetahat.losses import LOSSES
from thetahat.schemes import SCHEMES
from thetahat_service.data.formats import FORMATS

FOLDER = Path(__file__).parents[2] / "docs" / "http"
PAGE = "\n".join(path.read_text() for path in sorted(FOLDER.glob("*.md")))


def find_rows(first: str) -> list[list[str]]:
    """Return the cells of the table whose first heading is this."""
    table = PAGE.partition(f"\n| {first} |")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in row[1:-1].split("|")] for row in table.splitlines()[2:]]


def describe_parameters(method: Any) -> str:
    """Write the parameters with their defaults as the page has them."""
    parts = []
    for field in dataclasses.fields(method):
        if field.default is dataclasses.MISSING:
            parts.append(f"`{field.name}` (to be given)")
            continue
        default = json.dumps(field.default)
        parts.append(f"`{field.name}` " + (f"`{default}`" if default[0] == '"' else default))
    return ", ".join(parts) or "none"


def check_table(first: str, registry: Mapping[str, Any]) -> None:
    documented = {re.sub("`", "", row[0]): row[1] for row in find_rows(first)}

    assert documented == {name: describe_parameters(registry[name]) for name in registry}
    assert list(documented) == list(registry)


def test_exact_the_schemes_are_those_of_the_code() -> None:
    check_table("scheme", SCHEMES)


def test_exact_the_losses_are_those_of_the_code() -> None:
    check_table("loss", LOSSES)


def test_exact_the_formats_are_those_of_the_code() -> None:
    documented = {cells[1].strip("`"): cells[0] for cells in find_rows("file")}

    assert sorted(documented) == sorted(FORMATS)
    for media_type, words in documented.items():
        assert words.startswith(FORMATS[media_type].title)


def test_exact_a_scheme_s_blocks_are_its_own() -> None:
    for name, _, _, blocks in find_rows("scheme"):
        method = SCHEMES[name.strip("`")]
        kinds = [f"`{kind.value}`" for kind in method.info.blocks]
        assert blocks == (kinds[0] if len(kinds) == 1 else "as `blocks` says")


def test_exact_a_loss_looks_at_what_it_uses() -> None:
    words = {"output": {"the value", "the class"}, "probabilities": {"probabilities"}}
    words["scores"] = {"the decision value"}
    words |= {"regions": {"prediction sets or limits"}, "limits": {"prediction limits"}}
    for name, _, task, looks in find_rows("loss"):
        method = LOSSES[name.strip("`")]
        assert looks in words[method.uses]
        assert (method.task == "regression") == task.startswith("regression")

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.sources import ROOT
from thetahat.analyses.losses.rules import RULES
from thetahat.corrections import CORRECTIONS
from thetahat.families import collect_families
from thetahat.references import REFERENCES
from thetahat_service.api.catalogue import FAMILIES, read_family
from thetahat_service.cli import main

PAGE = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
# These import scikit-learn and describe its classes too, each by its own docstring.
SCIKIT_LEARN_S_TOO = {"learners", "transformers"}


def entry(name: str) -> list[str]:
    """Return the page's entries of that name; families may share one."""
    parts = re.split(r"\n(?=##)", PAGE)
    return [part for part in parts if part.startswith(f"### `{name}`\n")]


def listed() -> dict[str, Any]:
    """Return what the service says of every method of the core's families."""
    return {
        f"{name}/{item['name']}": item
        for name in FAMILIES
        if name not in SCIKIT_LEARN_S_TOO
        for item in read_family(name)["items"]
    }


def test_exact_the_committed_page_is_what_the_code_gives(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["reference"]) == 0

    assert capsys.readouterr().out == PAGE, "docs/methods.md is old: run `make docs`"


def test_exact_the_page_is_written_to_a_file(tmp_path: Path) -> None:
    assert main(["reference", "--output", str(tmp_path / "m.md")]) == 0

    assert (tmp_path / "m.md").read_text(encoding="utf-8") == PAGE


def test_exact_every_method_of_every_family_has_its_entry() -> None:
    names = [name for registry in collect_families().values() for name in registry]

    assert sorted(re.findall(r"^### `(\w+)`$", PAGE, re.MULTILINE)) == sorted(names)
    assert len(names) > 50


def test_exact_the_page_has_the_text_of_the_service() -> None:
    for item in listed().values():
        mine = [text for text in entry(item["name"]) if f"**{item['title']}.** " in text]
        assert len(mine) == 1
        for field in ("summary", "formula", "assumptions", "errs"):
            assert item[field] in mine[0]
        for name in item["parameters"]["properties"]:
            assert f"`{name}` (" in mine[0]
        for reference in item["references"]:
            assert f"`{reference['key']}`" in mine[0]
            assert f"- `{reference['key']}`: {REFERENCES[reference['key']]}\n" in PAGE


def test_exact_the_service_lists_every_method_of_the_core() -> None:
    names = {path.partition("/")[2] for path in listed()}
    core = {n for f, r in collect_families().items() if f not in {"learners", "steps"} for n in r}

    assert core - names == set()


def test_exact_every_correction_is_in_the_text() -> None:
    for name, correction in CORRECTIONS.items():
        info = correction.info
        assert info.name == name
        assert info.assumptions
        assert info.errs
        assert info.formula


def test_exact_formulas_and_rules_are_shown() -> None:
    formulas = re.findall(r"^\$\$\n(.+)\n\$\$$", PAGE, re.MULTILINE)
    table = PAGE.partition("| blocks | target |")[2]
    rules = re.findall(r"^\| `(\w+)`(, models \w+ \w+)? \| `(\w+)` \| ", table, re.MULTILINE)

    assert len(formulas) == PAGE.count("$$") / 2
    assert r"\frac{1}{N^2} \sum_i (e_i - \bar e)^2" in formulas
    assert [(blocks, bool(fixed), target) for blocks, fixed, target in rules] == [
        (rule.blocks.value, rule.only_fixed_models, rule.target.value) for rule in RULES
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("quadratic", "`bias` (list of 3 numbers or null, default `null`)"),
        (
            "quadratic",
            "`coefficients` (object of `a` (list of number), `b` (list of number), `c` (list of",
        ),
        ("random_effects", '`blocks` (`"random"` or `"source"` or '),
        ("mcnemar", '`variant` (`"exact"` or `"mid_p"` or '),
        ("k_fold", "`n_folds` (integer, default `10`)"),
        ("wilcoxon", "`correction` (boolean, default `false`)"),
    ],
)
def test_exact_parameters_have_types_and_defaults(name: str, text: str) -> None:
    assert text in entry(name)[0]


def test_exact_defaults_are_json() -> None:
    for default in re.findall(r", default `([^`]+)`", PAGE):
        json.loads(default)

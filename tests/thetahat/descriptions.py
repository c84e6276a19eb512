"""What the description of every method that speaks of a target has."""

from __future__ import annotations

from thetahat.references import REFERENCES
from thetahat.registry import MethodInfo


def check_description(info: MethodInfo, name: str) -> None:
    assert info.name == name
    for text in (info.title, info.formula):
        assert text.strip() == text != ""
    for sentence in (info.summary, info.assumptions, info.errs):
        assert sentence.strip() == sentence
        assert sentence.endswith(".")
    assert info.blocks
    assert info.targets
    assert info.references
    assert list(info.references) == sorted(set(info.references) & set(REFERENCES))

"""The catalogue of methods as it is read."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class FamilyLink(BaseModel):
    """One family."""

    name: str
    link: str


class MethodIndex(BaseModel):
    """All families, and how an interval is recommended."""

    families: list[FamilyLink]
    recommendation: list[dict[str, Any]] = Field(
        description="By kind of block and target: pairs of interval and variance, best first."
    )


class MethodFamily(BaseModel):
    """All methods of a family."""

    family: str
    items: list[dict[str, Any]] = Field(
        description="name, title, summary, formula, references, assumptions, errs, needs, blocks, "
        "targets, mean, and parameters as a JSON Schema."
    )

"""The catalogue of methods in responses."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class FamilyLink(BaseModel):
    """One family of methods."""

    name: str = Field(description="Name of the family.")
    link: str = Field(description="Path of its methods.")


class MethodIndex(BaseModel):
    """All families of methods, and how an interval is recommended."""

    families: list[FamilyLink] = Field(description="The families.")
    recommendation: list[dict[str, Any]] = Field(
        description="Pairs of interval and variance by kind of block and target, the best first."
    )


class MethodFamily(BaseModel):
    """All methods of a family."""

    family: str = Field(description="Name of the family.")
    items: list[dict[str, Any]] = Field(
        description="The methods, each with name, title, summary, formula, references, "
        "assumptions, errs, needs, blocks, targets, mean, and parameters as a JSON Schema."
    )

"""The catalogue of methods in responses."""

from __future__ import annotations

from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from thetahat.values.json_values import JsonValue


class FamilyLink(BaseModel):
    """One family of methods."""

    name: str = Field(description="Name of the family.")
    link: str = Field(description="Path of its methods.")


class MethodIndex(BaseModel):
    """All families of methods, and how an interval is recommended."""

    families: list[FamilyLink] = Field(description="The families.")
    recommendation: list[dict[str, JsonValue]] = Field(
        description="Pairs of interval and variance by kind of block and target, the best first."
    )


class MethodReference(BaseModel):
    """A publication that a method rests on."""

    key: str = Field(description="Short name of the publication.")
    text: str = Field(description="Authors, title and place of the publication.")


class MethodRead(BaseModel):
    """A method; the fields that some families lack are missing there."""

    name: str = Field(description="Name of the method in requests.")
    title: str = Field(description="Name of the method for people.")
    summary: str = Field(description="What it is, in a sentence or two.")
    parameters: dict[str, JsonValue] = Field(description="JSON Schema of its parameters.")
    formula: str | SkipJsonSchema[None] = Field(
        None, description="Formula in LaTeX; empty without one."
    )
    references: list[MethodReference] | SkipJsonSchema[None] = Field(
        None, description="Publications that it rests on."
    )
    assumptions: str | SkipJsonSchema[None] = Field(None, description="What it assumes.")
    errs: str | SkipJsonSchema[None] = Field(
        None, description="In which direction it errs when the assumptions fail."
    )
    needs: str | SkipJsonSchema[None] = Field(
        None, description="What it is computed from, such as losses or scores."
    )
    blocks: list[str] | SkipJsonSchema[None] = Field(
        None, description="Kinds of blocks for which it is valid."
    )
    targets: list[str] | SkipJsonSchema[None] = Field(
        None, description="The quantities that it can estimate."
    )
    mean: str | None = Field(None, description="The mean that it is about; null for neither.")
    tasks: list[str] | SkipJsonSchema[None] = Field(
        None, description="Of a learner or step: classification, regression or both."
    )
    origin: str | SkipJsonSchema[None] = Field(
        None, description="Of a learner or step: thetahat, scikit-learn or entry point."
    )
    acts_on: str | SkipJsonSchema[None] = Field(
        None, description="Of a step: the kind of columns that it is for."
    )
    package: str | SkipJsonSchema[None] = Field(
        None, description="Of an installed learner: its package."
    )
    version: str | SkipJsonSchema[None] = Field(
        None, description="Of an installed learner: the version of its package."
    )
    gives: str | SkipJsonSchema[None] = Field(
        None, description="Of a generator: what it draws, losses, data or pairs."
    )
    repetitions: int | SkipJsonSchema[None] = Field(
        None, description="Of a preset: repetitions without a number in the request."
    )
    roles: dict[str, str] | SkipJsonSchema[None] = Field(
        None, description="Of a preset: the data sets that it can use, by role."
    )


class MethodFamily(BaseModel):
    """All methods of a family."""

    family: str = Field(description="Name of the family.")
    items: list[MethodRead] = Field(description="The methods of the family.")

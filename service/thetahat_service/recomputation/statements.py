"""The statement of a bundle: an in-toto Statement (version 1) about its files.

Its subjects are the files with their SHA-256, and its predicate says what computed the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

import thetahat
from thetahat_service.recomputation.sources import RecomputedFrom

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:thetahat:evaluation:1"
PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleStatement:
    """A statement that was read."""

    digests: Mapping[str, str]
    """The SHA-256 of each file, by name."""
    predicate: Mapping[str, Any]
    """What computed the result."""


def write_statement(
    digests: Mapping[str, str],
    result: Mapping[str, Any],
    source: RecomputedFrom,
    identifier: str | None,
) -> bytes:
    """Return the statement about the files of a bundle as JSON.

    Parameters
    ----------
    digests : mapping of str to str
        The SHA-256 of each file, by name.
    result : mapping
        The result.
    source : RecomputedFrom
        What the result can be computed from again.
    identifier : str or None
        Id of the evaluation in the service that has it.
    """
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": name, "digest": {"sha256": digest}} for name, digest in digests.items()
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            **describe_computation(result),
            "evaluation": identifier,
            "recomputed_from": source.value,
            "stated_by": thetahat.__version__,
        },
    }
    return orjson.dumps(statement, option=orjson.OPT_INDENT_2)


def describe_computation(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return what computed a result: release, seed, digests and the names of methods."""
    provenance = result["provenance"]
    used = [{name: each[name] for name in ("family", "name")} for each in provenance["methods"]]
    methods = [each for place, each in enumerate(used) if each not in used[:place]]
    return {
        "kind": result["kind"],
        "version": provenance["version"],
        "seed": provenance["seed"],
        "data_sha256": provenance["data_sha256"],
        "request_sha256": provenance["spec_sha256"],
        "methods": methods,
    }


def parse_statement(content: bytes) -> BundleStatement:
    """Return a statement; ``ValueError`` with the reason, unless it is one about an evaluation."""
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"it is not JSON ({error})") from None
    if not isinstance(value, dict) or value.get("_type") != STATEMENT_TYPE:
        raise ValueError(f"its _type is not {STATEMENT_TYPE}")
    if value.get("predicateType") != PREDICATE_TYPE:
        raise ValueError(f"its predicateType is not {PREDICATE_TYPE}")
    try:
        digests = {str(each["name"]): str(each["digest"]["sha256"]) for each in value["subject"]}
        predicate = dict(value["predicate"])
    except (KeyError, TypeError, ValueError):
        message = "its subjects have no names with SHA-256, or it has no predicate"
        raise ValueError(message) from None
    if len(digests) < len(value["subject"]):
        raise ValueError("it has two digests of one file")
    return BundleStatement(digests=digests, predicate=predicate)

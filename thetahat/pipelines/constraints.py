"""Checking JSON parameters against scikit-learn's own parameter constraints.

Constraints that no JSON value can satisfy (callables, estimators, arrays of another library) are
left out, so a value that satisfies none of the others is refused before a job starts.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from functools import partial
from numbers import Integral, Real
from typing import Any, Final

from thetahat.errors import InvalidParameter, Loc, run_checks
from thetahat.pipelines.parameter_limits import (
    BY_LABEL,
    IRRELEVANT_PARAMETERS,
    MAX_INTEGER,
    MAX_VALUES,
    REFUSED_CLASS_PARAMETERS,
    REFUSED_PARAMETERS,
    REFUSED_VALUES,
    check_policy,
)
from thetahat.pipelines.schema_text import combine_schemas, describe_schema
from thetahat.similar_names import suggest_name
from thetahat.values.json_schema import JsonSchema
from thetahat.values.json_values import JsonValue

_TYPES: Final[dict[Any, str]] = {
    bool: "boolean",
    float: "number",
    int: "integer",
    Integral: "integer",
    Real: "number",
    str: "string",
    list: "array",
    tuple: "array",
}
_NAMED: Final[dict[str, JsonSchema]] = {
    "array-like": {"type": "array"},
    "boolean": {"type": "boolean"},
    "cv_object": {"type": "integer", "minimum": 2},
    "random_state": {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
}
_SCALAR: Final[list[JsonSchema]] = [{"type": t} for t in ("null", "boolean", "number", "string")]


def get_defaults(cls: Any) -> dict[str, Any]:
    """Return the parameters of a class with their defaults, in its own order."""
    parameters = inspect.signature(cls).parameters.values()
    return {p.name: p.default for p in parameters}


def check_params(cls: Any, params: Mapping[str, JsonValue], *, loc: Loc) -> dict[str, JsonValue]:
    """Return the parameters in the form the class accepts; raises ``InvalidParameter`` otherwise.

    Parameters
    ----------
    cls : type
        A class of the reviewed list.
    params : mapping
        JSON values by parameter name.
    loc : tuple
        Path of ``params`` in the request.
    """
    known = get_defaults(cls)
    owner = cls.__name__
    taken: dict[str, JsonValue] = {}

    def take(name: str, value: JsonValue) -> None:
        here = (*loc, name)
        if name not in known:
            settable = ", ".join(n for n in known if (owner, n) not in REFUSED_CLASS_PARAMETERS)
            near = suggest_name(name, known)
            raise InvalidParameter(
                f"{owner} has no parameter {name!r}{near}; it has {settable or 'none'}.",
                loc=here,
                value=value,
            )
        if name in IRRELEVANT_PARAMETERS and isinstance(value, bool):
            return
        check_policy(owner, name, value, known[name], loc=here)
        # Without a random state one is drawn, so a request's own is never dropped as a default.
        is_default = type(value) is type(known[name]) and value == known[name]
        if is_default and (name != "random_state" or value is None):
            return
        taken[name] = _check_value(cls, name, value, here)

    run_checks(*(partial(take, name, value) for name, value in params.items()))
    return taken


def _check_value(cls: Any, name: str, value: Any, loc: Loc) -> Any:
    accepted = _list_accepted(cls, name)
    if _is_finite(value):
        for constraint, schema in accepted:
            # Python's bool is an int, JSON's is not.
            if isinstance(value, bool) and schema.get("type") not in {"boolean", None}:
                continue
            if isinstance(value, Mapping) and schema.get("type") != "object":
                continue
            shaped = tuple(value) if constraint is tuple and isinstance(value, list) else value
            if _satisfies(constraint, shaped):
                return shaped
    words = describe_schema(combine_schemas([schema for _, schema in accepted]))
    raise InvalidParameter(
        f"{name} of {cls.__name__} must be {words}; got {value!r}.", loc=loc, value=value
    )


def _list_accepted(cls: Any, name: str) -> list[tuple[Any, JsonSchema]]:
    """Return the constraints that a JSON value can satisfy, with their schemas."""
    constraints = cls._parameter_constraints.get(name, "no_validation")
    if isinstance(constraints, str):
        return [("scalar", schema) for schema in _SCALAR]
    pairs = ((constraint, _build_schema(constraint, name)) for constraint in constraints)
    return [(constraint, schema) for constraint, schema in pairs if schema is not None]


def _satisfies(constraint: Any, value: Any) -> bool:
    if isinstance(constraint, str) and constraint == "scalar":
        return value is None or isinstance(value, bool | int | float | str)
    from sklearn.utils._param_validation import make_constraint  # noqa: PLC0415 - loaded late

    return bool(make_constraint(constraint).is_satisfied_by(value))


def _build_schema(constraint: Any, name: str) -> JsonSchema | None:
    """Return the JSON Schema of one constraint, or None where JSON cannot satisfy it."""
    from sklearn.utils import _param_validation as validation  # noqa: PLC0415 - loaded late

    if constraint is None:
        return {"type": "null"}
    if isinstance(constraint, str):
        named = _NAMED.get(constraint)
        return None if named is None else _cap_integer_schema(named, name)
    if constraint is dict and name == BY_LABEL:
        return {"type": "object", "additionalProperties": {"type": "number", "minimum": 0}}
    if isinstance(constraint, type):
        kind = _TYPES.get(constraint)
        return None if kind is None else _cap_integer_schema({"type": kind}, name)
    if isinstance(constraint, validation.Interval):
        return _build_interval_schema(constraint, name)
    if isinstance(constraint, validation.Options):
        refused = REFUSED_VALUES.get(name, {})
        options = [o for o in constraint.options - constraint.deprecated if o not in refused]
        plain = [o for o in options if isinstance(o, str | bool | int) or _is_finite(o)]
        return {"enum": sorted(plain, key=str)} if plain else None
    return {} if isinstance(constraint, validation.MissingValues) else None


def _build_interval_schema(interval: Any, name: str) -> JsonSchema:
    schema: JsonSchema = {"type": "integer" if interval.type is Integral else "number"}
    if interval.left is not None and math.isfinite(interval.left):
        if interval.closed in {"left", "both"}:
            schema["minimum"] = interval.left
        else:
            schema["exclusiveMinimum"] = interval.left
    if interval.right is not None and math.isfinite(interval.right):
        if interval.closed in {"right", "both"}:
            schema["maximum"] = interval.right
        else:
            schema["exclusiveMaximum"] = interval.right
    return _cap_integer_schema(schema, name)


def _cap_integer_schema(schema: JsonSchema, name: str) -> JsonSchema:
    """Return a schema with the largest value of a parameter, if it is a whole number."""
    if schema.get("type") != "integer":
        return schema.copy()
    own = schema.get("maximum", MAX_INTEGER)
    return {**schema, "maximum": min(own, MAX_VALUES.get(name, own))}


def _is_finite(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_is_finite(entry) for entry in value.values())
    if isinstance(value, list | tuple):
        return all(_is_finite(entry) for entry in value)
    return value is None or isinstance(value, str | bool | int) or _is_finite_number(value)


def _is_finite_number(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def build_params_schema(cls: Any) -> JsonSchema:
    """Return the JSON Schema of a class's parameters; refused ones are left out."""
    properties: dict[str, JsonSchema] = {}
    for name, value in get_defaults(cls).items():
        default = None if name == "random_state" else value
        if name in REFUSED_PARAMETERS or (cls.__name__, name) in REFUSED_CLASS_PARAMETERS:
            continue
        accepted = [schema for _, schema in _list_accepted(cls, name)]
        if default is None:
            accepted.append({"type": "null"})
        constant: JsonSchema = {"const": default}
        schema = combine_schemas(accepted) if accepted else constant
        if _is_finite(default) and default != "deprecated":
            schema["default"] = list(default) if isinstance(default, tuple) else default
        properties[name] = schema
    return {"type": "object", "properties": properties, "additionalProperties": False}

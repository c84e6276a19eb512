"""Building the methods that a request names, with their parameters checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from thetahat.analyses.losses import ChosenMethod
from thetahat.error_paths import located_errors
from thetahat.errors import EvaluationError, InvalidParameter, Loc, shorten_value
from thetahat.registry import Registry
from thetahat.similar_names import suggest_name
from thetahat_service.errors import FieldError, InvalidRequest, run_checks
from thetahat_service.kinds.fields.method_names import Method, MethodEntry
from thetahat_service.schemas.validation_messages import describe_error

M = TypeVar("M")


def make_method_entry(method: Method) -> MethodEntry[str]:
    """Return the method as an entry; a bare name becomes an entry without parameters."""
    return MethodEntry[str](name=method) if isinstance(method, str) else method


def parse_methods(
    registry: Registry[type[M]], methods: Sequence[Method], field: str
) -> tuple[ChosenMethod[M], ...]:
    """Build the methods that a list of the request names, each under a key of its own."""
    parsed: list[ChosenMethod[M]] = []

    def parse(i: int, method: Method) -> None:
        entry = make_method_entry(method)
        key = entry.as_ or entry.name
        if any(earlier.key == key for earlier in parsed):
            raise InvalidParameter(
                f"The method {key!r} is named twice. Give the second one another key with 'as'.",
                loc=(field, i),
                value=key,
            )
        built = build_method(registry, entry.name, entry.params, (field, i))
        parsed.append(ChosenMethod(key=key, name=entry.name, method=built, place=i))

    run_checks(*(partial(parse, i, method) for i, method in enumerate(methods)))
    return tuple(parsed)


def parse_method(registry: Registry[type[M]], method: Method, loc: Loc) -> M:
    """Build the one method that a field names; it needs no key, so ``as`` is refused."""
    entry = make_method_entry(method)
    if entry.as_ is not None:
        raise InvalidParameter(
            f"The method {entry.name} is the only one of its field and needs no key. Leave 'as' "
            "out.",
            loc=(*loc, "as"),
            value=entry.as_,
        )
    return build_method(registry, entry.name, entry.params, loc)


def build_method(
    registry: Registry[type[M]], name: str, params: Mapping[str, object], loc: Loc
) -> M:
    """Build one method, its parameters checked by type and by the method itself."""
    cls = registry.get_method(name, loc=(*loc, "name"))
    return build_with_parameters(cls, name, params, (*loc, "params"))


def build_with_parameters(cls: type[M], name: str, params: Mapping[str, object], path: Loc) -> M:
    """Build a method of this class; ``path`` is the place of the parameters in the request."""
    dataclass: Any = cls  # a type variable cannot say that the class is a dataclass
    parameters = [f.name for f in dataclasses.fields(dataclass) if f.init]

    def check_known(key: str) -> None:
        if key not in parameters:
            listed = ", ".join(parameters) or "none"
            near = suggest_name(key, parameters, "parameters")
            raise InvalidParameter(
                f"The method {name} has no parameter {key!r}{near}. Its parameters are: {listed}.",
                loc=(*path, key),
                value=shorten_value(params[key]),
            )

    run_checks(*(partial(check_known, key) for key in params))
    try:
        with located_errors(within=path):
            method: M = _make_adapter(dataclass).validate_python(dict(params))
    except ValidationError as error:
        raise _translate(error, name, path) from None
    return method


@cache
def _make_adapter(cls: Any) -> TypeAdapter[Any]:
    return TypeAdapter(cls)


def _translate(error: ValidationError, name: str, path: Loc) -> InvalidRequest:
    """Return pydantic's errors about the parameters of a method as an error of the service."""
    faults = []
    for item in error.errors(include_url=False):
        inner = item.get("ctx", {}).get("error")
        if isinstance(inner, EvaluationError):
            loc, message, value = inner.loc, inner.message, inner.value
        else:
            loc, value = item["loc"], shorten_value(item["input"])
            parameter = ".".join(map(str, loc))
            message = describe_error(item, f"The parameter {parameter} of {name}")
            if item["type"] == "missing":
                value = None
                message = f"The method {name} needs the parameter {parameter}. Give it in params."
        faults.append(FieldError((*path, *loc), message, value))
    return InvalidRequest(faults[0].message, errors=tuple(faults))

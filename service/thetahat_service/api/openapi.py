"""The OpenAPI document: FastAPI's, with the parts added that FastAPI cannot derive from routes.

These are the requests and results of every kind of evaluation, the data of the events, the ways to
send an API key, and the media type of errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from thetahat.values.json_schema import JsonSchema
from thetahat_service.api.deprecations import mark_deprecated
from thetahat_service.api.errors import MEDIA_TYPE
from thetahat_service.api.routes import (
    access,
    advice,
    imports,
    protocols,
    series,
    sign_offs,
    webhooks,
)
from thetahat_service.jobs.partial import IncludedChunks, IncludedLearners
from thetahat_service.kinds.examples import REQUEST, RESULT, WITH_DATASET, read_examples
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.schemas.batch import KEY_PATTERN, MAX_KEY_LENGTH, BatchRequest
from thetahat_service.schemas.evaluation import ANY_RESULT
from thetahat_service.schemas.events import EVENTS
from thetahat_service.schemas.openapi_examples import EXAMPLES
from thetahat_service.schemas.result_schemas import REF, SchemaBuilder

BATCH_PATH: Final = "/v1/evaluations/batch"
ANY_REQUEST: Final = "AnyRequest"
MODEL_REF: Final = "#/components/schemas/{model}"  # as pydantic fills it in
PARTIAL: Final = (
    "The learners, or chunks, that a partial result includes; only in the answer to partial=true "
    "while the evaluation runs."
)
POST_HEADERS: Final[tuple[tuple[str, str, JsonSchema], ...]] = (
    (
        "Idempotency-Key",
        "A request with the same key and body gets the first answer again.",
        {"minLength": 1, "maxLength": MAX_KEY_LENGTH, "pattern": KEY_PATTERN},
    ),
    ("Prefer", "With wait=N the answer has the result if it is there within N seconds.", {}),
)

OpenApiJson = dict[str, Any]


def choose_operation_id(route: APIRoute) -> str:
    """Return the name of a route's function, which is unique in the API."""
    return route.name


def build_openapi(app: FastAPI) -> OpenApiJson:
    """Return the document; it is built once."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
        )
        mark_deprecated(document["paths"])
        _add_requests(document)
        _add_bodies(document)
        _add_results(document)
        _add_understanding(document)
        _add_events(document)
        _add_authentication(document)
        _add_errors(document)
        _remove_titles(document)
        _remove_unused(document)
        app.openapi_schema = document
    return app.openapi_schema


def _add_requests(document: OpenApiJson) -> None:
    requests: dict[str, type[BaseModel]] = {name: kind.request for name, kind in JOB_KINDS.items()}
    refs = _add_models(document, list(requests.values()))
    _add_union(document, ANY_REQUEST, {name: refs[model] for name, model in requests.items()})
    post = document["paths"]["/v1/evaluations"]["post"]
    content = {
        "schema": {"$ref": REF.format(name=ANY_REQUEST)},
        "examples": _list_examples(REQUEST) | _list_examples(WITH_DATASET),
    }
    stored = document["paths"]["/v1/evaluations/{evaluation_id}/request"]["get"]["responses"]
    stored["200"]["content"] = {"application/json": {"schema": content["schema"]}}
    post["requestBody"] = {"required": True, "content": {"application/json": content}}
    post["parameters"] = [_describe_header(*header) for header in POST_HEADERS]


def _add_bodies(document: OpenApiJson) -> None:
    """Add the bodies of requests that routes parse themselves."""
    bodies: dict[str, type[BaseModel]] = {
        **access.BODIES,
        **sign_offs.BODIES,
        **series.BODIES,
        **protocols.BODIES,
        **webhooks.BODIES,
        **imports.BODIES,
        **advice.BODIES,
        BATCH_PATH: BatchRequest,
    }
    refs = _add_models(document, list(bodies.values()))
    for path, model in bodies.items():
        content = {"schema": {"$ref": refs[model]}}
        document["paths"][path]["post"]["requestBody"] = {
            "required": True,
            "content": {"application/json": content},
        }
    _complete_series(document)
    _complete_protocols(document)
    batch = document["paths"][BATCH_PATH]["post"]
    batch["parameters"] = [_describe_header(*POST_HEADERS[0])]
    example = {"items": [{"request": read_examples(REQUEST)["losses"], "idempotency_key": "a-1"}]}
    batch["requestBody"]["content"]["application/json"]["example"] = example


def _complete_series(document: OpenApiJson) -> None:
    """Add the headers and the examples of requests of series."""
    _complete_creation(document["paths"]["/v1/series"]["post"], EXAMPLES["series"])
    add = document["paths"]["/v1/series/{series_id}/batches"]["post"]
    add["parameters"] += [{**_describe_header(*POST_HEADERS[0]), "required": True}]
    add["requestBody"]["content"]["application/json"]["example"] = EXAMPLES["batch"]
    add["responses"]["201"]["content"]["application/json"]["example"] = EXAMPLES["look"]


def _complete_protocols(document: OpenApiJson) -> None:
    """Add the headers and the examples of requests of protocols."""
    _complete_creation(document["paths"]["/v1/protocols"]["post"], EXAMPLES["protocols"])
    withdraw = document["paths"]["/v1/protocols/{protocol_id}/withdraw"]["post"]
    content = withdraw["requestBody"]["content"]["application/json"]
    content["example"] = EXAMPLES["withdrawal"]


def _complete_creation(post: OpenApiJson, examples: Mapping[str, OpenApiJson]) -> None:
    """Add the header and the examples of a request that creates something once."""
    post["parameters"] = [_describe_header(*POST_HEADERS[0])]
    content = post["requestBody"]["content"]["application/json"]
    content["examples"] = {name: {"value": body} for name, body in examples.items()}


def _describe_header(name: str, text: str, rules: JsonSchema) -> dict[str, Any]:
    return {
        "name": name,
        "in": "header",
        "schema": {"type": "string", **rules},
        "description": text,
    }


def _add_results(document: OpenApiJson) -> None:
    """Add the results of the kinds as one union with the discriminator ``kind``."""
    builder = SchemaBuilder()
    provenance = builder.add(Provenance)
    partial: JsonSchema = {
        "anyOf": [builder.add(IncludedLearners), builder.add(IncludedChunks)],
        "description": PARTIAL,
    }
    refs: dict[str, str] = {}
    summaries: list[JsonSchema] = []
    for name, kind in JOB_KINDS.items():
        refs[name] = builder.add(kind.result)["$ref"]
        schema = builder.definitions[kind.result.__name__]
        schema["properties"] |= {"provenance": provenance, "partial": partial}
        schema["required"] = [
            *(name for name in schema["required"] if name != "provenance"),
            "provenance",
        ]
        if summary := schema["properties"].get("summary"):
            bare_summary = summary.copy()
            bare_summary.pop("description", None)
            summaries.append(bare_summary)
    for path, answer in advice.ANSWERS.items():
        post = document["paths"][path]["post"]["responses"]["200"]
        post["content"] = {"application/json": {"schema": builder.add(answer)}}
    components = document["components"]["schemas"]
    for name, schema in builder.definitions.items():
        if components.setdefault(name, schema) != schema:
            raise RuntimeError(f"Two schemas of the OpenAPI document have the name {name!r}.")
    distinct = [summary for i, summary in enumerate(summaries) if summary not in summaries[:i]]
    for name in ("EvaluationRead", "FinishedEvaluation"):
        components[name]["properties"]["summary"]["anyOf"] = [*distinct, {"type": "null"}]
    _add_union(document, ANY_RESULT, refs)
    responses = document["paths"]["/v1/evaluations/{evaluation_id}/result"]["get"]["responses"]
    content = {"schema": {"$ref": REF.format(name=ANY_RESULT)}, "examples": _list_examples(RESULT)}
    responses["200"]["content"] = {"application/json": content}


def _add_understanding(document: OpenApiJson) -> None:
    """Add the example of how a file is understood, whose nulls FastAPI would leave out."""
    get = document["paths"]["/v1/datasets/{dataset_id}/understood"]["get"]
    get["responses"]["200"]["content"]["application/json"]["example"] = EXAMPLES["understanding"]


def _list_examples(name: str) -> dict[str, Any]:
    """Return the example of every kind that has one, with the kind's title."""
    return {
        kind: {"summary": JOB_KINDS[kind].title, "value": body}
        for kind, body in read_examples(name).items()
    }


def _add_union(document: OpenApiJson, name: str, refs: dict[str, str]) -> None:
    """Add a component that is the union of others, by the value of their field ``kind``."""
    document["components"]["schemas"][name] = {
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "kind", "mapping": refs},
    }


def _add_events(document: OpenApiJson) -> None:
    """Describe the stream: the data of an event is JSON, by the event's name."""
    refs = _add_models(document, list(EVENTS.values()))
    path = "/v1/evaluations/{evaluation_id}/events"
    content = document["paths"][path]["get"]["responses"]["200"]["content"]
    items = content["text/event-stream"]["itemSchema"]
    properties = items.pop("properties")
    items["oneOf"] = [
        {
            "properties": {
                **properties,
                "event": {"type": "string", "const": name},
                "data": {
                    "type": "string",
                    "contentMediaType": "application/json",
                    "contentSchema": {"$ref": refs[model]},
                },
            }
        }
        for name, model in EVENTS.items()
    ]


def _add_models(document: OpenApiJson, models: list[type[BaseModel]]) -> dict[type[BaseModel], str]:
    """Add the schemas of pydantic models, and return the reference to each."""
    refs, definitions = models_json_schema(
        [(model, "validation") for model in models], ref_template=MODEL_REF
    )
    components = document.setdefault("components", {}).setdefault("schemas", {})
    components.update(definitions.get("$defs", {}))
    return {model: refs[model, "validation"]["$ref"] for model in models}


def _add_authentication(document: OpenApiJson) -> None:
    document["components"]["securitySchemes"] = {
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key; `thetahat keys create NAME` makes one.",
        },
        "header": {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "The same key in a header of its own.",
        },
    }
    # The empty entry: a local client needs no key until the first key is made. It applies to all
    # operations, because generators require a key of an operation that names one by itself.
    document["security"] = [{"bearer": []}, {"header": []}, {}]
    for path, operations in document["paths"].items():
        if not path.startswith("/v1/"):
            for operation in operations.values():
                operation["security"] = []


def _add_errors(document: OpenApiJson) -> None:
    """Give errors their own media type, and every operation the response for any other error."""
    problem = {"schema": {"$ref": REF.format(name="ProblemDocument")}}
    for operations in document["paths"].values():
        for operation in operations.values():
            responses = operation["responses"]
            for status, response in responses.items():
                if status >= "400" and status != "503" and "content" in response:
                    response["content"] = {MEDIA_TYPE: problem}
            responses.setdefault(
                "default", {"description": "An error.", "content": {MEDIA_TYPE: problem}}
            )


def _remove_titles(document: OpenApiJson) -> None:
    """Remove the titles that pydantic makes of field names; only components keep theirs.

    Generators make a class of each title, which is then one class for every field of that name.
    """
    for component in document["components"]["schemas"].values():
        for inner in _iterate_inner_schemas(component):
            _remove_title(inner)
    for operations in document["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                _remove_title(parameter["schema"])


def _remove_title(schema: JsonSchema) -> None:
    schema.pop("title", None)
    for inner in _iterate_inner_schemas(schema):
        _remove_title(inner)


def _iterate_inner_schemas(schema: JsonSchema) -> Iterator[JsonSchema]:
    """Yield the schemas of an object's fields, of a list's entries and of a union's members."""
    yield from schema.get("properties", {}).values()
    for member_list in (
        schema.get("anyOf"),
        schema.get("oneOf"),
        schema.get("allOf"),
        schema.get("prefixItems"),
    ):
        yield from member_list or ()
    for inner in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(inner, dict):
            yield inner


def _remove_unused(document: OpenApiJson) -> None:
    """Remove the schemas that nothing refers to, such as those of FastAPI's own errors."""
    components = document["components"]["schemas"]
    used: set[str] = set()
    unread = _find_component_names(document["paths"])
    while unread:
        used |= unread
        unread = set().union(*(_find_component_names(components[name]) for name in unread)) - used
    document["components"]["schemas"] = {name: components[name] for name in sorted(used)}


def _find_component_names(value: Any) -> set[str]:
    """Return the names of the components that a part of the document refers to."""
    if isinstance(value, dict):
        reference = value.get("$ref")
        direct = {reference.rpartition("/")[2]} if isinstance(reference, str) else set()
        return direct.union(*map(_find_component_names, value.values()))
    return set().union(*map(_find_component_names, value)) if isinstance(value, list) else set()

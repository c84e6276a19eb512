"""The OpenAPI document: FastAPI's, with the requests of every kind and the ways to prove a key."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from service.api.errors import MEDIA_TYPE
from service.kinds.examples import REQUEST, read_examples
from service.kinds.registry import JOB_KINDS

REF: Final = "#/components/schemas/{model}"
POST_HEADERS: Final = (
    ("Idempotency-Key", "The same key and body give the first answer again."),
    ("Prefer", "wait=N answers with the result when it is there within N seconds."),
)


def openapi_of(app: FastAPI) -> dict[str, Any]:
    """Return the document, made once."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
        )
        _add_requests(document)
        _add_keys(document)
        _say_problem_json(document)
        app.openapi_schema = document
    return app.openapi_schema


def _add_requests(document: dict[str, Any]) -> None:
    models = {name: kind.request for name, kind in JOB_KINDS.items()}
    refs, definitions = models_json_schema(
        [(model, "validation") for model in models.values()], ref_template=REF
    )
    components = document.setdefault("components", {}).setdefault("schemas", {})
    components.update(definitions.get("$defs", {}))
    mapping = {name: refs[model, "validation"]["$ref"] for name, model in models.items()}
    post = document["paths"]["/v1/evaluations"]["post"]
    schema: dict[str, Any] = {"oneOf": [{"$ref": ref} for ref in mapping.values()]}
    schema["discriminator"] = {"propertyName": "kind", "mapping": mapping}
    examples = {
        name: {"summary": JOB_KINDS[name].title, "value": body}
        for name, body in read_examples(REQUEST).items()
    }
    content = {"application/json": {"schema": schema, "examples": examples}}
    post["requestBody"] = {"required": True, "content": content}
    post["parameters"] = [
        {"name": name, "in": "header", "schema": {"type": "string"}, "description": text}
        for name, text in POST_HEADERS
    ]


def _add_keys(document: dict[str, Any]) -> None:
    document["components"]["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer", "description": "thetahat keys create NAME"},
        "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    }
    for path, operations in document["paths"].items():
        if path.startswith("/v1/"):
            for operation in operations.values():
                # The empty one: on loopback, while no key was ever made, none is needed.
                operation["security"] = [{"bearer": []}, {"header": []}, {}]


def _say_problem_json(document: dict[str, Any]) -> None:
    """Give refusals their own media type, and every operation its general refusal."""
    problem = {"schema": {"$ref": REF.format(model="ProblemDocument")}}
    for operations in document["paths"].values():
        for operation in operations.values():
            answers = operation["responses"]
            for status, answer in answers.items():
                if status >= "400" and "content" in answer:
                    answer["content"] = {MEDIA_TYPE: problem}
            answers.setdefault(
                "default", {"description": "A problem.", "content": {MEDIA_TYPE: problem}}
            )

"""The ASGI application: its routes, middleware and error handlers."""

from __future__ import annotations

from types import MethodType
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute

import thetahat
from thetahat_service.api.compression import CompressionMiddleware
from thetahat_service.api.errors import HANDLERS
from thetahat_service.api.head_requests import HeadMiddleware
from thetahat_service.api.openapi import build_openapi, choose_operation_id
from thetahat_service.api.request_middleware import RequestMiddleware
from thetahat_service.api.routes import (
    access,
    advice,
    advice_pages,
    batches,
    catalogue_pages,
    datasets,
    evaluations,
    events,
    explorer,
    figures,
    imports,
    ladder_pages,
    ladders,
    leaderboards,
    list_pages,
    log_in,
    meta,
    methods,
    pages,
    protocol_pages,
    protocols,
    provider_log_in,
    recomputation,
    reports,
    results,
    series,
    series_pages,
    sign_offs,
    study_pages,
    submission_pages,
    webhooks,
)
from thetahat_service.api.unknown_parameters import refuse_unknown_parameters

DESCRIPTION = (
    "Estimates how good a trained model is, how certain that estimate is, and whether one model is "
    "better than another. Send losses, predictions or data; every number of a result names what it "
    "is an estimate of."
)


def create_app() -> FastAPI:
    """Return a new application; it connects to the database at the first request."""
    handlers: dict[Any, Any] = dict(HANDLERS)
    app = FastAPI(
        title="thetahat",
        version=thetahat.__version__,
        description=DESCRIPTION,
        redirect_slashes=False,
        docs_url=None,  # FastAPI's own pages load scripts from another host
        redoc_url=None,
        exception_handlers=handlers,
        generate_unique_id_function=choose_operation_id,
        dependencies=[Depends(refuse_unknown_parameters)],
    )
    app.add_middleware(CompressionMiddleware)
    app.add_middleware(HeadMiddleware)
    app.add_middleware(RequestMiddleware)  # the last one added is the outermost
    modules = (
        evaluations,
        batches,
        results,
        figures,
        reports,
        recomputation,
        sign_offs,
        events,
        datasets,
        imports,
        series,
        protocols,
        ladders,
        leaderboards,
        webhooks,
        methods,
        advice,
        advice_pages,
        access,
        meta,
        explorer,
        study_pages,
        submission_pages,
        list_pages,
        pages,
        series_pages,
        protocol_pages,
        ladder_pages,
        catalogue_pages,
        log_in,
        provider_log_in,
    )
    routers = [module.router for module in modules]
    for router in routers:
        app.include_router(router)
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    app.state.methods = [(route.path, route.path_regex, route.methods) for route in routes]
    app.openapi = MethodType(build_openapi, app)  # type: ignore[method-assign]
    return app


app = create_app()

"""The application: its routes and what every request passes."""

from __future__ import annotations

from types import MethodType

from fastapi import FastAPI
from fastapi.routing import APIRoute

import thetahat
from service.api.errors import HANDLERS
from service.api.openapi import openapi_of
from service.api.routes import (
    datasets,
    evaluations,
    events,
    explorer,
    figures,
    meta,
    methods,
    results,
)
from service.api.startup_middleware import Gate

DESCRIPTION = (
    "How good a learned model is, how sure one can be of it, and whether one is really better than "
    "another. Send losses, predictions or data; every answer names what it speaks of."
)


def create_app() -> FastAPI:
    """Return a new application; what it needs is opened at the first request."""
    app = FastAPI(
        title="thetahat",
        version=thetahat.__version__,
        description=DESCRIPTION,
        redirect_slashes=False,
        docs_url=None,  # FastAPI's own pages load scripts from a foreign host
        redoc_url=None,
        exception_handlers=HANDLERS,
    )
    app.add_middleware(Gate)
    modules = (evaluations, results, figures, events, datasets, methods, meta, explorer)
    routers = [module.router for module in modules]
    for router in routers:
        app.include_router(router)
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    app.state.methods = [(route.path_regex, route.methods) for route in routes]
    app.openapi = MethodType(openapi_of, app)  # type: ignore[method-assign]
    return app


app = create_app()

"""The catalogue of methods."""

from __future__ import annotations

from fastapi import APIRouter, Response

from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.catalogue import build_index, read_family
from thetahat_service.api.documents import build_json_response
from thetahat_service.api.problem_responses import describe_problems
from thetahat_service.schemas.methods import MethodFamily, MethodIndex

router = APIRouter(prefix="/v1/methods", tags=["methods"])


@router.get("", response_model=MethodIndex)
async def list_method_families() -> Response:
    """List the families of methods, and the rules by which an interval is recommended."""
    return build_json_response(build_index())


@router.get("/{family_name}", response_model=MethodFamily, responses=describe_problems(404))
async def list_methods(family_name: str) -> Response:
    """List the methods of a family; the first list of learners takes seconds."""
    return build_json_response(await run_in_thread(read_family, family_name))

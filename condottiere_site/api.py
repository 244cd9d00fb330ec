"""The interface for programs, put together from each app's router, and its schema as JSON and as a page."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.renderers import JSONRenderer

from accounts import api as accounts_api
from accounts.api_problems import MEDIA_TYPE, ApiProblem, as_json, problem, problem_of_status
from condottiere_site.api_input import errors_of
from games.api import arranging, gathering, hosting, playing, reading, watching
from games.chat.api import channels, deals, showing
from games.leagues import api as leagues_api
from games.services import Refused

METHODS = ("get", "post", "delete")
_PROBLEM = {
    "type": "object",
    "required": ["status", "title", "code", "detail"],
    "properties": {
        "status": {"type": "integer"},
        "title": {"type": "string"},
        "code": {"type": "string", "description": "A word for programs, which stays the same."},
        "detail": {"type": "string", "description": "A sentence for people, in their language."},
        "errors": {"type": "array", "description": "The fields that are wrong."},
    },
}


class ReadableJSON(JSONRenderer):
    """Answers in letters that people can read in every language, not in numbers of theirs."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:
        """Return the answer's bytes."""
        return as_json(data, cls=self.encoder_class)


api = NinjaAPI(
    title="Condottiere by email",
    renderer=ReadableJSON(),
    version="1",
    urls_namespace="api",
    openapi_url="",
    docs_url=None,
)
for router in (
    accounts_api.router,
    reading.router,
    playing.router,
    arranging.router,
    gathering.router,
    hosting.router,
    watching.router,
    channels.router,
    deals.router,
    showing.router,
    leagues_api.router,
):
    api.add_router("", router)


@api.exception_handler(ApiProblem)
def _told(request: HttpRequest, error: ApiProblem) -> HttpResponse:
    return problem(error.status, error.code, error.detail, error.errors)


@api.exception_handler(Refused)
def _refused(request: HttpRequest, error: Refused) -> HttpResponse:
    return problem(error.status, "too-many" if error.status == 429 else "refused", str(error))


@api.exception_handler(Http404)
def _not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem_of_status(404)


@api.exception_handler(AuthenticationError)
def _no_token(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    response = problem(401, "no-token", _("This needs a token. Make one on your page of tokens."))
    response["WWW-Authenticate"] = "Bearer"
    return response


@api.exception_handler(ValidationError)
def _bad_input(request: HttpRequest, error: ValidationError) -> HttpResponse:
    said = _("The request has a missing, wrong or unknown field.")
    return problem(422, "bad-input", said, errors_of(error.errors))


@api.exception_handler(HttpError)
def _unreadable(request: HttpRequest, error: HttpError) -> HttpResponse:
    return problem(error.status_code, "bad-json", _("The body of the request isn’t JSON."))


@cache
def openapi() -> dict[str, Any]:
    """Return the schema of the interface, with what every request has in common."""
    schema: dict[str, Any] = api.get_openapi_schema()
    schema["components"]["schemas"]["Problem"] = _PROBLEM
    answer = {
        "description": "A problem (RFC 9457)",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for operations in schema["paths"].values():
        for operation in operations.values():
            operation["responses"] = {str(code): told for code, told in operation["responses"].items()}
            operation["responses"]["4XX"] = answer
            operation["responses"]["503"] = answer
            if "204" in operation["responses"]:
                operation["responses"]["204"].pop("content", None)
    return schema


@require_safe
def schema(request: HttpRequest) -> HttpResponse:
    """Return the schema of the interface as JSON (OpenAPI)."""
    return JsonResponse(openapi())

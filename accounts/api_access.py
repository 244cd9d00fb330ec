"""The person a program acts for, and what it may do: checked before anything else of a request."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.security import HttpBearer

from accounts.api_problems import ApiProblem
from accounts.models import ApiToken, User

_TOKEN = "api_token"  # noqa: S105 - of a request


def put_token(request: HttpRequest, token: ApiToken | None) -> None:
    """Note the token that came with a request: its owner, and no session, makes the request."""
    setattr(request, _TOKEN, token)


def token_with(request: HttpRequest) -> ApiToken | None:
    """Return the token that came with a request."""
    token: ApiToken | None = getattr(request, _TOKEN, None)
    return token


def owner_of_token(request: HttpRequest) -> User:
    """Return the person for whom the program acts."""
    token = token_with(request)
    assert token is not None
    return token.user


class Bearer(HttpBearer):
    """Require a token with a scope; `or_none` also lets requests without any token through."""

    scope: ApiToken.Scope

    def __init__(self, *, or_none: bool = False) -> None:
        self.openapi_description = f"A token that may {self.scope}"
        super().__init__()
        self.or_none = or_none

    def __call__(self, request: HttpRequest) -> bool:
        """Return whether the request may go on. Raises ApiProblem for a token without the scope."""
        token = token_with(request)
        if token is None:
            return self.or_none
        if self.scope not in token.scopes:
            said = _("This token doesn’t allow that. Make one that does, on your page of tokens.")
            raise ApiProblem(403, "wrong-scope", said)
        return True

    def authenticate(self, request: HttpRequest, token: str) -> bool:
        """Return whether the request may go on; `accounts` reads the header only once, before."""
        return self(request)


class ReadToken(Bearer):
    """Require a token that may read."""

    scope = ApiToken.Scope.READ


class PlayToken(Bearer):
    """Require a token that may play."""

    scope = ApiToken.Scope.PLAY


class ChatToken(Bearer):
    """Require a token that may write in channels."""

    scope = ApiToken.Scope.CHAT


READ, PLAY, CHAT, ANYONE = ReadToken(), PlayToken(), ChatToken(), ReadToken(or_none=True)
# In the schema of what anyone may read: without a token, or with one
NO_TOKEN_NEEDED: dict[str, list[dict[str, list[str]]]] = {"security": [{}, {"ReadToken": []}]}

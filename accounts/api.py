"""The interface for programs: the person for whom a program acts."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest
from ninja import Router, Schema

from accounts.api_access import READ, owner_of_token, token_with

router = Router(tags=["accounts"])


class Me(Schema):
    """The person for whom the program acts, and what its token allows."""

    name: str
    is_bot: bool
    language: str
    time_zone: str
    scopes: list[str]
    token_expires_at: datetime | None


@router.get("/me", auth=READ, response=Me, summary="The person for whom the program acts")
def me(request: HttpRequest) -> Me:
    """Return the person's name, language and time zone, and what the token allows."""
    person, token = owner_of_token(request), token_with(request)
    assert token is not None
    return Me(
        name=person.shown_name,
        is_bot=person.is_bot,
        language=person.language,
        time_zone=person.time_zone,
        scopes=token.scopes,
        token_expires_at=token.expires_at,
    )

"""Make a table by its form, and find an invitation with its email's link."""

from typing import Any

from django.test import Client

from games import services
from games.links import invitation_token
from games.models import Invitation, Table


def make_by_form(client: Client, **fields: Any) -> Any:
    typed = {"name": "Friday table", "size": 3, "entry": "invitation", "invited": "", "note": ""} | fields
    return client.post("/tables/new/", typed)


def invitation_to(table: Table, email: str) -> tuple[Invitation, str]:
    invitation = services.invite(table, email)
    return invitation, f"/invitation/{invitation_token(invitation)}/"

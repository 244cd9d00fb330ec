"""A program that asks the site for JSON with a token."""

from __future__ import annotations

from typing import Any

from django.test import Client

from accounts.api_tokens import make_token
from accounts.models import User

ALL = ("read", "play", "chat")


class Program:
    """A program of a person, or of no one."""

    def __init__(self, person: User | None = None, scopes: tuple[str, ...] = ALL) -> None:
        self.client = Client()
        self.headers: dict[str, str] = {}
        if person is not None:
            _row, text = make_token(person, "A program", scopes, None)
            self.headers["Authorization"] = f"Bearer {text}"

    def get(self, path: str, data: Any = None, **headers: str) -> Any:
        return self.client.get(f"/api/v1/{path}", data, headers=self.headers | headers)

    def post(self, path: str, body: Any = None) -> Any:
        kind = "application/json"
        return self.client.post(f"/api/v1/{path}", body, content_type=kind, headers=self.headers)

    def delete(self, path: str) -> Any:
        return self.client.delete(f"/api/v1/{path}", headers=self.headers)


def told(answer: Any, status: int = 200) -> Any:
    """Return what the site answered, as JSON."""
    assert answer.status_code == status, answer.content
    kind = "application/json" if status < 400 else "application/problem+json"
    assert answer["Content-Type"].startswith(kind)
    return answer.json()

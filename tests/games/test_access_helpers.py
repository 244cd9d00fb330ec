"""A visitor without an account is not taken for a seat without a person."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.test import RequestFactory

from games import access
from games.models import Seat
from tests.games.playing import seat_table

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("get", [access.get_table, access.get_hosted_table])
def test_an_anonymous_visitor_is_no_bot_and_no_guest(get: Any, anna: Any) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    Seat.objects.create(table=table, number=1, bot="recruit")
    table.host = None
    table.save()
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    with pytest.raises(Http404):
        get(request, table.pk)

"""The headers of every answer, and requests that every page refuses."""

from typing import Any

import pytest
from csp.decorators import csp_replace
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from accounts.mail.models import OutgoingEmail

pytestmark = pytest.mark.django_db


def test_a_page_may_load_nothing_from_elsewhere_and_be_framed_by_no_one(client: Client) -> None:
    response = client.get("/")
    policy = dict(part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'self'"
    assert policy["img-src"] == "'self' data:"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["form-action"] == "'self'"
    assert "unsafe" not in response["Content-Security-Policy"]
    assert response["X-Frame-Options"] == "DENY"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["X-Content-Type-Options"] == "nosniff"


def test_a_view_may_ask_for_another_policy_for_its_own_answer() -> None:
    def picture(request: HttpRequest) -> HttpResponse:
        return HttpResponse("")

    def policy_of(view: Any) -> str:
        return str(CSPMiddleware(view)(RequestFactory().get("/"))["Content-Security-Policy"])

    assert "img-src 'none'" in policy_of(csp_replace({"img-src": ["'none'"]})(picture))
    assert policy_of(picture) == Client().get("/")["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/accounts/signup/", "/nowhere/"])
def test_the_first_pages_hold_no_inline_style_or_script(client: Client, path: str) -> None:
    page = client.get(path).content.decode()
    assert "style=" not in page
    assert "<style" not in page
    assert "<script>" not in page
    assert " onclick" not in page


def test_another_host_name_is_refused(client: Client) -> None:
    assert client.get("/", headers={"host": "evil.example.org"}).status_code == 400


def test_a_foreign_form_is_refused() -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post("/accounts/login/", {"login": "anna@example.org"}).status_code == 403


@pytest.mark.parametrize("origin", ["null", "http://evil.example.org", "http://testserver:8001"])
def test_a_form_with_a_right_token_from_another_origin_is_refused(origin: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.get("/accounts/login/")
    form = {"login": "nobody@example.org", "csrfmiddlewaretoken": client.cookies["csrftoken"].value}
    assert client.post("/accounts/login/", form, headers={"origin": origin}).status_code == 403
    assert client.post("/accounts/login/", form, headers={"origin": "http://testserver"}).status_code != 403


def test_an_unknown_page_is_404(client: Client) -> None:
    assert client.get("/nowhere/").status_code == 404


def test_the_operator_s_pages_do_not_exist_for_others(client: Client, stranger, signed_in) -> None:
    for visitor in (client, signed_in(stranger)):
        assert visitor.get("/operator/emails/").status_code == 404


def test_the_admin_asks_for_signing_in_with_the_site_s_own_page(client: Client) -> None:
    response = client.get("/operator/admin/")
    assert response.status_code == 302
    location = client.get(response["Location"])["Location"]
    assert location.startswith(str(settings.LOGIN_URL))


def test_the_cache_holds_without_redis() -> None:
    cache.set("seen", 3, 60)
    assert cache.get("seen") == 3


def test_sign_in_codes_cannot_be_asked_for_without_end(anna) -> None:
    answers = [Client().post("/accounts/login/", {"login": anna.email}) for _ in range(8)]
    assert answers[0].status_code == 302
    assert 1 <= OutgoingEmail.objects.filter(to_address=anna.email).count() <= 3

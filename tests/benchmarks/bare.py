"""The yardstick: a Django view without session, database or template."""

from django.http import HttpRequest, HttpResponse
from django.urls import path

from tests.own_urls import own_urls


def bare(request: HttpRequest) -> HttpResponse:
    return HttpResponse("Hello.")


urlpatterns = [path("", bare)]
by_own_urls = own_urls(__name__)

"""The yardstick: a Django view without session, database or template."""

from django.http import HttpRequest, HttpResponse
from django.urls import path


def bare(request: HttpRequest) -> HttpResponse:
    return HttpResponse("Hello.")


urlpatterns = [path("", bare)]

"""Outermost middleware, applied to every response."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse


class EmptyHead:
    """Remove the body of HEAD responses, because a web server may send it and corrupt a kept connection."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse | StreamingHttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
        response = self._get_response(request)
        if request.method != "HEAD":
            return response
        if isinstance(response, StreamingHttpResponse):
            response.streaming_content = []
        else:
            response.content = b""
        return response

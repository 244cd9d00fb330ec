"""What happens to every answer, outside of all other middleware."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse


class EmptyHead:
    """Answers HEAD with headers alone: a web server may send the body, and spoil a kept connection."""

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

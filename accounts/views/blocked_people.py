"""The page of people whom a person blocks."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.blocking import block_key, blocks_of, unblock
from accounts.models import User


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def my_blocks(request: HttpRequest) -> HttpResponse:
    """Show the user's blocks, and remove one."""
    user = cast(User, request.user)
    if request.method == "POST":
        _unblock(request, user)
        return redirect("my_blocks")
    blocks = [(one, block_key(one)) for one in blocks_of(user)]
    return render(request, "accounts/blocks.html", {"blocks": blocks})


def _unblock(request: HttpRequest, user: User) -> None:
    if unblock(user, request.POST.get("block", "")):
        messages.success(request, _("You no longer block this person."))
    else:
        messages.info(request, _("You don’t block this person."))

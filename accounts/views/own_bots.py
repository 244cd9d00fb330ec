"""The pages of a person's own bots: make one, rename it, give its program tokens, close it."""

from __future__ import annotations

from typing import Any, cast

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.api_tokens import MOST_TOKENS_OF_A_BOT, make_token, remove_token
from accounts.bots import MOST_BOTS, bots_of, close_bot, make_bot, rename_bot
from accounts.forms.api_tokens import NewTokenForm
from accounts.forms.own_bots import BotNameForm
from accounts.models import User
from accounts.push import targets
from accounts.push.target_forms import WakingForm
from accounts.push.target_views import MOST_ADDED
from accounts.rate_limits import hit

MOST_MADE, MOST_TOKENS_MADE = 10, 30  # per day of a person
LONGEST_TARGET_NAME = 60
USUAL_SCOPES = ["read", "play"]


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def my_bots(request: HttpRequest) -> HttpResponse:
    """List the user's bots, and make one."""
    user = cast(User, request.user)
    form = BotNameForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        made = make_bot(user, form.cleaned_data["name"]) if hit("bot", str(user.pk), MOST_MADE) else None
        if made is not None:
            messages.success(request, _("You made a bot. Give its program a token."))
            return redirect("my_bot", made.pk)
        form.add_error(None, _why_not_made(user))
    bots = list(bots_of(user))
    context = {"form": form, "bots": bots, "is_full": len(bots) >= MOST_BOTS, "most": MOST_BOTS}
    return render(request, "accounts/bots.html", context, status=422 if form.errors else 200)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def my_bot(request: HttpRequest, bot_id: int) -> HttpResponse:
    """Show a bot of the user's with its tokens, and rename it."""
    bot = _own_bot(request, bot_id)
    form = BotNameForm(request.POST if request.method == "POST" else None, initial={"name": bot.name})
    if request.method == "POST" and form.is_valid():
        rename_bot(bot, form.cleaned_data["name"])
        messages.success(request, pgettext("answer to a form", "Saved."))
        return redirect("my_bot", bot.pk)
    return _show(request, bot, name_form=form)


@login_required
@never_cache
@require_POST
def make_bot_token(request: HttpRequest, bot_id: int) -> HttpResponse:
    """Make a token for a bot's program; only this answer shows it. The owner gets an email."""
    bot = _own_bot(request, bot_id)
    user, form = cast(User, request.user), _token_form(request)
    if bot.api_tokens.count() >= MOST_TOKENS_OF_A_BOT:
        form.refusal = _("This bot has too many tokens. Remove one first.")
    elif not hit("api_token", str(user.pk), MOST_TOKENS_MADE):
        form.refusal = _("You’ve tried too often today. Try again tomorrow.")
    if not form.is_valid():
        return _show(request, bot, token_form=form)
    chosen = form.cleaned_data
    with transaction.atomic():
        token, text = make_token(bot, chosen["name"], chosen["scopes"], chosen["days"])
        notice = {"token_name": token.name, "bot_name": bot.shown_name}
        get_adapter(request).send_notification_mail("account/email/bot_token_made", user, notice)
    return _show(request, bot, made=text)


@login_required
@require_POST
def remove_bot_token(request: HttpRequest, bot_id: int) -> HttpResponse:
    """Remove a token of a bot; it stops working at once."""
    bot = _own_bot(request, bot_id)
    if remove_token(bot, request.POST.get("token", "")):
        messages.success(request, _("You removed the token. It no longer works."))
    else:
        messages.info(request, _("The bot doesn’t have this token."))
    return redirect("my_bot", bot.pk)


@login_required
@never_cache
@sensitive_post_parameters("endpoint")
@require_POST
def wake_bot_at(request: HttpRequest, bot_id: int) -> HttpResponse:
    """Keep the address at which a bot's program is woken; refused input stays in the form."""
    bot = _own_bot(request, bot_id)
    form = WakingForm(request.POST)
    if targets.target_of_bot(bot) is not None:
        form.refusal = _("This bot has an address already. Remove it first.")
    elif not hit("notice_target", str(bot.owner_id), MOST_ADDED):
        form.refusal = _("You’ve tried too often today. Try again tomorrow.")
    if not form.is_valid():
        return _show(request, bot, waking_form=form)
    target = targets.add_target(form.new_target(user=bot, name=bot.name[:LONGEST_TARGET_NAME]))
    messages.success(request, _("The address is stored. Send a test to see whether it works."))
    return redirect("notice_target", target.pk)


@login_required
@require_POST
def close_my_bot(request: HttpRequest, bot_id: int) -> HttpResponse:
    """Close a bot for good, once its owner has ticked that this is what they want."""
    bot = _own_bot(request, bot_id)
    if request.POST.get("sure") != "on":
        messages.error(request, _("Nothing was closed. Tick the box first."))
        return redirect("my_bot", bot.pk)
    close_bot(bot)
    messages.success(request, _("The bot is closed. Its tokens no longer work."))
    return redirect("my_bots")


def _own_bot(request: HttpRequest, bot_id: int) -> User:
    return get_object_or_404(bots_of(cast(User, request.user)), pk=bot_id)


def _why_not_made(user: User) -> str:
    if bots_of(user).count() >= MOST_BOTS:
        return _("You have as many bots as you may. Close one first.")
    return _("You’ve tried too often today. Try again tomorrow.")


def _token_form(request: HttpRequest | None = None) -> NewTokenForm:
    given = request.POST if request else None
    return NewTokenForm(given, auto_id="token-%s", initial={"scopes": USUAL_SCOPES})


def _show(
    request: HttpRequest,
    bot: User,
    name_form: BotNameForm | None = None,
    token_form: NewTokenForm | None = None,
    waking_form: WakingForm | None = None,
    made: str = "",
) -> HttpResponse:
    name_form = name_form or BotNameForm(initial={"name": bot.name})
    token_form = token_form or _token_form()
    waking_form = waking_form or WakingForm()
    context: dict[str, Any] = {
        "bot": bot,
        "name_form": name_form,
        "token_form": token_form,
        "waking_form": waking_form,
        "target": targets.target_of_bot(bot),
        "made": made,
        "tokens": bot.api_tokens.all(),
    }
    is_wrong = bool(name_form.errors or token_form.errors or waking_form.errors)
    return render(request, "accounts/bot.html", context, status=422 if is_wrong else 200)

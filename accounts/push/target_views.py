"""Views of a person's targets: where else notifications go, what came of the last ones, and a test."""

from collections.abc import Callable
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.push import targets
from accounts.push.models import NoticeTarget, Push, TargetNotice
from accounts.push.subjects import kinds_for, name_of_kind, name_of_subject
from accounts.push.target_forms import NewTargetForm, TargetChoicesForm
from accounts.rate_limits import hit

MOST_ADDED, MOST_TESTS = 30, 50  # per day
FOR_BOTS = [(Push.Kind.TURN.value, Push.Kind.TURN.label)]  # what wakes a bot
MOST_SHOWN = 20  # of the last notifications


@login_required
@never_cache
@sensitive_post_parameters("endpoint", "token")
@require_http_methods(["GET", "HEAD", "POST"])
def notice_targets(request: HttpRequest) -> HttpResponse:
    """List the person's targets, and add one for what concerns them; refused input stays in the form."""
    user = cast(User, request.user)
    form = NewTargetForm(
        request.POST if request.method == "POST" else None,
        kinds=Push.Kind.choices,
        sources=targets.source_choices(user),
        initial={"kinds": [Push.Kind.TURN, Push.Kind.REMINDER]},
    )
    if request.method == "POST" and (target := add_from_form(user, form)):
        messages.success(request, _("You added the channel. Send a test to see whether it works."))
        return redirect("notice_target", target.pk)
    listed = [(one, name_of_subject(one.subject)) for one in targets.own_targets(user)]
    context = {"form": form, "targets": listed}
    return render(request, "accounts/notice_targets.html", context, status=422 if form.errors else 200)


def add_from_form(user: User, form: NewTargetForm, subject: str = "") -> NoticeTarget | None:
    """Add the target that a valid form describes; else return None, and the form says why."""
    if targets.own_targets(user).count() >= targets.MOST_TARGETS:
        form.refusal = _("You have too many channels. Remove one first.")
    elif not hit("notice_target", str(user.pk), MOST_ADDED):
        form.refusal = _("You’ve tried too often today. Try again tomorrow.")
    if not form.is_valid():
        return None
    return targets.add_target(form.new_target(user=user, subject=subject))


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def notice_target(request: HttpRequest, target_id: int) -> HttpResponse:
    """Show a target with its last notifications; change its name and what it hears."""
    target = _own_target(request, target_id)
    form = _choices_form(target, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        form.change(target).save(update_fields=["name", "kinds", "only_source"])
        messages.success(request, pgettext("answer to a form", "Saved."))
        return redirect("notice_target", target.pk)
    return _show(request, target, form, status=422 if form.errors else 200)


@login_required
@never_cache
@require_POST
def notice_target_secret(request: HttpRequest, target_id: int) -> HttpResponse:
    """Show the key that signs what a program gets. Only after a click: someone may look at the screen."""
    target = _own_target(request, target_id)
    is_signed = target.service == NoticeTarget.Service.WEBHOOK
    return _show(request, target, _choices_form(target), key=target.secret if is_signed else "")


@login_required
@require_POST
def notice_target_test(request: HttpRequest, target_id: int) -> HttpResponse:
    """Queue a test."""

    def test(target: NoticeTarget) -> str:
        if target.is_off:
            return _("The channel is switched off. Switch it on first.")
        if not hit("notice_test", str(target.user_id), MOST_TESTS):
            return _("You’ve tried too often today. Try again tomorrow.")
        targets.queue_test(target)
        return _("The test is on its way. Reload this page to see what came back.")

    return _done(request, target_id, test)


@login_required
@require_POST
def notice_target_switch(request: HttpRequest, target_id: int) -> HttpResponse:
    """Switch a target on or off."""

    def switch(target: NoticeTarget) -> str:
        if request.POST.get("to") == "on":
            targets.switch_on(target)
            return _("The channel is switched on.")
        targets.switch_off(target)
        return _("The channel is switched off. It gets nothing until you switch it on.")

    return _done(request, target_id, switch)


@login_required
@require_POST
def notice_target_remove(request: HttpRequest, target_id: int) -> HttpResponse:
    """Remove a target."""
    target = _own_target(request, target_id)
    targets.remove_target(target)
    messages.success(request, _("You removed the channel."))
    return redirect("my_bot", target.user_id) if target.user.is_bot else redirect("notice_targets")


def _own_target(request: HttpRequest, target_id: int) -> NoticeTarget:
    return get_object_or_404(targets.targets_in_hand(cast(User, request.user)), pk=target_id)


def _done(request: HttpRequest, target_id: int, command: Callable[[NoticeTarget], str]) -> HttpResponse:
    """Do something with an own target, say what was done, and go back to its page."""
    target = _own_target(request, target_id)
    messages.info(request, command(target))
    return redirect("notice_target", target.pk)


def _choices_form(target: NoticeTarget, given: QueryDict | None = None) -> TargetChoicesForm:
    sources = [] if target.subject else targets.source_choices(target.user)
    if target.only_source and target.only_source not in dict(sources):
        sources.append((target.only_source, _("A league that you’re no longer in")))
    stored = {"name": target.name, "kinds": target.kinds, "only_source": target.only_source}
    kinds = FOR_BOTS if target.user.is_bot else kinds_for(target.subject)
    return TargetChoicesForm(given, kinds=kinds, sources=sources, initial=stored)


def _show(
    request: HttpRequest, target: NoticeTarget, form: TargetChoicesForm, key: str = "", status: int = 200
) -> HttpResponse:
    tried = TargetNotice.objects.filter(target=target, tried_at__isnull=False).order_by("-tried_at", "-pk")
    context = {
        "target": target,
        "about": name_of_subject(target.subject),
        "form": form,
        "notices": [
            (one, name_of_kind(target.subject, one.kind), _result_text(one)) for one in tried[:MOST_SHOWN]
        ],
        "key": key,
    }
    return render(request, "accounts/notice_target.html", context, status=status)


def _result_text(notice: TargetNotice) -> str:
    """Return what came of a notification: what its service answered, or why there was no answer."""
    if notice.answer is None:
        return str(TargetNotice.Problem(notice.problem).label)
    if notice.answer < 300:
        # Translators: status is a number that a server answered with, such as 204
        return _("Delivered (%(status)d)") % {"status": notice.answer}
    # Translators: status is a number that a server answered with, such as 404
    return _("Refused (%(status)d)") % {"status": notice.answer}

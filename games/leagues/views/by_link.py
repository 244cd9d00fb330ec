"""What a letter's link lets its reader do about a league without signing in: confirm a place or leave it,
take a seat as a substitute, answer an invitation. A GET shows; a button acts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.middleware import told_by_link
from accounts.models import User
from games.commands import Refused
from games.forms import TakeSeatForm
from games.leagues.commands import helping, inviting, signing_up
from games.leagues.commands.looking import answers_by
from games.leagues.links import Matter, Named, read_token
from games.leagues.models import Ask, Entry, Invited, Season, Vacancy
from games.leagues.overview.course_in_words import at
from games.leagues.overview.rules_in_words import rules_of, terms_of, tie_breaks_of
from games.leagues.overview.tables import company_of
from games.links import BadLink
from games.private import private_page

_MAY_THINK_BETTER = (Ask.Answer.DECLINED, Ask.Answer.SILENT)
_SOUGHT = (Vacancy.State.OPEN, Vacancy.State.NOBODY)


@dataclass(frozen=True)
class Button:
    """A deed that the page offers."""

    action: str
    label: str
    is_quiet: bool = False


class NothingSaid(Exception):
    """The form that came with a button has to be mended first; it says why."""

    def __init__(self, form: TakeSeatForm) -> None:
        self.form = form
        super().__init__()


@dataclass(frozen=True)
class Opened:
    """What a link opens, told to whom it was sent."""

    season: Season
    owner: User | None
    heading: str
    told: tuple[str, ...]
    buttons: tuple[Button, ...]
    deeds: dict[str, Callable[[HttpRequest], str]]
    form: TakeSeatForm | None = None


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def league_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """One matter of a league by its letter's link."""
    try:
        opened = _opened(read_token(token))
    except (BadLink, Entry.DoesNotExist, Ask.DoesNotExist, Invited.DoesNotExist):
        return render(request, "leagues/bad_link.html", status=404)
    if request.method == "POST":
        return told_by_link(opened.owner, request, lambda: _act(request, opened, token))
    return told_by_link(opened.owner, request, lambda: _show(request, opened))


def _opened(named: Named) -> Opened:
    """Raises DoesNotExist once the row is gone, or another's."""
    match named.matter:
        case Matter.ENTRY:
            entries = Entry.objects.select_related("season__league", "user")
            return _of_entry(entries.get(pk=named.pk, user__pk=named.whose))
        case Matter.ASK:
            asks = Ask.objects.select_related(
                "substitute__user", "vacancy__table__table", "vacancy__table__round__division__season__league"
            )
            return _of_ask(asks.get(pk=named.pk, substitute__user__pk=named.whose))
        case Matter.INVITED:
            invited = Invited.objects.select_related("season__league", "by")
            return _of_invitation(invited.get(pk=named.pk, email=named.whose))


def _show(
    request: HttpRequest, opened: Opened, form: TakeSeatForm | None = None, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {
        "opened": opened,
        "season": opened.season,
        "league": opened.season.league,
        "form": form or opened.form,
        "rules": rules_of(opened.season),
        "terms": terms_of(opened.season),
        "tie_breaks": tie_breaks_of(opened.season),
    }
    return render(request, "leagues/by_link.html", context, status=status)


def _act(request: HttpRequest, opened: Opened, token: str) -> HttpResponse:
    deed = opened.deeds.get(request.POST.get("action", ""))
    try:
        if deed is not None:
            messages.success(request, deed(request))
    except NothingSaid as nothing:
        return _show(request, opened, nothing.form, 400)
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("league_by_link", token)


# A place in a season


def _of_entry(entry: Entry) -> Opened:
    season = entry.season
    may_confirm = season.state == Season.State.CONFIRMING and entry.state == Entry.State.SIGNED_UP
    may_leave = entry.state in (Entry.State.SIGNED_UP, Entry.State.CONFIRMED, Entry.State.WAITING)
    buttons = [Button("confirm", _("I play"))] if may_confirm else []
    if may_leave and _not_begun(season):
        buttons.append(Button("leave", _("I do not play"), is_quiet=True))
    return Opened(
        season,
        entry.user,
        _("Do you play?") if may_confirm else _("Your place"),
        (_how_it_is(entry),),
        tuple(buttons),
        {"confirm": lambda request: _confirmed(entry), "leave": lambda request: _left(entry)},
    )


def _not_begun(season: Season) -> bool:
    return season.state in (Season.State.SIGN_UP, Season.State.CONFIRMING)


def _how_it_is(entry: Entry) -> str:
    if entry.asked_at and entry.state == Entry.State.SIGNED_UP and _not_begun(entry.season):
        until = at(answers_by(entry.season, entry.asked_at))
        return _("You have a place, and are asked to say by %(until)s that you play.") % {"until": until}
    return {
        Entry.State.SIGNED_UP: _("You have signed up."),
        Entry.State.CONFIRMED: _("You have confirmed: the season begins by itself."),
        Entry.State.WAITING: _("You wait for a place."),
        Entry.State.PLAYING: _("The season has begun, and you play."),
        Entry.State.EXPECTED: _("A place is kept for you; sign up on the page of the season."),
        Entry.State.LEFT: _("You have left this season."),
        Entry.State.DROPPED: _("You have not confirmed in time, and your place went to somebody else."),
        Entry.State.WITHDRAWN: _("You have withdrawn from this season."),
        Entry.State.EXPELLED: _("You are no longer in this season."),
    }[Entry.State(entry.state)]


def _confirmed(entry: Entry) -> str:
    signing_up.confirm(entry)
    return _("You have confirmed.")


def _left(entry: Entry) -> str:
    signing_up.leave_season(entry.season, entry.user)
    return _("You have left the season.")


# A seat for a substitute


def _of_ask(ask: Ask) -> Opened:
    row = ask.vacancy.table
    is_open = ask.answer == Ask.Answer.OPEN
    return Opened(
        row.round.division.season,
        ask.substitute.user,
        _("Do you take a seat?") if is_open else _("A seat you were asked about"),
        tuple(_told_of(ask, {"table": row.table.name, "until": at(ask.until)})),
        tuple(_answers_to(ask)),
        {"accept": lambda request: _taken(ask), "decline": lambda request: _declined(ask)},
    )


def _told_of(ask: Ask, words: dict[str, str]) -> Iterator[str]:
    if ask.answer != Ask.Answer.OPEN:
        yield _("You have been asked to take a seat at “%(table)s”.") % words
        yield _("How it went: %(how)s.") % {"how": _how(ask)}
        return
    yield _("A seat at “%(table)s” needs somebody.") % words
    yield _("Seated there: %(names)s.") % {"names": company_of(ask.vacancy.table)}
    yield _("You get its hand, its log, and time as for a new question.")
    yield _("Please answer by %(until)s; then the next is asked.") % words
    yield _("Taking a seat can never cost you points or rating.")


def _answers_to(ask: Ask) -> Iterator[Button]:
    """Who said no, or nothing in time, may have it all the same while nobody has it."""
    if ask.answer == Ask.Answer.OPEN:
        yield Button("accept", _("Take the seat"))
        yield Button("decline", _("Not this time"), is_quiet=True)
    elif ask.answer in _MAY_THINK_BETTER and ask.vacancy.state in _SOUGHT:
        yield Button("accept", _("Take the seat after all"), is_quiet=True)


def _how(ask: Ask) -> str:
    return {
        Ask.Answer.ACCEPTED: _("you have taken the seat"),
        Ask.Answer.DECLINED: _("you have declined"),
        Ask.Answer.SILENT: _("the time to answer was out, and others were asked"),
        Ask.Answer.NEEDLESS: _("you are not needed any more"),
    }[Ask.Answer(ask.answer)]


def _taken(ask: Ask) -> str:
    helping.accept(ask)
    return _("You have the seat. What it is asked comes to you by letter.")


def _declined(ask: Ask) -> str:
    helping.decline(ask)
    return _("Thank you: the next is asked.")


# An invitation


def _of_invitation(invited: Invited) -> Opened:
    owner = User.objects.filter(email=invited.email, deleted_at=None).first()
    entry = _entry_by(invited, owner)
    if entry is not None:
        return _of_entry(entry)
    may_answer = invited.state in (Invited.State.SENT, Invited.State.DECLINED)
    is_open = may_answer and invited.season.is_open
    buttons = [Button("sign_up", _("Sign up"))] if is_open else []
    if is_open and invited.state == Invited.State.SENT:
        buttons.append(Button("decline", _("Decline"), is_quiet=True))
    needs_name = is_open and (owner is None or not owner.name_chosen)
    return Opened(
        invited.season,
        owner,
        _("%(name)s invites you to a league") % {"name": invited.by.shown_name},
        (_how_invited(invited),),
        tuple(buttons),
        {
            "sign_up": lambda request: _signed_up(request, invited, owner),
            "decline": lambda request: _refused(invited),
        },
        TakeSeatForm() if needs_name else None,
    )


def _entry_by(invited: Invited, owner: User | None) -> Entry | None:
    """What became of an invitation that was accepted: whoever has no other letter yet leaves by its link."""
    if invited.state != Invited.State.ACCEPTED:
        return None
    return invited.season.entries.select_related("season__league", "user").filter(user=owner).first()


def _how_invited(invited: Invited) -> str:
    if not invited.season.is_open and invited.state in (Invited.State.SENT, Invited.State.DECLINED):
        return _("The sign-up is not open.")
    return {
        Invited.State.SENT: _("You play only if you sign up yourself. These are its terms."),
        Invited.State.ACCEPTED: _("You have signed up."),
        Invited.State.DECLINED: _("You have declined; you may still sign up."),
        Invited.State.WITHDRAWN: _("This invitation has been withdrawn."),
    }[Invited.State(invited.state)]


def _signed_up(request: HttpRequest, invited: Invited, owner: User | None) -> str:
    """By the invited address, whose owner gets an account if he has none. Raises NothingSaid for a name that
    cannot be had; then there is no account either."""
    with transaction.atomic():
        person = owner if owner is not None and owner.name_chosen else _newcomer(request, invited)
        entry = inviting.accept_invitation(invited, person)
    if entry.state == Entry.State.WAITING:
        return _("All places are taken: you wait for one.")
    return _("You have signed up.")


def _newcomer(request: HttpRequest, invited: Invited) -> User:
    form = TakeSeatForm(request.POST)
    if not form.is_valid():
        raise NothingSaid(form)
    try:
        return User.objects.get_or_create_proven(invited.email, form.cleaned_data["name"])
    except ValidationError as error:
        form.add_error("name", error)
        raise NothingSaid(form) from error


def _refused(invited: Invited) -> str:
    inviting.decline_invitation(invited)
    return _("You have declined. Nobody writes to you about it again.")

"""What recipients of league emails can do and read through an email's link, without signing in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_http_methods

from accounts.mail.messages import EMAIL_KINDS, Content
from accounts.mail.models import OutgoingEmail
from accounts.middleware import in_recipients_locale
from accounts.models import User
from accounts.times import moment_element, with_times
from accounts.tokens import fingerprint, sign_in_path
from games.access import private_page, reader_of
from games.forms import TakeSeatForm
from games.leagues.access import LeagueAccess
from games.leagues.links import Matter, Named, read_token
from games.leagues.models import Invitation, League, OpenSeat, Registration, Season, SubstituteOffer
from games.leagues.selectors.league_tables import roster_of
from games.leagues.selectors.next_steps import place_text, what_comes_next
from games.leagues.selectors.season_rules import rules_of, tie_breaks_of
from games.leagues.services import invitations, registration, substitutes
from games.links import BadLink
from games.services import Refused


@dataclass(frozen=True)
class Button:
    """A button that the page offers."""

    action: str
    label: str
    is_quiet: bool = False


class NothingSaid(Exception):
    """Raised when the form sent with a button is invalid; carries that form."""

    def __init__(self, form: TakeSeatForm) -> None:
        self.form = form
        super().__init__()


@dataclass(frozen=True)
class Opened:
    """The content and buttons of a page opened by an email's link."""

    season: Season
    heading: str
    paragraphs: tuple[str, ...]
    buttons: tuple[Button, ...]
    events: dict[str, Callable[[HttpRequest], str]]
    form: TakeSeatForm | None = None


# The page of a link: GET only shows, POST acts


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def league_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show and handle one league matter through an email's link."""
    try:
        named = read_token(token)
        if named.matter == Matter.NEWS:
            return _show_news(request, named)
        owner, opened = _owner_and_page(named)
    except (BadLink, Registration.DoesNotExist, SubstituteOffer.DoesNotExist, Invitation.DoesNotExist):
        return render(request, "games/bad_link.html", status=404)
    if request.method == "POST":
        return in_recipients_locale(owner, request, lambda: _act(request, opened(), token, owner))
    return in_recipients_locale(owner, request, lambda: _show(request, opened(), owner))


def _owner_and_page(named: Named) -> tuple[User | None, Callable[[], Opened]]:
    """Return the link's owner, and a function that makes its page content in their language.

    Raises BadLink or DoesNotExist if the row is gone or belongs to someone else, or the account is closed.
    """
    match named.matter:
        case Matter.ENTRY:
            entries = Registration.objects.select_related("season__league", "user")
            entry = entries.get(pk=named.pk, user__pk=named.user, user__is_active=True)
            return entry.user, lambda: of_entry(entry)
        case Matter.ASK:
            asks = SubstituteOffer.objects.select_related(
                "substitute__user",
                "open_seat__table__table",
                "open_seat__table__round__division__season__league",
            )
            whose = {"substitute__user__pk": named.user, "substitute__user__is_active": True}
            ask = asks.get(pk=named.pk, **whose)
            return ask.substitute.user, lambda: of_ask(ask)
        case Matter.INVITED:
            invited = Invitation.objects.select_related("season__league", "by").get(pk=named.pk)
            if not constant_time_compare(fingerprint(invited.email), named.address):
                raise BadLink
            if User.objects.filter(email=invited.email, is_active=False).exists():
                raise BadLink
            owner = User.objects.filter(email=invited.email, deleted_at=None).first()
            return owner, lambda: of_invitation(invited, owner)
    raise BadLink


def _show(
    request: HttpRequest,
    opened: Opened,
    owner: User | None,
    form: TakeSeatForm | None = None,
    status: int = 200,
) -> HttpResponse:
    reader = reader_of(request)
    context: dict[str, Any] = {
        "opened": opened,
        "season": opened.season,
        "league": opened.season.league,
        "form": form or opened.form,
        "someone_else": reader if reader != owner else None,
        "rules": rules_of(opened.season),
        "tie_breaks": tie_breaks_of(opened.season),
    }
    return render(request, "leagues/by_link.html", context, status=status)


def _act(request: HttpRequest, opened: Opened, token: str, owner: User | None) -> HttpResponse:
    event = opened.events.get(request.POST.get("action", ""))
    try:
        if event is not None:
            messages.success(request, event(request))
    except NothingSaid as nothing:
        return _show(request, opened, owner, nothing.form, 400)
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("league_by_link", token)


# Substitute offers


_MAY_THINK_BETTER = (SubstituteOffer.Answer.DECLINED, SubstituteOffer.Answer.SILENT)


def of_ask(ask: SubstituteOffer) -> Opened:
    row = ask.open_seat.table
    is_open = ask.answer == SubstituteOffer.Answer.OPEN
    return Opened(
        row.round.division.season,
        _("Can you take a seat?") if is_open else _("A seat we offered you"),
        tuple(_offer_text(ask, {"table": row.game_table.name, "until": moment_element(ask.until)})),
        tuple(_answers_to(ask)),
        {"accept": lambda request: _taken(ask), "decline": lambda request: _declined(ask)},
    )


def _offer_text(ask: SubstituteOffer, words: dict[str, str]) -> Iterator[str]:
    if ask.answer != SubstituteOffer.Answer.OPEN:
        # Translators: table is the table's name.
        yield _("We asked you to take a seat at “%(table)s”.") % words
        yield _outcome(ask)
        return
    # Translators: table is the table's name.
    yield _("A seat at “%(table)s” needs a substitute.") % words
    # Translators: names is a list of players.
    yield _("Players there: %(names)s.") % {"names": roster_of(ask.open_seat.table)}
    yield _("You get the seat’s hand and log, and the full time for your first move.")
    # Translators: until is a date and time.
    yield with_times(_("Please answer by %(until)s. After that, we ask the next substitute."), words)
    yield _("Taking a seat never costs you points or rating.")


def _answers_to(ask: SubstituteOffer) -> Iterator[Button]:
    """Yield the buttons for an offer.

    Substitutes who declined or didn't answer can still take the seat while it is open.
    """
    if ask.answer == SubstituteOffer.Answer.OPEN:
        yield Button("accept", _("Take the seat"))
        yield Button("decline", pgettext("a seat as a substitute", "Decline this time"), is_quiet=True)
    elif ask.answer in _MAY_THINK_BETTER and ask.open_seat.state in OpenSeat.SOUGHT:
        yield Button("accept", _("Take the seat after all"), is_quiet=True)


def _outcome(ask: SubstituteOffer) -> str:
    return {
        SubstituteOffer.Answer.ACCEPTED: _("You took the seat."),
        SubstituteOffer.Answer.DECLINED: _("You declined."),
        SubstituteOffer.Answer.SILENT: _("You didn’t answer in time, so we asked others."),
        SubstituteOffer.Answer.NEEDLESS: _("The seat no longer needs a substitute."),
    }[SubstituteOffer.Answer(ask.answer)]


def _taken(ask: SubstituteOffer) -> str:
    substitutes.accept(ask)
    return _("You took the seat. We’ll email you when it’s your turn.")


def _declined(ask: SubstituteOffer) -> str:
    substitutes.decline(ask)
    return _("You declined. Thanks for answering: we’re asking the next substitute.")


# Places in a season


def of_entry(entry: Registration) -> Opened:
    season = entry.season
    may_leave = entry.state in (
        Registration.State.SIGNED_UP,
        Registration.State.CONFIRMED,
        Registration.State.WAITING,
    )
    buttons = [Button("confirm", _("Confirm that I’ll play"))] if entry.can_confirm else []
    if may_leave and season.state in Season.BEFORE_PLAY:
        buttons.append(Button("leave", _("Leave the season"), is_quiet=True))
    return Opened(
        season,
        _("Do you want to play?") if entry.can_confirm else _("Your place"),
        tuple(filter(None, (place_text(entry), what_comes_next(season, entry)))),
        tuple(buttons),
        {"confirm": lambda request: _confirmed(entry), "leave": lambda request: _left(entry)},
    )


def _confirmed(entry: Registration) -> str:
    registration.confirm(entry)
    return _("You confirmed that you’ll play.")


def _left(entry: Registration) -> str:
    registration.leave_season(entry.season, entry.user)
    return _("You left the season.")


# Invitations


def of_invitation(invited: Invitation, owner: User | None) -> Opened:
    entry = _entry_by(invited, owner)
    if entry is not None:
        return of_entry(entry)
    may_answer = invited.state in (Invitation.State.SENT, Invitation.State.DECLINED)
    is_open = may_answer and invited.season.is_open
    buttons = [Button("sign_up", _("Sign up"))] if is_open else []
    if is_open and invited.state == Invitation.State.SENT:
        buttons.append(Button("decline", pgettext("button", "Decline"), is_quiet=True))
    needs_name = is_open and (owner is None or not owner.name_chosen)
    return Opened(
        invited.season,
        # Translators: name is the league's organiser.
        _("%(name)s invites you to a league") % {"name": invited.by.shown_name},
        (_how_invited(invited),),
        tuple(buttons),
        {
            "sign_up": lambda request: _signed_up(request, invited, owner),
            "decline": lambda request: _refused(invited),
        },
        TakeSeatForm(initial={"name": invited.name}) if needs_name else None,
    )


def _entry_by(invited: Invitation, owner: User | None) -> Registration | None:
    """Return the registration made from an accepted invitation.

    Players with no other email yet use the invitation's link to leave the season.
    """
    if invited.state != Invitation.State.ACCEPTED:
        return None
    return invited.season.entries.select_related("season__league", "user").filter(user=owner).first()


def _how_invited(invited: Invitation) -> str:
    if not invited.season.is_open and invited.state in (Invitation.State.SENT, Invitation.State.DECLINED):
        return _("Sign-up for this season isn’t open.")
    return {
        Invitation.State.SENT: _("You only play if you sign up. Read the rules below first."),
        Invitation.State.ACCEPTED: _("You signed up."),
        Invitation.State.DECLINED: _("You declined, but you can still sign up."),
        Invitation.State.WITHDRAWN: _("This invitation was withdrawn."),
    }[Invitation.State(invited.state)]


def _signed_up(request: HttpRequest, invited: Invitation, owner: User | None) -> str:
    """Sign up the owner of the invited address, creating an account if there is none.

    Raises NothingSaid if the name is not allowed; no account is created then.
    """
    with transaction.atomic():
        person = owner if owner is not None and owner.name_chosen else _newcomer(request, invited)
        entry = invitations.accept_invitation(invited, person)
    if entry.state == Registration.State.WAITING:
        return _("All places are taken, so you’re on the waiting list.")
    return _("You signed up.")


def _newcomer(request: HttpRequest, invited: Invitation) -> User:
    form = TakeSeatForm(request.POST)
    if not form.is_valid():
        raise NothingSaid(form)
    try:
        return User.objects.get_or_create_proven(invited.email, form.cleaned_data["name"])
    except ValidationError as error:
        form.add_error("name", error)
        raise NothingSaid(form) from error


def _refused(invited: Invitation) -> str:
    invitations.decline_invitation(invited)
    return _("You declined. We won’t email you about this season again.")


# News: what an email about a page that is not public says now


def _show_news(request: HttpRequest, named: Named) -> HttpResponse:
    """Show what an email says now. Raises BadLink."""
    owner = _owner_of(named)
    page = "leagues/news.html"
    return in_recipients_locale(
        owner, request, lambda: render(request, page, {"news": _news_of(named, owner)})
    )


_TO_ORGANISERS = ("league_needs", "league_open_seat_over")


class News(NamedTuple):
    """The content of a news page: the recipient, the league, the text and the link after signing in."""

    owner: User
    league: League
    where: str
    heading: str
    paragraphs: tuple[str, ...]
    label: str
    path: str


def _owner_of(named: Named) -> User:
    """Return the recipient of the email; raises BadLink without an active account."""
    owner = User.objects.filter(pk=named.user, is_active=True).first()
    if owner is None:
        raise BadLink
    return owner


def _news_of(named: Named, owner: User) -> News:
    """Return the news for the recipient.

    Raises BadLink if they may no longer read the league.
    """
    league = League.objects.filter(pk=named.league).first()
    access = LeagueAccess(league, owner) if league else None
    email = OutgoingEmail.objects.select_related("to_user").filter(pk=named.pk, to_user=owner).first()
    if league is None or access is None or not access.is_person:
        raise BadLink
    content = _said(email, access) if email else None
    if content is None or content.context["action"] is None:
        paragraphs = (_("What this email was about is settled or has changed since."),)
        path = sign_in_path(owner, reverse("league", args=[league.pk]))
        return News(owner, league, league.name, _("This is settled"), paragraphs, _("Open the league"), path)
    said = content.context
    path = sign_in_path(owner, said["path"])
    return News(
        owner, league, said["where"], said["heading"], tuple(said["sentences"]), said["action"].label, path
    )


def _said(email: OutgoingEmail, access: LeagueAccess) -> Content | None:
    """Return the email as it would be written now; None if it is no longer relevant."""
    if email.kind in _TO_ORGANISERS and not access.is_organiser:
        return None
    return EMAIL_KINDS[email.kind].build(email)

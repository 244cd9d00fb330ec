"""Emails about free seats and places: offers to substitutes, and their outcome."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.mail.email_content import Content
from accounts.mail.email_kinds import email_kind
from accounts.mail.models import OutgoingEmail
from games.leagues.emails.email_paths import season_path
from games.leagues.emails.email_rows import entry_of
from games.leagues.emails.league_context import EmailButton, at, email_content, to_organise
from games.leagues.links import ask_url
from games.leagues.models import OpenSeat, Registration, Season, SubstituteOffer
from games.leagues.selectors.league_tables import others_at
from games.leagues.services.ready_tables import rounds_ahead


@email_kind("league_ask", name=gettext_lazy("A league offers you a seat as a substitute"), asks=True)
def league_ask(email: OutgoingEmail) -> Content | None:
    """Ask a substitute to take a seat."""
    asked = SubstituteOffer.objects.select_related(
        "substitute__user", "open_seat__table__table", "open_seat__table__round__division__season__league"
    )
    ask = asked.get(pk=email.context["ask"])
    if ask.answer != SubstituteOffer.Answer.OPEN:
        return None
    row = ask.open_seat.table
    words = {"table": row.number, "round": row.round.number, "until": at(ask.until)}
    free = (
        _("A seat is free in the final, and you’re next on the list of substitutes.")
        if row.round.is_final
        else _(
            "A seat is free at table %(table)d of round %(round)d, and you’re next on the list of "
            "substitutes."
        )
    )
    sentences = [
        free % words,
        # Translators: names are players'
        _("Players: %(names)s.") % {"names": others_at(ask.open_seat)},
        _(
            "You would take over the hand and any notes left for you, with a full reserve of time. You can’t "
            "lose points or rating."
        ),
        # Translators: until is a moment with its city, such as "Friday 6 March, 14:10 (Rome)"
        _("Answer by %(until)s. After that we ask the next substitute.") % words,
    ]
    return email_content(
        email,
        row.round.division,
        _("A seat for a substitute"),
        sentences,
        EmailButton(_("Take the seat or decline"), ask_url(ask)),
    )


@email_kind("league_gap", name=gettext_lazy("A player left, and their place is free"), asks=True)
def league_gap(email: OutgoingEmail) -> Content | None:
    """Offer a substitute the place of a player who left, with the tables that have not begun."""
    entry = entry_of(email.context["entry"])
    season, division = entry.season, entry.division
    has_entry = season.entries.filter(user=email.to_user_id).exclude(state__in=Registration.OUT).exists()
    is_taken = has_entry or Registration.objects.filter(in_place_of=entry).exists()
    if division is None or is_taken or season.state != Season.State.RUNNING:
        return None
    tables = rounds_ahead(division, entry).count()
    text = ngettext(
        "No one is waiting for the place. %(n)d of its tables has not begun yet.",
        "No one is waiting for the place. %(n)d of its tables have not begun yet.",
        tables,
    )
    sentences = [
        _("A player has left the season. As a substitute you can take their place for the rest of it."),
        text % {"n": tables},
        _("Join the waiting list on the season’s page. The first person on it gets the place."),
    ]
    action = EmailButton(_("Open the season"), season_path(season))
    return email_content(email, division, _("A place in the season is free"), sentences, action)


@email_kind("league_open_seat_over", name=gettext_lazy("No substitute took a seat in your league"))
def league_open_seat_over(email: OutgoingEmail) -> Content | None:
    """Tell the organisers that no substitute took one or several seats of a season."""
    found = OpenSeat.objects.select_related("table__round__division__season__league")
    # 0.1.0 sent an email for each seat.
    numbers = email.context.get("open_seats") or [email.context["open_seat"]]
    free = list(found.filter(pk__in=numbers, state=OpenSeat.State.NOBODY).order_by("pk"))
    if not free:
        return None
    divisions = {open_seat.table.round.division for open_seat in free}
    season = free[0].table.round.division.season
    left = ngettext(
        "You can give it to someone, or leave it to the bot.",
        "You can give each to someone, or leave it to the bot.",
        len(free),
    )
    return email_content(
        email,
        divisions.pop() if len(divisions) == 1 else season,
        _("No substitute found"),
        [*map(_nobody_took, free), left],
        to_organise(season),
    )


def _nobody_took(open_seat: OpenSeat) -> str:
    row = open_seat.table
    if row.round.is_final:
        return _("No substitute took the free seat in the final. A bot plays it.")
    text = _("No substitute took the free seat at table %(table)d of round %(round)d. A bot plays it.")
    return text % {"table": row.number, "round": row.round.number}

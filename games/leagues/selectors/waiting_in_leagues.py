"""What waits for a person in leagues: seasons to sign up for, places to confirm, and free seats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from games.leagues.links import ask_url
from games.leagues.models import Invitation, League, Registration, Season, SubstituteOffer
from games.leagues.services.schedule import answers_by

MOST_ROWS = 20
Has = Registration.State


@dataclass(frozen=True)
class WaitingInLeague:
    """A season in which a person has something to answer, what that is, by when, and where."""

    season: Season
    why: str
    until: datetime
    offer: SubstituteOffer | None = None

    @property
    def league(self) -> League:
        """Return the league of the season."""
        return self.season.league

    @property
    def url(self) -> str:
        """Return where it can be answered."""
        if self.offer is not None:
            return ask_url(self.offer)
        return reverse("season", args=[self.season.league_id, self.season.number])


def waiting_in_leagues(reader: User) -> list[WaitingInLeague]:
    """Return what waits for this reader in leagues, in three queries, the next to end first."""
    found = [*_places_to_confirm(reader), *_seats_to_take(reader), *_seasons_to_enter(reader)]
    return sorted(found, key=lambda one: one.until)


def _places_to_confirm(reader: User) -> Iterator[WaitingInLeague]:
    asked = Registration.objects.filter(
        user=reader,
        season__state=Season.State.CONFIRMING,
        state__in=(Has.SIGNED_UP, Has.WAITING),
        confirmed_at=None,
    )
    for entry in asked.select_related("season__league").order_by("pk")[:MOST_ROWS]:
        why = _("Confirm your place in season %(number)d") % {"number": entry.season.number}
        yield WaitingInLeague(entry.season, why, answers_by(entry.season))


def _seats_to_take(reader: User) -> Iterator[WaitingInLeague]:
    offers = SubstituteOffer.objects.filter(substitute__user=reader, answer=SubstituteOffer.Answer.OPEN)
    for offer in offers.select_related("substitute__season__league").order_by("pk")[:MOST_ROWS]:
        why = _("A seat needs a substitute, and you are next in line.")
        yield WaitingInLeague(offer.substitute.season, why, offer.until, offer)


def _seasons_to_enter(reader: User) -> Iterator[WaitingInLeague]:
    """Yield the open seasons that expect the reader: who has a reserved place, was invited, or plays now.

    Anyone who has answered, also by leaving, isn't asked again.
    """
    own, signing_up = Registration.objects.filter(user=reader).order_by(), Season.State.SIGN_UP
    kept = own.filter(state=Has.EXPECTED, season__state=signing_up).values("season")
    invited = Invitation.objects.filter(
        email=reader.email, state=Invitation.State.SENT, season__state=signing_up
    )
    plays_in = own.filter(state=Has.PLAYING, season__state=Season.State.RUNNING).values("season__league")
    others = Season.objects.filter(league__in=plays_in, state=signing_up)
    joining = others.exclude(joining=Season.Joining.INVITED)
    found = kept.union(invited.order_by().values("season"), joining.order_by().values("pk"))
    answered = own.filter(season=OuterRef("pk")).exclude(state=Has.EXPECTED)
    unanswered = Season.objects.filter(pk__in=found).exclude(Exists(answered))
    for season in unanswered.select_related("league").order_by("signup_ends_at", "pk")[:MOST_ROWS]:
        why = _("Sign up for season %(number)d") % {"number": season.number}
        yield WaitingInLeague(season, why, season.signup_ends_at)

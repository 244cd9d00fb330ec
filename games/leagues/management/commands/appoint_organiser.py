"""`manage.py appoint_organiser`: give a league an organiser, as when all of them are gone."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.addresses import normal_address
from accounts.models import User
from games.leagues.models import League
from games.leagues.services.founding import appoint_organiser
from games.services import Refused


class Command(BaseCommand):
    """Make the person with this address an organiser of this league."""

    help = "Make someone an organiser of a league, for instance when its organisers are gone. Emails them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the league and the address."""
        parser.add_argument(
            "league", type=int, help="the number in the address of its page, /leagues/NUMBER/"
        )
        parser.add_argument("address", help="the email address of their account")

    def handle(self, *, league: int, address: str, **options: Any) -> None:
        """Appoint them, and say so."""
        found = League.objects.filter(pk=league).first()
        if found is None:
            raise CommandError(f"There is no league {league}.")
        user = User.objects.filter(email=normal_address(address), is_active=True).first()
        if user is None:
            raise CommandError(f"No open account has the address {address}.")
        try:
            is_new = appoint_organiser(found, user)
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        done = "is an organiser now" if is_new else "was an organiser already"
        self.stdout.write(f"{user.shown_name} {done}: {found.name}.")

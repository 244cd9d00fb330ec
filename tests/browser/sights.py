"""What there is to look at: the world of tests/access, with names as long as the site lets them be, games in
every phase, and tables that ended in every way. Each is made when a page is first about it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, time, timedelta
from typing import Any
from urllib.parse import parse_qsl
from uuid import uuid4

from django.urls import reverse

from accounts import clock
from accounts.availability import change, today_of
from accounts.mail.delivery import deliver_due
from accounts.mail.list_names import INVITATIONS
from accounts.mail.models import CapturedEmail, OutgoingEmail
from accounts.mail.outbox import queue
from accounts.mail.subscriptions import refuse_invitations
from accounts.mail.unsubscribe_links import unsubscribe_path
from accounts.models import User
from accounts.names import LONGEST_NAME
from games import services
from games.chat.links import deal_path
from games.chat.models import Deal
from games.chat.services import begin_channel, write
from games.chat.services.deal_answers import agree_to_publish, answer, say
from games.chat.services.deal_judging import judge_deals
from games.chat.services.deals import Proposed, ProposedPromise, propose
from games.chat.services.sealed_note_openings import open_sealed_notes
from games.chat.services.sealed_notes import seal_note
from games.chat.services.shown_cards import hand_of, show_cards
from games.forms.arrangements import LONGEST_NOTE
from games.leagues.models import League, Rating, RatingChange
from games.leagues.models.leagues import LONGEST_NAME as LONGEST_LEAGUE
from games.links import LinkedDecision, answer_token, invitation_token
from games.models import Game, Invitation, Table
from games.models.replay import replayed
from games.rules import Decision, State, legal_moves
from games.services.absence import play_for_absent
from games.services.practice import begin_practice
from tests.access.world import Address, World, addresses
from tests.browser.places import Place
from tests.browser.visitors import VISITORS
from tests.games.playing import begin_game, decision_of, game_where, play_to_the_end, play_until, seat_table

WIDE = (
    f"**Hello** > all\n\n> {'wide' * 60}\n\n- `{'code' * 60}`\n\n    {'line ' * 40}"
    f"\n\nhttp://a.example/{'x' * 200}"
)
ADDRESSES = {address.name: address for address in addresses()}


class Sights(World):
    """Anna hosts, Bruno is to move, Carla has a seat too; each `_<subject>` below makes one more thing."""

    def __init__(self) -> None:
        super().__init__()
        self.seated = [self.people[name] for name in ("anna", "bruno", "carla")]
        User.objects.filter(email="carla@example.org").update(name="C" * LONGEST_NAME)
        Table.objects.filter(name="Table 42").update(
            name="Le lunghissime campagne dei condottieri senza fine"
        )
        League.objects.filter(name="Autumn League").update(name="L" * LONGEST_LEAGUE, about=WIDE)
        for person in self.seated:
            Rating.objects.create(user=person, edition="2007", mu=25 + person.pk, sigma=4, tables=person.pk)
            self._was_rated(person)
        Table.objects.filter(entry="open").update(note=f"Slowly, please.\n{'And no chat' * 30}")

    def _was_rated(self, person: User) -> None:
        """Give this person a rating that went up and down."""
        for number, table in enumerate(Table.objects.order_by("pk")[:6]):
            at = clock.now() - timedelta(days=60 - 10 * number)
            mu = 25 + number % 3
            RatingChange.objects.create(user=person, edition="2007", table=table, at=at, mu=mu, sigma=4)

    def path(self, place: Place) -> str:
        """Return the address of this page, with its query."""
        if place.name.startswith("/"):
            return place.name
        if place.about not in self.subjects:
            made: dict[str, Any] = getattr(self, f"_{place.about}")()
            self.subjects[place.about] = self.subjects["-"] | made
        address = self.address(ADDRESSES.get(place.name, Address(place.name, ())), place.about)
        return f"{address}?{place.query.format_map(self.subjects[place.about])}"

    def session(self, visitor: str) -> str:
        """Return the visitor's session; empty for a new visitor."""
        if visitor not in self._sessions:
            self._sessions[visitor] = VISITORS[visitor]()
        return self._sessions[visitor]

    def sent(self, place: Place) -> dict[str, str]:
        """Return the fields of the form to send."""
        if place.form == "cards":
            return {"to": "table", "card": self.subjects[place.about]["held"]}
        if place.form == "too_long":
            return {"text": "n" * (LONGEST_NOTE + 1)}
        return dict(parse_qsl(place.form.strip("-"), keep_blank_values=True))

    # Tables

    def _gathering(self) -> dict[str, Any]:
        """A table with messages, a bot, and invitations that were answered or did not arrive."""
        table = seat_table(self.seated, size=6, entry="link", watch="anyone", note="Slowly, please.")
        services.seat_bot(table, strength="captain", roster=3)
        for name in ("declined", "lost", "w" * 60):
            services.invite(table, f"{name}@example.org")
        services.decline(table.invitations.get(email="declined@example.org"))
        OutgoingEmail.objects.filter(to_address="lost@example.org").update(state=OutgoingEmail.State.FAILED)
        for number, person in enumerate([*self.seated, self.people["bruno"]]):
            write(table.seats.get(user=person), WIDE if number else "Good day.")
        return self._table(table)

    def _cancelled(self) -> dict[str, Any]:
        table = seat_table(self.seated, size=4)
        about = self._table(table)
        services.cancel(table)
        return about | self._to(table.invitations.get())

    def _closed(self) -> dict[str, Any]:
        table = seat_table(self.seated, size=4)
        about = self._table(table)
        Table.objects.filter(pk=table.pk).update(state=Table.State.CLOSED)
        return about

    def _leaving(self) -> dict[str, Any]:
        return self._table(seat_table(self.seated, size=4))

    def _declined(self) -> dict[str, Any]:
        invitation = services.invite(seat_table(self.seated, size=4), "declined@example.org")
        services.decline(invitation)
        return self._to(invitation)

    def _withdrawn(self) -> dict[str, Any]:
        invitation = services.invite(seat_table(self.seated, size=4), "withdrawn@example.org")
        services.withdraw(invitation)
        return self._to(invitation)

    def _offered(self) -> dict[str, Any]:
        """A seat in a running game, offered to a person without an account."""
        seat = begin_game(self.seated).table.seats.get(user=self.people["carla"])
        return self._to(services.hand_over(seat, "offered@example.org"))

    def _unknown(self) -> dict[str, Any]:
        """An invitation to a person without an account."""
        return self._to(services.invite(seat_table(self.seated, size=4), "unknown@example.org"))

    def _to(self, invitation: Invitation) -> dict[str, Any]:
        return {"invitation.token": invitation_token(invitation)}

    # Games

    def _asked(self, kind: str, enough: Callable[[State], bool] = lambda state: True) -> dict[str, Any]:
        """A game in which Bruno has a decision of this kind."""

        def is_it(state: State, decision: Decision) -> bool:
            return (decision.seat, decision.kind) == (1, kind) and enough(state)

        return self._game(game_where(self.seated, is_it)[0])

    def _place(self) -> dict[str, Any]:
        return self._asked("place", lambda state: "place siena" in map(str, legal_moves(state, 1)))

    def _battle(self) -> dict[str, Any]:
        return self._asked("battle", lambda state: sum(map(len, state.lines)) > 5)

    def _clocked(self) -> dict[str, Any]:
        """A game with a clock, in which Bruno may play a card; the host may pause it."""
        game = begin_game(self.seated, pace="day", time_by="host")
        play_until(game, lambda state, decision: (decision.seat, decision.kind) == (1, "battle"))
        return self._game(game)

    def _absent(self) -> dict[str, Any]:
        """A paused game in which a bot plays for Bruno, whose seat anyone may take."""
        terms = {"pace": "hours", "absent": "offer", "time_by": "host", "entry": "open", "watch": "anyone"}
        game = begin_game(self.seated, **terms)
        state = play_until(game, lambda state, decision: decision.seat == 0)
        play_for_absent(game, game.table.seats.get(user=self.people["bruno"]), state.ply, clock.now())
        services.host_pauses(game, self.people["anna"], 3)
        return self._game(game)

    def _bishop(self) -> dict[str, Any]:
        def can(state: State) -> bool:
            return sum(move.card == "bishop" for move in legal_moves(state, 1)) > 1

        return self._asked("battle", can)

    def _discard(self) -> dict[str, Any]:
        return self._asked("hand")

    def _keep(self) -> dict[str, Any]:
        return self._asked("keep")

    def _attested(self) -> dict[str, Any]:
        """A game in which Anna and Bruno have shown each other cards and sealed notes."""
        about = self._asked("place", lambda state: all(len(hand) > 2 for hand in state.hands))
        game = Game.objects.get(pk=about["game_id"])
        seats = [game.table.seats.get(user=self.people[name]) for name in ("anna", "bruno")]
        channel = begin_channel(seats[0], seats[1:])
        write(seats[0], f"> The site confirms shown cards\n\n{WIDE}", channel=channel)
        for seat in seats:
            seal_note(seat, channel, WIDE, "battle")
            seal_note(seat, channel, f"{WIDE} too", "game")
            show_cards(seat, hand_of(replayed(game).state, seat), channel)
        return about | {"held": hand_of(replayed(game).state, seats[1])[0]}

    def _dealt(self) -> dict[str, Any]:
        """A game in which Anna and Bruno have made deals."""
        about = self._asked("place", lambda state: True)
        game = Game.objects.get(pk=about["game_id"])
        Table.objects.filter(pk=game.table_id).update(watch=Table.Watch.ANYONE)
        anna, bruno, carla = (game.table.seats.get(user=person) for person in self.seated)
        channel, all_three = begin_channel(anna, [bruno]), begin_channel(anna, [bruno, carla])
        seats = [seat.number for seat in (anna, bruno, carla)]
        promises = tuple(ProposedPromise(seat, "no attack", "roma") for seat in seats[:2])
        more = ProposedPromise(seats[0], "passes"), ProposedPromise(seats[1], "pope", "siena")
        asked = propose(anna, channel, Proposed(WIDE, (seats[1],), more, "battle", 99))
        for author, where, others, judged in (
            (anna, channel, (bruno,), promises),
            (bruno, channel, (anna,), ()),
            (carla, all_three, (anna, bruno), promises),
        ):
            made = propose(author, where, Proposed(WIDE, tuple(seat.number for seat in others), judged))
            for seat in others:
                answer(seat, made.pk, accepts=True)
        say(anna, made.pk, "kept")
        say(bruno, made.pk, "broken")
        token = deal_path(bruno, asked).split("/")[-2]
        return about | {"slug": channel.slug, "number": 1, "deal.token": token}

    def _settled(self) -> dict[str, Any]:
        """The same when the game is over; one deal is open to everyone."""
        about = self._dealt()
        game = Game.objects.get(pk=about["game_id"])
        play_to_the_end(game)
        judge_deals()
        first = Deal.objects.filter(game=game, channel__slug=about["slug"]).order_by("number")[0]
        for seat in game.table.seats.filter(user__in=self.seated[:2]):
            agree_to_publish(seat, first.pk)
        return about

    def _proven(self) -> dict[str, Any]:
        """The same when the game is over and the sealed notes are open."""
        about = self._attested()
        play_to_the_end(Game.objects.get(pk=about["game_id"]))
        open_sealed_notes(clock.now())
        return about

    def _noted(self) -> dict[str, Any]:
        about = self._battle()
        game = Game.objects.get(pk=about["game_id"])
        services.write_note(game, self.people["bruno"], "wide" * 100)
        write(game.table.seats.get(user=self.people["anna"]), WIDE)
        return about

    def _answered(self) -> dict[str, Any]:
        """An answer link of a running game whose decision was already made."""
        game = Game.objects.get(pk=self.subjects["running"]["game_id"])
        old = LinkedDecision(game.pk, 1, self.people["bruno"].pk, decision_of(game).decision_step + 1000)
        return {"answer.token": answer_token(old)}

    def _final_ply(self) -> dict[str, Any]:
        about = self.subjects["finished"]
        return about | {"ply": Game.objects.get(pk=about["game_id"]).ply}

    def _rematched(self) -> dict[str, Any]:
        """A finished game after which Bruno asked for a rematch."""
        about = self.subjects["public"]
        services.make_rematch(Game.objects.get(pk=about["game_id"]), self.people["bruno"])
        return about

    def _rematch(self) -> dict[str, Any]:
        """The rematch's table, to which Anna is invited."""
        about = self._rematched()
        return {"table_id": Table.objects.get(rematch_of=about["game_id"]).pk}

    def _six(self) -> dict[str, Any]:
        """Practice against five bots."""
        return self._against(5)

    def _ended(self) -> dict[str, Any]:
        """A practice game played to its end."""
        about = self._against(1)
        play_to_the_end(Game.objects.get(pk=about["game_id"]))
        return about

    def _against(self, bots: int) -> dict[str, Any]:
        game = begin_practice(None, opponents=bots, strength="captain", form_key=uuid4())
        return {"game_id": game.pk, "ply": 1, "practice.key": game.table.practice_key}

    # Emails and people

    def _emails(self) -> None:
        """One captured email of each kind, and the tokens of World."""
        super()._emails()
        newest = {email.kind: email.pk for email in OutgoingEmail.objects.order_by("pk")}
        OutgoingEmail.objects.exclude(pk__in=newest.values()).delete()
        deliver_due()
        self.subjects["emails"] = {"pk": CapturedEmail.objects.exclude(html="").latest("pk").pk}

    def _away(self) -> dict[str, Any]:
        """Bruno has office hours and holidays, one of which is now."""
        change(self.people["bruno"], quiet_from=time(22), quiet_until=time(8), days_off=[2, 5, 6])
        for first in (today_of(self.people["bruno"]), date(2998, 12, 24), date(2999, 1, 1)):
            self.people["bruno"].holidays.create(first=first, last=first + timedelta(days=3))
        return {}

    def _invitations(self) -> dict[str, Any]:
        return self._list_of("bruno@example.org")

    def _refused(self) -> dict[str, Any]:
        refuse_invitations("refusing@example.org", refused=True)
        return self._list_of("refusing@example.org")

    def _list_of(self, address: str) -> dict[str, Any]:
        email = queue("invitation", to=address, key=f"seen-{address}", context={})
        path = unsubscribe_path(email, INVITATIONS)
        return {"unsubscribe.token": path.removeprefix(reverse("unsubscribe", args=["x"])[:-2]).strip("/")}

    def _passkey(self) -> dict[str, Any]:
        self.session("guarded")
        return {"pk": User.objects.get(email="guarded@example.org").authenticator_set.get(type="webauthn").pk}

"""Deals and promises: what was proposed to whom in a channel, and its outcome. They bind no one."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import clock
from games.chat.models.channels import Channel
from games.chat.models.messages import body_of
from games.models import Game

CHECKED_FOR_GOOD = 2**31 - 1  # used in place of a step once nothing can change the outcome any more


class Deal(models.Model):
    """A proposal in words, with promises, by one person in a channel. It holds once all parties accept."""

    class State(models.TextChoices):
        PROPOSED = "proposed"
        STANDING = "standing"  # accepted by all
        DECLINED = "declined"
        WITHDRAWN = "withdrawn"
        LAPSED = "lapsed"  # not accepted before its time or the game was over

    class Until(models.TextChoices):
        GAME = "game", _("The end of the game")
        ROUND = "round", _("The end of a round")
        BATTLE = "battle", _("The end of a battle")

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="deals")
    game = models.ForeignKey(Game, models.CASCADE, related_name="deals")
    number = models.PositiveIntegerField()  # counts the channel's deals
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="+", null=True, blank=True
    )
    text = models.TextField()
    html = models.TextField(editable=False)
    until = models.CharField(max_length=6, choices=Until, default=Until.GAME)
    until_number = models.PositiveSmallIntegerField(null=True, blank=True)
    state = models.CharField(max_length=9, choices=State, default=State.PROPOSED)
    made_at = models.DateTimeField(default=clock.now, editable=False)
    # the step at which the last party accepted
    stands_from = models.PositiveIntegerField(null=True, blank=True)
    # the step up to which the game has been checked for this deal
    checked_step = models.PositiveIntegerField(default=0)
    is_public = models.BooleanField(default=False)  # all its parties agreed, after the game

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=["channel", "number"], name="deal_number_once"),)
        indexes = (
            models.Index(
                fields=["game"],
                name="deal_open",
                condition=models.Q(checked_step__lt=CHECKED_FOR_GOOD),
            ),
        )

    def __str__(self) -> str:
        return f"{self.channel}, deal {self.number}"

    @property
    def body(self) -> SafeString:
        """Return the HTML of the deal's words."""
        return body_of(self.text, self.html)

    @property
    def words(self) -> DealPromise:
        """Return the promise of the deal's words, which its parties judge."""
        return next(promise for promise in self.promises.all() if promise.kind == DealPromise.Kind.WORDS)

    @property
    def judged(self) -> list[DealPromise]:
        """Return the promises that the site judges."""
        return [promise for promise in self.promises.all() if promise.kind != DealPromise.Kind.WORDS]

    @property
    def author_seat(self) -> int:
        """Return the seat of the deal's author, who promises its words."""
        return self.words.seat

    @property
    def others(self) -> list[DealParty]:
        """Return the parties the deal was proposed to."""
        return [party for party in self.parties.all() if party.seat != self.author_seat]


class DealParty(models.Model):
    """One of the parties to a deal, including its author."""

    class Answer(models.TextChoices):
        OPEN = "open", pgettext_lazy("answer to a deal", "Not answered")
        ACCEPTED = "accepted", pgettext_lazy("answer to a deal", "Accepted")
        DECLINED = "declined", pgettext_lazy("answer to a deal", "Declined")

    deal = models.ForeignKey(Deal, models.CASCADE, related_name="parties")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="+", null=True, blank=True
    )
    seat = models.PositiveSmallIntegerField()
    answer = models.CharField(max_length=8, choices=Answer, default=Answer.OPEN)
    answered_at = models.DateTimeField(null=True, blank=True)
    opens_at = models.DateTimeField(null=True, blank=True)  # when they agreed to make it public

    class Meta:
        ordering = ("seat",)
        constraints = (models.UniqueConstraint(fields=["deal", "seat"], name="party_once"),)

    def __str__(self) -> str:
        return f"{self.deal}, seat {self.seat}: {self.answer}"


class DealPromise(models.Model):
    """One thing that a party of a deal promises to do or not to do. The site judges what it can see."""

    class Kind(models.TextChoices):
        WORDS = "words"  # judged by the parties
        NO_ATTACK = "no attack", _("Will not attack this region")
        POPE = "pope", _("Will place the Pope on this region")
        PASSES = "passes", _("Will pass without playing another card in this battle, or the next")

    class State(models.TextChoices):
        OPEN = "open"
        KEPT = "kept"
        BROKEN = "broken"
        VOID = "void"  # could not be judged

    deal = models.ForeignKey(Deal, models.CASCADE, related_name="promises")
    seat = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=9, choices=Kind, default=Kind.WORDS)
    region = models.CharField(max_length=20, blank=True)
    state = models.CharField(max_length=6, choices=State, default=State.OPEN)
    judged_at = models.DateTimeField(null=True, blank=True)
    judged_step = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.deal}, seat {self.seat}: {self.kind} {self.region}, {self.state}"


class Verdict(models.Model):
    """A party's verdict on a promise that the site can't judge."""

    promise = models.ForeignKey(DealPromise, models.CASCADE, related_name="verdicts")
    seat = models.PositiveSmallIntegerField()
    says = models.CharField(max_length=6, choices=DealPromise.State)
    at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["promise", "seat"], name="verdict_once"),)

    def __str__(self) -> str:
        return f"{self.promise}: seat {self.seat} says {self.says}"

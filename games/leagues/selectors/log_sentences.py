"""The sentences of a league's log: each kind of event, as the people concerned and others read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext_lazy, ngettext_lazy

from games.leagues.models import AuditEvent, Concern

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Text

Kind = AuditEvent.Kind


class ActSentences(NamedTuple):
    """What someone did, as they read it and as others read it; `auto` if the season did it."""

    you: Text | str = ""
    name: Text | str = ""
    auto: Text | str = ""


class ActOnPlayerSentences(NamedTuple):
    """What someone did that concerns one player: the first word is who did it, the second who it concerns."""

    you_player: Text
    name_you: Text
    name_player: Text
    auto_you: Text | str = ""
    auto_player: Text | str = ""


# Placeholders: name is an organiser or a player, player another one; until is a date with a time; seed is a
# long number; division, before and after are letters of divisions; round is a number; awards is a list such
# as "Anna (4), Bruno (3)"; players is a list of names.
ACTS: dict[str, ActSentences] = {
    Kind.FOUNDED: ActSentences(
        gettext_lazy("You created the league."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s created the league."),
    ),
    Kind.CHANGED: ActSentences(
        gettext_lazy("You changed the league’s details."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s changed the league’s details."),
    ),
    Kind.STILL_HERE: ActSentences(
        gettext_lazy("You said that you still organise the league."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s said that they still organise the league."),
    ),
    Kind.NO_ORGANISER: ActSentences(
        gettext_lazy("You stepped down as an organiser."),
        # Translators: name is a player who was an organiser
        gettext_lazy("%(name)s is no longer an organiser."),
    ),
    Kind.PLANNED: ActSentences(
        gettext_lazy("You planned the season."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s planned the season."),
        gettext_lazy("The season was planned automatically."),
    ),
    Kind.REPLANNED: ActSentences(
        gettext_lazy("You changed the season’s plan."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s changed the season’s plan."),
    ),
    Kind.OPENED: ActSentences(
        gettext_lazy("You opened sign-up."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s opened sign-up."),
        gettext_lazy("Sign-up opened."),
    ),
    Kind.INVITED: ActSentences(  # not whom: that is private
        ngettext_lazy("You invited %(count)d player.", "You invited %(count)d players.", "count"),
        # Translators: name is an organiser
        ngettext_lazy("%(name)s invited %(count)d player.", "%(name)s invited %(count)d players.", "count"),
    ),
    Kind.CHASED: ActSentences(
        ngettext_lazy(
            "You reminded %(count)d person to answer.", "You reminded %(count)d people to answer.", "count"
        ),
        ngettext_lazy(
            # Translators: name is an organiser
            "%(name)s reminded %(count)d person to answer.",
            "%(name)s reminded %(count)d people to answer.",
            "count",
        ),
        ngettext_lazy(
            "%(count)d person was reminded to answer.", "%(count)d people were reminded to answer.", "count"
        ),
    ),
    Kind.SIGN_UP_LONGER: ActSentences(
        # Translators: until is a date with a time
        auto=gettext_lazy("Sign-up was extended until %(until)s."),
    ),
    Kind.ASKED: ActSentences(auto=gettext_lazy("The players were asked to confirm their places.")),
    Kind.DRAWN: ActSentences(
        # Translators: seed is a long number
        gettext_lazy("You started the season, and its divisions were drawn. The seed is %(seed)s."),
        # Translators: name is an organiser; seed is a long number
        gettext_lazy("%(name)s started the season, and its divisions were drawn. The seed is %(seed)s."),
        # Translators: seed is a long number
        gettext_lazy("The divisions were drawn. The seed is %(seed)s."),
    ),
    Kind.CANCELLED: ActSentences(
        gettext_lazy("You cancelled the season."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s cancelled the season."),
        gettext_lazy("The season was cancelled."),
    ),
    Kind.WITHDREW: ActSentences(
        gettext_lazy("You withdrew from the season."),
        # Translators: name is a player
        gettext_lazy("%(name)s withdrew from the season."),
    ),
    Kind.ROUND_DRAWN: ActSentences(auto=gettext_lazy("The round was drawn.")),
    Kind.FINAL: ActSentences(
        you=gettext_lazy("The final began, with you at its table."),
        # Translators: players is a list of names
        auto=gettext_lazy("The final began with %(players)s."),
    ),
    Kind.SKIPPED: ActSentences(
        gettext_lazy("You decided to skip your table of this round."),
        # Translators: name is a player
        gettext_lazy("%(name)s decided to skip their table of this round."),
    ),
    Kind.NOT_SKIPPED: ActSentences(
        gettext_lazy("You decided to play your table of this round after all."),
        # Translators: name is a player
        gettext_lazy("%(name)s decided to play their table of this round after all."),
    ),
    Kind.LEFT_OUT: ActSentences(
        you=gettext_lazy("You were away for too long, so your table of this round plays without you."),
        # Translators: players is a list of names
        auto=gettext_lazy("The table was to begin without players who were away: %(players)s."),
    ),
    Kind.MADE_UP: ActSentences(
        you=gettext_lazy("A table began for you in place of one that you missed while away."),
        # Translators: players is a list of names
        auto=gettext_lazy("A table began for players who had been away: %(players)s."),
    ),
    Kind.EXTENDED: ActSentences(
        # Translators: until is a date with a time
        gettext_lazy("You extended the table until %(until)s."),
        # Translators: name is an organiser; until is a date with a time
        gettext_lazy("%(name)s extended the table until %(until)s."),
        # Translators: until is a date with a time
        gettext_lazy("The table was extended until %(until)s."),
    ),
    Kind.ADJUDICATED: ActSentences(
        # Translators: players is a list of names
        gettext_lazy("You adjudicated the table. Players: %(players)s."),
        # Translators: name is an organiser; players is a list of names
        gettext_lazy("%(name)s adjudicated the table. Players: %(players)s."),
        # Translators: players is a list of names
        gettext_lazy("The table was late and was adjudicated. Players: %(players)s."),
    ),
    Kind.AWARDED: ActSentences(
        # Translators: awards is a list such as "Anna (4), Bruno (3)"
        gettext_lazy("You awarded points: %(awards)s."),
        # Translators: name is an organiser; awards is a list such as "Anna (4), Bruno (3)"
        gettext_lazy("%(name)s awarded points: %(awards)s."),
    ),
    Kind.UNAWARDED: ActSentences(
        gettext_lazy("You withdrew an award. The points count as played."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s withdrew an award. The points count as played."),
    ),
    Kind.REMINDED: ActSentences(
        gettext_lazy("You reminded the players whose turn it was."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s reminded the players whose turn it was."),
    ),
    Kind.WROTE: ActSentences(
        gettext_lazy("You wrote to the players."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s wrote to the players."),
    ),
    Kind.ANSWERED: ActSentences(
        gettext_lazy("You answered a player. Nothing had to be done."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s answered a player. Nothing had to be done."),
    ),
    Kind.PAUSED: ActSentences(
        # Translators: until is a date with a time
        gettext_lazy("You paused the league until %(until)s. No clock runs, and no table begins."),
        # Translators: name is an organiser; until is a date with a time
        gettext_lazy("%(name)s paused the league until %(until)s. No clock runs, and no table begins."),
    ),
    Kind.RESUMED: ActSentences(
        gettext_lazy("You ended the league’s pause. Clocks run again."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s ended the league’s pause. Clocks run again."),
        gettext_lazy("The league’s pause is over. Clocks run again."),
    ),
    Kind.CLOSED: ActSentences(auto=gettext_lazy("The season ended.")),
}


ACTS_ON_PLAYERS: dict[str, ActOnPlayerSentences] = {
    Kind.ORGANISER: ActOnPlayerSentences(
        # Translators: player is a name
        gettext_lazy("You made %(player)s an organiser."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s made you an organiser."),
        # Translators: name is an organiser, player the new one
        gettext_lazy("%(name)s made %(player)s an organiser."),
        gettext_lazy("The site’s operator made you an organiser."),
        # Translators: player is a name
        gettext_lazy("The site’s operator made %(player)s an organiser."),
    ),
    Kind.STILL_HERE: ActOnPlayerSentences(
        # Translators: player is an organiser
        gettext_lazy("You asked %(player)s whether they still organise the league."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s asked you whether you still organise the league."),
        # Translators: name is an organiser, player another one
        gettext_lazy("%(name)s asked %(player)s whether they still organise the league."),
    ),
    Kind.MOVED: ActOnPlayerSentences(
        # Translators: player is a name; before and after are letters of divisions
        gettext_lazy("You moved %(player)s from division %(before)s to division %(after)s."),
        # Translators: name is an organiser; before and after are letters of divisions
        gettext_lazy("%(name)s moved you from division %(before)s to division %(after)s."),
        # Translators: name is an organiser, player someone else; before and after are letters of divisions
        gettext_lazy("%(name)s moved %(player)s from division %(before)s to division %(after)s."),
    ),
    Kind.EXPELLED: ActOnPlayerSentences(
        # Translators: player is a name
        gettext_lazy("You expelled %(player)s from the season."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s expelled you from the season."),
        # Translators: name is an organiser, player someone else
        gettext_lazy("%(name)s expelled %(player)s from the season."),
    ),
    Kind.REPLACED: ActOnPlayerSentences(
        # Translators: player is a name
        gettext_lazy("You replaced %(player)s at a table."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s replaced you at a table. You’re still in the season."),
        # Translators: name is an organiser, player someone else
        gettext_lazy("%(name)s replaced %(player)s at a table."),
    ),
    Kind.SUBSTITUTED: ActOnPlayerSentences(
        # Translators: player is a name
        gettext_lazy("You gave a seat at a table to %(player)s."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s gave you a seat at a table."),
        # Translators: name is an organiser, player someone else
        gettext_lazy("%(name)s gave a seat at a table to %(player)s."),
        gettext_lazy("You took a seat as a substitute."),
        # Translators: player is a name
        gettext_lazy("%(player)s took a seat as a substitute."),
    ),
    Kind.LEFT_TO_BOT: ActOnPlayerSentences(
        # Translators: player is a name
        gettext_lazy("You left the seat of %(player)s to a bot."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s left your seat to a bot."),
        # Translators: name is an organiser, player someone else
        gettext_lazy("%(name)s left the seat of %(player)s to a bot."),
    ),
    Kind.FILLED: ActOnPlayerSentences(
        # Translators: player is a name; division is its letter
        gettext_lazy("You gave %(player)s a place in division %(division)s, from round %(round)d on."),
        # Translators: name is an organiser; division is its letter
        gettext_lazy("%(name)s gave you a place in division %(division)s, from round %(round)d on."),
        # Translators: name is an organiser, player someone else; division is its letter
        gettext_lazy("%(name)s gave %(player)s a place in division %(division)s, from round %(round)d on."),
        # Translators: division is its letter
        gettext_lazy("You got a free place in division %(division)s, from round %(round)d on."),
        # Translators: player is a name; division is its letter
        gettext_lazy("%(player)s got a free place in division %(division)s, from round %(round)d on."),
    ),
}


MADE_ASSISTANT = ActOnPlayerSentences(
    # Translators: player is a name
    gettext_lazy("You made %(player)s an assistant."),
    # Translators: name is an organiser
    gettext_lazy("%(name)s made you an assistant."),
    # Translators: name is an organiser, player the new assistant
    gettext_lazy("%(name)s made %(player)s an assistant."),
)


REMOVED_ASSISTANT = ActOnPlayerSentences(
    # Translators: player is a name
    gettext_lazy("You removed %(player)s as an assistant."),
    # Translators: name is an organiser
    gettext_lazy("%(name)s removed you as an assistant."),
    # Translators: name is an organiser, player was an assistant
    gettext_lazy("%(name)s removed %(player)s as an assistant."),
)


REMOVED_ORGANISER = ActOnPlayerSentences(
    # Translators: player is a name
    gettext_lazy("You removed %(player)s as an organiser. They hadn’t answered for 14 days."),
    # Translators: name is an organiser
    gettext_lazy("%(name)s removed you as an organiser. You hadn’t answered for 14 days."),
    # Translators: name is an organiser, player was one
    gettext_lazy("%(name)s removed %(player)s as an organiser. They hadn’t answered for 14 days."),
)


NO_ASSISTANT = ActSentences(
    gettext_lazy("You stepped down as an assistant."),
    # Translators: name is a player who was an assistant
    gettext_lazy("%(name)s is no longer an assistant."),
)


LEFT_TO_BOT = ActSentences(  # at an anonymous table, or after a player's account was deleted
    gettext_lazy("You left a free seat to a bot."),
    # Translators: name is an organiser
    gettext_lazy("%(name)s left a free seat to a bot."),
)


STARTED = ActSentences(  # a season with one division
    # Translators: seed is a long number
    gettext_lazy("You started the season. The seed is %(seed)s."),
    # Translators: name is an organiser; seed is a long number
    gettext_lazy("%(name)s started the season. The seed is %(seed)s."),
    # Translators: seed is a long number
    gettext_lazy("The season started. The seed is %(seed)s."),
)


CORRECTED_RESULT = ActSentences(  # without other points
    gettext_lazy("You corrected the result of a table."),
    # Translators: name is an organiser
    gettext_lazy("%(name)s corrected the result of a table."),
)


TOOK_SEAT = ActSentences(
    gettext_lazy("You took a free seat."),
    # Translators: name is an organiser
    gettext_lazy("%(name)s took a free seat."),
)


ANSWERS: dict[str, ActSentences] = {  # by what the organiser did, if anything
    Concern.Outcome.AWARD: ActSentences(
        gettext_lazy("You answered a player and awarded points."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s answered a player and awarded points."),
    ),
    Concern.Outcome.MORE_TIME: ActSentences(
        gettext_lazy("You answered a player and gave more time."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s answered a player and gave more time."),
    ),
    Concern.Outcome.OTHER: ActSentences(
        gettext_lazy("You answered a player and did something else."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s answered a player and did something else."),
    ),
}

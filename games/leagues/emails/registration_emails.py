"""Emails sent before a season is played: sign-up, places and divisions."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from accounts.mail.email_content import Content
from accounts.mail.email_kinds import email_kind
from accounts.mail.list_names import INVITATIONS
from accounts.mail.models import OutgoingEmail
from accounts.names import alphabetical, first_in_sentence
from games.leagues.emails.email_paths import division_path, season_path
from games.leagues.emails.email_rows import entry_of, season_of
from games.leagues.emails.league_context import EmailButton, at, email_content
from games.leagues.links import entry_url, invited_url
from games.leagues.models import AuditEvent, Division, Invitation, Registration, Season
from games.leagues.selectors.concern_texts import paragraphs_of
from games.leagues.selectors.introductions import about_in_short
from games.leagues.selectors.league_log import reason_of
from games.leagues.selectors.names_in_leagues import name_in, names_in
from games.leagues.selectors.next_steps import holiday_text, place_text
from games.leagues.selectors.season_rules import effort
from games.leagues.services.schedule import answers_by
from games.leagues.services.starting_holidays import holiday_over_start


@email_kind("league_opens", name=gettext_lazy("Sign-up for a season is open"))
def league_opens(email: OutgoingEmail) -> Content | None:
    """Tell players of the last season, and those with a reserved place, that sign-up is open."""
    season = season_of(email.context["season"])
    entry = season.entries.filter(user=email.to_user_id).first()
    if season.state != Season.State.SIGN_UP or (entry and entry.state != Registration.State.EXPECTED):
        return None
    # Translators: at is a moment with its city, such as "Friday 6 March, 14:10 (Rome)"
    sentences = [_("Sign up by %(at)s.") % {"at": at(season.signup_ends_at)}]
    if entry is not None and entry.reserved and season.most_divisions == 1:
        sentences.append(_("We keep a place for you until then."))
    elif entry is not None and entry.reserved:
        # Translators: letter is the division's
        kept = _("We keep a place in division %(letter)s for you until then.")
        sentences.append(kept % {"letter": Division(level=entry.reserved).letter})
    return email_content(
        email,
        season,
        _("Sign up for season %(number)d") % {"number": season.number},
        [*_words_of_reminder(email), *sentences, *effort(season)],
        EmailButton(_("Read the rules and sign up"), season_path(season)),
    )


@email_kind("league_invitation", name=gettext_lazy("Invitation to a league"), asks=True)
def league_invitation(email: OutgoingEmail) -> Content | None:
    """Invite an email address to a season, with a link to sign up."""
    invited = Invitation.objects.select_related("season__league", "by").get(pk=email.context["invited"])
    season = invited.season
    before = (Season.State.SIGN_UP, Season.State.CONFIRMING)  # too few players may have signed up in time
    if invited.state != Invitation.State.SENT or season.state not in before:
        return None
    # Translators: name is a player's
    text = _("%(name)s invites you to play the board game Condottiere by email, in a league.")
    sentences = [text % {"name": invited.by.shown_name}, *about_in_short(season.league)]
    if invited.name:
        # Translators: name is that of the invited person
        sentences.insert(0, _("Hello %(name)s,") % {"name": invited.name})
    if invited.level:
        letter_of = Division(level=invited.level).letter
        # Translators: letter is the division's
        sentences.append(_("We keep a place in division %(letter)s for you.") % {"letter": letter_of})
    if season.state == Season.State.SIGN_UP:
        # Translators: at is a moment with its city, such as "Friday 6 March, 14:10 (Rome)"
        sentences.append(_("Sign up by %(at)s.") % {"at": at(season.signup_ends_at)})
    if email.to_user_id is None:
        sentences.append(_("You don’t need an account to sign up and play."))
    return email_content(
        email,
        season,
        _("Reminder: an invitation to a league") if "event" in email.context else _("Invitation to a league"),
        [*sentences[:1], *_words_of_reminder(email), *sentences[1:], *effort(season)],
        EmailButton(_("Read the rules, sign up or decline"), invited_url(invited)),
        list_id=INVITATIONS,
        list_name=pgettext("kind of email", "Invitations"),
        invited_by=invited.by.shown_name,
    )


@email_kind("league_place", name=gettext_lazy("You have a place in a season"), asks=True)
def league_place(email: OutgoingEmail) -> Content | None:
    """Tell a player on the waiting list that they now have a place."""
    entry = entry_of(email.context["entry"])
    season = entry.season
    if entry.is_out or entry.state == Registration.State.WAITING:
        return None
    sentences = [_("A place became free, so you now play in this season.")]
    if entry.can_confirm:
        sentences.append(_keep_it_text(season))
        action = EmailButton(_("Confirm or leave"), entry_url(entry))
    else:
        action = EmailButton(_("Open the season"), season_path(season))
    if entry.division is None:
        sentences += effort(season)
    elif season.most_divisions > 1:
        # Translators: letter is the division's
        sentences.append(_("You play in division %(letter)s.") % {"letter": entry.division.letter})
    return email_content(email, season, _("You have a place"), sentences, action)


@email_kind("league_request", name=gettext_lazy("An answer to your request to join a season"))
def league_request(email: OutgoingEmail) -> Content | None:
    """Tell someone that an organiser has accepted or declined their request to join."""
    entry = entry_of(email.context["entry"])
    season = entry.season
    action = EmailButton(_("Open the season"), season_path(season))
    if entry.state == Registration.State.DECLINED:
        sentences = [
            _("An organiser has declined your request to join this season."),
            *paragraphs_of(entry.reason),
        ]
        return email_content(email, season, _("Your request was declined"), sentences, action)
    if entry.is_out or entry.state == Registration.State.REQUESTED:
        return None
    sentences = [_("An organiser has accepted your request to join this season."), place_text(entry)]
    return email_content(email, season, _("Your request was accepted"), [*sentences, *effort(season)], action)


@email_kind("league_no_show", name=gettext_lazy("You lost your place in a season"))
def league_no_show(email: OutgoingEmail) -> Content | None:
    """Tell a player who did not confirm in time that someone else has their place, and what they can do."""
    entry = entry_of(email.context["entry"])
    if entry.state != Registration.State.NO_SHOW or entry.season.state in Season.OVER:
        return None
    sentences = [
        _("You didn’t confirm in time, so your place went to someone who was waiting."),
        _("You can join the waiting list: if a player leaves, the first person on it takes their place."),
    ]
    return email_content(
        email,
        entry.season,
        _("You lost your place"),
        sentences,
        EmailButton(_("Open the season"), season_path(entry.season)),
    )


@email_kind("league_confirm", name=gettext_lazy("Confirm your place in a season"), asks=True)
def league_confirm(email: OutgoingEmail) -> Content | None:
    """Ask a player with a place, or waiting for one, to confirm in time; also the only reminder of it."""
    entry = entry_of(email.context["entry"])
    season = entry.season
    if not entry.can_confirm:
        return None
    words = {"number": season.number, "until": at(answers_by(season))}
    if entry.state == Registration.State.WAITING:
        heading = _("Would you still play season %(number)d?") % words
        # Translators: until is a moment with its city, such as "Friday 6 March, 14:10 (Rome)"
        asked = _("You’re on the waiting list. Confirm by %(until)s that you’ll play if you get a place.")
        sentences = [
            asked % words,
            _("If a player doesn’t confirm, their place goes to someone who waits and has."),
        ]
    elif email.context.get("again"):
        heading = _("Reminder: confirm your place in season %(number)d") % words
        sentences = [_("You haven’t confirmed yet."), _keep_it_text(season)]
    else:
        heading = _("Confirm your place in season %(number)d") % words
        sentences = [_keep_it_text(season)]
    sentences = [*_words_of_reminder(email), *sentences]
    away = holiday_over_start(entry)
    sentences += [str(text) for text in holiday_text(entry, away)] if away else []
    action = EmailButton(_("Confirm or leave"), entry_url(entry))
    return email_content(email, season, heading, [*sentences, *effort(season)], action)


def _words_of_reminder(email: OutgoingEmail) -> list[str]:
    """Return what an organiser wrote with a reminder, if this is one and they wrote anything."""
    event = AuditEvent.objects.filter(pk=email.context.get("event")).exclude(reason="").first()
    if event is None or event.by is None:
        return []
    # Translators: name is an organiser; their own words follow
    said = _("%(name)s writes:") % {"name": first_in_sentence(name_in(event.league_id, event.by))}
    return [said, *paragraphs_of(event.reason)]


def _keep_it_text(season: Season) -> str:
    # Translators: until is a moment with its city, such as "Friday 6 March, 14:10 (Rome)"
    text = _("Confirm your place by %(until)s. After that you keep it only if no one is waiting for it.")
    return text % {"until": at(answers_by(season))}


@email_kind("league_begins", name=gettext_lazy("The divisions of a season are drawn"))
def league_begins(email: OutgoingEmail) -> Content | None:
    """Tell all players that the season begins and the divisions are drawn."""
    entry = entry_of(email.context["entry"])
    if entry.division is None or entry.state != Registration.State.PLAYING:
        return None
    others = entry.division.entries.exclude(pk=entry.pk).select_related("user")
    called = names_in([entry.season.league_id], [other.user for other in others])
    names = sorted(called.values(), key=alphabetical)
    division, season = entry.division, entry.season
    words = {"letter": division.letter, "number": season.number, "at": at(season.begins_at)}
    is_only = season.most_divisions == 1
    sentences = [
        # Translators: letter is the division's
        (_("You play in season %(number)d.") if is_only else _("You play in division %(letter)s.")) % words,
        # Translators: at is a moment with its city, such as "Friday 6 March, 14:10 (Rome)"
        _("The first tables begin on %(at)s, automatically. We’ll email you when it’s your turn.") % words,
    ]
    return email_content(
        email,
        division,
        _("Season %(number)d starts soon") % words,
        sentences,
        EmailButton(_("Open the standings") if is_only else _("Open your division"), division_path(division)),
        listed=names,
        list_title=_("Other players") if is_only else _("Other players in your division"),
    )


@email_kind("league_cancelled", name=gettext_lazy("A season was cancelled"))
def league_cancelled(email: OutgoingEmail) -> Content | None:
    """Tell everyone who signed up, waited or was invited that the season is cancelled."""
    season = season_of(email.context["season"])
    event = season.events.filter(kind=AuditEvent.Kind.CANCELLED).first()
    sentences = [_("This season won’t be played. You don’t have to do anything.")]
    if event is not None and (reason := reason_of(event)):
        sentences.append(_("Reason: %(reason)s") % {"reason": reason})
    return email_content(
        email, season, _("Season %(number)d is cancelled") % {"number": season.number}, sentences
    )

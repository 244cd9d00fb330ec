"""Export and erase an account's own personal data.

The row stays, so that games keep their seats, but nothing in it identifies the person.
"""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.conf import settings

from accounts import clock, sign_in_codes
from accounts.blocking import blocks_of
from accounts.models import User
from accounts.sessions import end_sessions_of

# Preferences that erasing resets to the defaults of a new account.
_RESET_PREFERENCES = (
    "time_zone",
    "time_zone_chosen",
    "frequency",
    "batch_minutes",
    "at_once_when_alone",
    "digest_at",
    "every_move",
    "reminders",
    "push_kinds",
    "push_instead",
    "quiet_from",
    "quiet_until",
    "days_off",
    "feed_key",
    "hides_page",
)


def export(user: User) -> dict[str, Any]:
    """Return the account, its preferences and sign-in methods, without any secret used to sign in."""
    return {
        "account": _account(user),
        "calendar": _calendar(user),
        "blocks": [{"whom": one.whom.shown_name, "since": one.since} for one in blocks_of(user)],
        "tokens": _tokens(user),
        "bots": [_bot(bot) for bot in user.bots.filter(deleted_at=None).order_by("pk")],
        "addresses": list(
            EmailAddress.objects.filter(user=user).order_by("pk").values("email", "verified", "primary")
        ),
        "sessions": list(
            UserSession.objects.filter(user=user)
            .order_by("pk")
            .values("created_at", "last_seen_at", "ip", "user_agent")
        ),
        "second_steps": list(
            Authenticator.objects.filter(user=user)
            .order_by("pk")
            .values("type", "created_at", "last_used_at")
        ),
    }


def erase(user: User) -> None:
    """Empty the account permanently and end its sessions, in the caller's transaction."""
    addresses = EmailAddress.objects.filter(user=user).values_list("email", flat=True)
    end_sessions_of(user, {user.email, *addresses})
    EmailAddress.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    user.api_tokens.all().delete()
    sign_in_codes.delete_codes_of(user.email)
    user.holidays.all().delete()
    user.groups.clear()
    user.user_permissions.clear()
    _empty_row(user)


def _tokens(user: User) -> list[dict[str, Any]]:
    columns = "name", "ending", "scopes", "since", "expires_at", "used_on"
    return [dict(row) for row in user.api_tokens.values(*columns)]


def _bot(bot: User) -> dict[str, Any]:
    return {"name": bot.name, "joined_at": bot.joined_at, "tokens": _tokens(bot)}


def _account(user: User) -> dict[str, Any]:
    return {
        "email": user.email,
        "name": user.name,
        "language": user.language,
        "time_zone": user.time_zone,
        "time_zone_chosen": user.time_zone_chosen,
        "hand_in_emails": user.hand_in_emails,
        "plays_at_once": user.plays_at_once,
        "hides_page": user.hides_page,
        "chat_emails": user.chat_emails,
        "frequency": user.frequency,
        "batch_minutes": user.batch_minutes,
        "at_once_when_alone": user.at_once_when_alone,
        "digest_at": user.digest_at,
        "every_move": user.every_move,
        "reminders": user.reminders,
        "push_kinds": user.push_kinds,
        "push_instead": user.push_instead,
        "has_password": user.has_usable_password(),
        "is_operator": user.is_staff,
        "joined_at": user.joined_at,
        "last_signed_in_at": user.last_login,
    }


def _calendar(user: User) -> dict[str, Any]:
    """Return the person's working hours; of the secret calendar URL, only whether it exists."""
    return {
        "quiet_from": user.quiet_from,
        "quiet_until": user.quiet_until,
        "days_off": user.days_off,
        "holidays": list(user.holidays.values("first", "last", "announced_at")),
        "has_feed": user.feed_key is not None,
    }


def _empty_row(user: User) -> None:
    usual = User()
    for name in _RESET_PREFERENCES:
        setattr(user, name, getattr(usual, name))
    user.email = f"former-{user.pk}@deleted.invalid"  # RFC 2606: a domain that never exists
    user.name, user.name_chosen = "", True
    user.language = settings.LANGUAGE_CODE  # a new account has the language of the page, which is theirs
    user.hand_in_emails = False
    user.plays_at_once = False
    user.chat_emails = User.ChatEmails.NEVER
    user.is_active = user.is_staff = user.is_superuser = False
    user.joined_at = user.deleted_at = clock.now()
    user.last_login = None
    user.set_unusable_password()
    user.save()

"""Builders of account emails: codes and change notices. None of them can be turned off."""

from datetime import datetime, timedelta

from django.conf import settings
from django.dispatch import receiver
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from accounts import clock
from accounts.addresses import absolute_url, normal_address, readable_address
from accounts.mail import unsubscribe_switches
from accounts.mail.email_content import Content, own_page
from accounts.mail.email_kinds import email_kind
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.models import User
from accounts.push.models import NoticeTarget
from accounts.reader_links import own_page_url
from accounts.signals import target_switched_off

CODE_LASTS = timedelta(minutes=15)  # must match the settings for every kind of code

# allauth's email names, and the purpose of each code
_PURPOSES = {
    "login_code": "sign in",
    "email_confirmation": "confirm",
    "email_confirmation_signup": "confirm",
    "password_reset_code": "password",
}
_NOTICES = {
    # Translators: token_name is what the person calls the token.
    "api_token_made": gettext_noop(
        "A token was made for your account: “%(token_name)s”. A program that has it can act for you."
    ),
    # Translators: bot_name is the name of the person's bot; token_name is what they call the token.
    "bot_token_made": gettext_noop(
        "A token was made for your bot %(bot_name)s: “%(token_name)s”. A program that has it can play for it."
    ),
    "email_changed": gettext_noop(
        "The address of your account was changed from %(from_email)s to %(to_email)s."
    ),
    "email_confirm": gettext_noop("An address of your account was confirmed."),
    "email_deleted": gettext_noop("The address %(deleted_email)s was removed from your account."),
    "password_changed": gettext_noop("The password of your account was changed."),
    "password_reset": gettext_noop("The password of your account was reset."),
    "password_set": gettext_noop("A password was set for your account."),
    "recovery_codes_generated": gettext_noop("New recovery codes were made for your account."),
    "totp_activated": gettext_noop("An authenticator app was added to your account."),
    "totp_deactivated": gettext_noop("The authenticator app was removed from your account."),
    "webauthn_added": gettext_noop("A passkey or security key was added to your account."),
    "webauthn_removed": gettext_noop("A passkey or security key was removed from your account."),
}
_ADDRESSES = ("from_email", "to_email", "deleted_email")
_OTHER_NOTICE = gettext_noop("A setting for signing in was changed.")


@email_kind("account", name=gettext_lazy("Signing in"))
def account(email: OutgoingEmail) -> Content | None:
    """Build the email that the adapter queued; None for a code that would arrive expired."""
    name = email.context["notice"]
    if name in _PURPOSES:
        return None if clock.now() - email.created_at > CODE_LASTS else _build_code(email, _PURPOSES[name])
    if name in ("unknown_account", "account_already_exists"):
        context = {"email": readable_address(email.context["email"]), "login_url": own_page(email, "home")}
        return Content(f"account/{name}", context)
    if name == "account_deleted":
        return Content("account/deleted", {"at": email.created_at})
    return _build_notice(email, _NOTICES.get(name, _OTHER_NOTICE))


@email_kind("fewer_emails", name=gettext_lazy("You chose fewer emails"))
def fewer_emails(email: OutgoingEmail) -> Content | None:
    """Build the confirmation of an unsubscribe click on a turn email: what still comes, and how to undo it.

    None if the reader has changed it since.
    """
    reader, switch = email.to_user, email.context["switch"]
    if reader is None or not unsubscribe_switches.is_turned_off(reader, switch):
        return None
    if switch == unsubscribe_switches.TURNS and reader.gets_no_emails:
        return None  # another email says so
    context = {
        "switch": switch,
        "undo_url": absolute_url(unsubscribe_switches.undo_path(email.context["undo"])),
        "preferences_url": own_page(email, "email_preferences"),
    }
    return Content("fewer_emails", context)


@email_kind("channel_off", name=gettext_lazy("Notification channel switched off"))
def channel_off(email: OutgoingEmail) -> Content | None:
    """Build the email about a target that was switched off; None if it's on again or removed."""
    target = NoticeTarget.objects.filter(pk=email.context["target"], off_at__isnull=False).first()
    if target is None:
        return None
    page = own_page(email, "notice_target", target.pk)
    return Content("channel_off", {"target": target, "page_url": page})


@receiver(target_switched_off)
def email_about_target(target: NoticeTarget, now: datetime, **_more: object) -> None:
    """Tell the person that their target was switched off; of a bot's, its owner."""
    key = f"channel_off:{target.pk}:{now.isoformat()}"
    queue("channel_off", to=target.user.owner or target.user, key=key, context={"target": target.pk})


def _build_code(email: OutgoingEmail, purpose: str) -> Content:
    minutes = int(CODE_LASTS.total_seconds() // 60)
    context = {
        "code": email.context["code"],
        "purpose": purpose,
        "minutes": minutes,
        "at": email.created_at,
        "browser": email.context.get("browser", ""),
        "system": email.context.get("system", ""),
    }
    return Content("account/code", context)


def _build_notice(email: OutgoingEmail, sentence: str) -> Content:
    facts = email.context
    addresses = {name: readable_address(facts[name]) for name in _ADDRESSES if name in facts}
    context = {
        "what": _(sentence) % {**facts, **addresses},
        "at": parse_datetime(facts.get("timestamp", "")) or email.created_at,
        "ip": facts.get("ip", ""),
        "user_agent": facts.get("user_agent", ""),
        "profile_url": own_page_url(_reader_now(email), reverse("profile")),
        "operator": _operator_to_write_to() if facts["notice"] == "email_changed" else "",
    }
    return Content("account/notice", context)


def _operator_to_write_to() -> str:
    """Return whom to write to after losing an account; empty if the operator gave no name."""
    return f"{settings.OPERATOR_NAME} <{settings.OPERATOR_EMAIL}>" if settings.OPERATOR_NAME else ""


def _reader_now(email: OutgoingEmail) -> User | OutgoingEmail:
    """Return the account by its current sign-in address; the notice of a new address goes to the old one."""
    address = email.context.get("to_email") or email.to_address
    return User.objects.filter(email=normal_address(address)).first() or email

"""Read-only admin pages for outgoing emails, suppressed addresses and mail server health.

An email's context is not shown: a queued email may carry a sign-in code.
"""

from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import clock
from accounts.addresses import normal_address
from accounts.mail import set_aside, suppression
from accounts.mail.models import MailServerHealth, OutgoingEmail, SetAsideMessage, SuppressedAddress

if TYPE_CHECKING:
    EmailModelAdmin = admin.ModelAdmin[OutgoingEmail]
    SuppressedAddressModelAdmin = admin.ModelAdmin[SuppressedAddress]
    MailServerModelAdmin = admin.ModelAdmin[MailServerHealth]
    SetAsideModelAdmin = admin.ModelAdmin[SetAsideMessage]
else:
    EmailModelAdmin = SuppressedAddressModelAdmin = MailServerModelAdmin = admin.ModelAdmin
    SetAsideModelAdmin = admin.ModelAdmin

_LOOKUPS_OF_FILTERS = frozenset({"", "exact", "in", "isnull", "gte", "lt"})


class OwnLookupsOnly:
    """Admin mixin that accepts in the address only the lookups of its own filters.

    Django allows any column of the row: `?password__startswith=` would reveal one piece by piece.
    """

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Return whether one of the admin's filters makes this lookup."""
        field, _separator, kind = lookup.partition("__")
        return field in cast(Any, self).get_list_filter(request) and kind in _LOOKUPS_OF_FILTERS

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> Any:
        """Search for an address as it is stored."""
        words = (normal_address(word) if "@" in word else word for word in search_term.split())
        return cast(Any, super()).get_search_results(request, queryset, " ".join(words))


class ReadOnly(OwnLookupsOnly):
    """Admin mixin that forbids adding, editing and deleting rows."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: only the site creates these rows."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: the record must stay as it happened."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: a deleted email would let the same one be queued again."""
        return False


@admin.register(OutgoingEmail)
class OutgoingEmailAdmin(ReadOnly, EmailModelAdmin):
    """Outgoing emails with their delivery state and last error."""

    list_display = ("created_at", "kind", "to_address", "state", "attempts", "not_before", "last_error")
    list_filter = ("state", "kind")
    search_fields = ("to_address", "message_id")
    ordering = ("-pk",)
    show_full_result_count = False
    fields = (
        "kind",
        "to_address",
        "state",
        "attempts",
        "not_before",
        "leased_until",
        "sent_at",
        "created_at",
        "message_id",
        "last_error",
    )
    readonly_fields = fields


@admin.register(SuppressedAddress)
class SuppressedAddressAdmin(ReadOnly, SuppressedAddressModelAdmin):
    """Suppressed addresses. An operator can lift the suppression."""

    list_display = ("address", "cause", "since", "reason")
    list_filter = ("cause",)
    search_fields = ("address",)
    ordering = ("-since",)
    fields = ("address", "cause", "since", "reason")
    readonly_fields = fields
    actions = ("unsuppress",)

    @admin.action(description=_("Send emails to these addresses again"), permissions=["view"])
    def unsuppress(self, request: HttpRequest, marks: QuerySet[SuppressedAddress]) -> None:
        """Unsuppress the selected addresses, so that their next email is tried."""
        suppression.unsuppress(*marks.values_list("address", flat=True))


@admin.register(MailServerHealth)
class MailServerHealthAdmin(ReadOnly, MailServerModelAdmin):
    """Circuit breaker state of the mail server; no row while the server is healthy. Written by delivery."""

    list_display = ("failing_since", "rests_until", "breaks", "refuses_everyone", "last_error")
    fields = list_display
    readonly_fields = fields


@admin.register(SetAsideMessage)
class SetAsideMessageAdmin(ReadOnly, SetAsideModelAdmin):
    """Received messages that could not be taken, and why. An operator can try them again, or delete them.

    What they say is not shown, nor their address: a reply may quote a hand, and its address opens a seat.
    """

    list_display = ("received_at", "written_by", "reason", "attempts", "next_attempt_at")
    ordering = ("-pk",)
    fields = ("received_at", "written_by", "size", "reason", "attempts", "next_attempt_at")
    readonly_fields = fields
    actions = ("try_again",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SetAsideMessage]:
        """Return the messages without what they say."""
        return super().get_queryset(request).defer("recipient")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return whether this operator may delete messages: nothing else depends on them."""
        return bool(request.user.has_perm("mail.delete_setasidemessage"))

    @admin.display(description=pgettext_lazy("admin", "from"))
    def written_by(self, message: SetAsideMessage) -> str:
        """Return whom the message says that it is from."""
        return set_aside.written_by(message)

    @admin.display(description=_("Size in bytes"))
    def size(self, message: SetAsideMessage) -> int:
        """Return how much of the message is kept."""
        return len(message.source)

    @admin.action(description=_("Try these messages again"), permissions=["view"])
    def try_again(self, request: HttpRequest, marks: QuerySet[SetAsideMessage]) -> None:
        """Have the selected messages tried again within a minute."""
        marks.update(next_attempt_at=clock.now(), attempts=0)

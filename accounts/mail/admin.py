"""The fate of emails in the operator's administration, and what keeps them: to be looked at alone.

What an email is about is not shown: a queued one may carry a code that opens an account.
"""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.lookups import is_offered
from accounts.mail import suppression
from accounts.mail.models import MailServerHealth, OutgoingEmail, SuppressedAddress

if TYPE_CHECKING:
    EmailModelAdmin = admin.ModelAdmin[OutgoingEmail]
    FailingAddressModelAdmin = admin.ModelAdmin[SuppressedAddress]
    MailServerModelAdmin = admin.ModelAdmin[MailServerHealth]
else:
    EmailModelAdmin = FailingAddressModelAdmin = MailServerModelAdmin = admin.ModelAdmin


class ReadOnly:
    """An administration in which nothing is added, edited or deleted by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Rows are written by what happens."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What happened is not edited."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What happened stays; a deleted email would let the same one be queued again."""
        return False


@admin.register(OutgoingEmail)
class OutgoingEmailAdmin(ReadOnly, EmailModelAdmin):
    """Queued, sent, overtaken, turned off or failed, and why."""

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

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """What is not shown cannot be asked for either."""
        return is_offered(lookup, self.list_filter)


@admin.register(SuppressedAddress)
class SuppressedAddressAdmin(ReadOnly, FailingAddressModelAdmin):
    """Addresses to which emails fail. An operator who knows better lets emails go there again."""

    list_display = ("address", "since", "reason")
    search_fields = ("address",)
    ordering = ("-since",)
    fields = ("address", "since", "reason")
    readonly_fields = fields
    actions = ("lift",)

    @admin.action(description=_("Let emails go to these addresses again"), permissions=["view"])
    def lift(self, request: HttpRequest, marks: QuerySet[SuppressedAddress]) -> None:
        """The next email to each is tried."""
        suppression.unsuppress(*marks.values_list("address", flat=True))


@admin.register(MailServerHealth)
class MailServerHealthAdmin(ReadOnly, MailServerModelAdmin):
    """Why no email leaves at the moment; empty while it is well. Delivery writes and clears it."""

    list_display = ("failing_since", "rests_until", "breaks", "last_error")
    fields = list_display
    readonly_fields = fields

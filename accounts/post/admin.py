"""The fate of letters in the operator's administration: to be looked at, never to be changed.

What a letter is about is not shown: a queued one may carry a code that opens an account.
"""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from accounts.lookups import is_offered
from accounts.post.models import Letter

if TYPE_CHECKING:
    LetterModelAdmin = admin.ModelAdmin[Letter]
else:
    LetterModelAdmin = admin.ModelAdmin


@admin.register(Letter)
class LetterAdmin(LetterModelAdmin):
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

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Letters are queued by what happens, not by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A fate is recorded, not edited."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A deleted row would let the same letter be queued again."""
        return False

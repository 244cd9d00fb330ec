"""Tables and games in the operator's admin: read-only, except for a table's texts.

Nothing here shows a hand, a log, a secret, a key or a private note. Nothing tells more of a running game than
its players know of each other. Nothing here changes a log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.mail.admin import ReadOnly
from games import services
from games.forms.table_words import TableWords
from games.models import Game, Invitation, Seat, Table
from games.services import Refused

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Any]
else:
    AnyModelAdmin = admin.ModelAdmin


class ReadOnlyAdmin(ReadOnly, AnyModelAdmin):
    """A read-only admin. Hidden fields cannot be queried either, by a lookup typed into the address."""

    show_full_result_count = False
    list_per_page = 50
    filters: ClassVar[tuple[str, ...]] = ()

    def get_list_filter(self, request: HttpRequest) -> tuple[str, ...]:
        return self.filters

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return self.fields or ()


@admin.register(Table)
class TableAdmin(ReadOnlyAdmin):
    """Tables: offensive texts can be changed, and a table that still gathers players can be cancelled."""

    form = TableWords
    list_display = ("name", "host", "size", "entry", "watch", "state", "created_at")
    list_select_related = ("host",)
    filters = ("state", "entry", "watch", "created_at")
    search_fields = ("name", "host__name", "host__email")
    ordering = ("-pk",)
    fields = (
        "name",
        "note",
        "host",
        "size",
        "entry",
        "watch",
        "state",
        "commitment",
        "created_at",
        "warned_at",
    )
    readonly_fields = fields[2:]
    actions = ("cancel",)

    @admin.display(description=gettext_lazy("commitment of the secret"))
    def commitment(self, table: Table) -> str:
        return table.commitment

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return self.readonly_fields

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(request.user.has_perm("games.change_table"))

    def save_model(self, request: HttpRequest, obj: Table, form: ModelForm[Table], change: bool) -> None:
        """Save only the texts: the other columns may have changed since the row was read."""
        obj.save(update_fields=[name for name in ("name", "note") if name in form.changed_data])

    @admin.action(
        description=gettext_lazy("Cancel tables whose game has not started"), permissions=["change"]
    )
    def cancel(self, request: HttpRequest, queryset: QuerySet[Table]) -> None:
        """Cancel tables as the host would: everyone seated or invited is notified."""
        for table in queryset:
            try:
                services.cancel(table)
            except Refused as refused:
                self.message_user(request, f"{table}: {refused}", messages.ERROR)
            else:
                self.message_user(request, _("%(table)s is cancelled.") % {"table": table})


@admin.register(Seat)
class SeatAdmin(ReadOnlyAdmin):
    """Seats and their players. A seat's pending decision is hidden: it can reveal a hand (R17)."""

    list_display = ("table", "number", "user", "bot", "taken_at", "confirmed_at")
    list_select_related = ("table", "user")
    filters = ("bot",)
    search_fields = ("table__name", "user__name", "user__email")
    ordering = ("-pk",)
    fields = list_display


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Invitations, with the people who sent and received them and the result."""

    list_display = ("table", "email", "user", "state", "sent_count", "created_at")
    list_select_related = ("table", "user")
    filters = ("state", "created_at")
    search_fields = ("table__name", "email")
    ordering = ("-pk",)
    fields = list_display


@admin.register(Game)
class GameAdmin(ReadOnlyAdmin):
    """Games as their players know them, in steps. The number of entries would reveal hands (R17)."""

    list_display = ("id", "table", "players", "phase", "step", "started_at", "moved_at", "ended_at")
    list_select_related = ("table",)
    filters = ("players", "phase", "started_at")
    search_fields = ("table__name",)
    ordering = ("-pk",)
    fields = ("table", "players", "phase", "step", "started_at", "moved_at", "ended_at", "result")

"""Admin pages for people: who they are and whether they may sign in, but not their credentials."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from accounts.bots import switch_bots_off
from accounts.mail.admin import OwnLookupsOnly
from accounts.models import User
from accounts.personal_data import leave_in_all_apps

if TYPE_CHECKING:
    UserModelAdmin = admin.ModelAdmin[User]
else:
    UserModelAdmin = admin.ModelAdmin


@admin.register(User)
class UserAdmin(OwnLookupsOnly, UserModelAdmin):
    """Admin of accounts. Only the owner can create an account or change its address, by proving it."""

    list_display = ("email", "name", "is_active", "is_staff", "joined_at", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("email", "name")
    ordering = ("-joined_at",)
    fields = (
        "email",
        "name",
        "owner",
        "language",
        "time_zone",
        "hand_in_emails",
        "chat_emails",
        "is_active",
        "is_staff",
        "joined_at",
        "last_login",
    )
    # Deadlines depend on the time zone. Only its owner changes it, with the code that recalculates them.
    readonly_fields = ("email", "owner", "time_zone", "joined_at", "last_login")

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save; an account being closed, and its bots, leave tables and leagues in the same transaction."""
        super().save_model(request, obj, form, change)
        if "is_active" in form.changed_data and not obj.is_active:
            switch_bots_off(obj)
            leave_in_all_apps(obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: no one creates an account for someone else."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: games keep their players, so accounts are closed by making them inactive."""
        return False

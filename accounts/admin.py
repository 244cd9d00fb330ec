"""People in the operator's administration: who they are, whether they may come in; never how they sign in."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from accounts.lookups import is_offered
from accounts.models import User
from accounts.privacy import run_account_closing_hooks

if TYPE_CHECKING:
    UserModelAdmin = admin.ModelAdmin[User]
else:
    UserModelAdmin = admin.ModelAdmin


@admin.register(User)
class UserAdmin(UserModelAdmin):
    """An address is changed by its owner alone, who proves it; an account is made by proving an address."""

    list_display = ("email", "name", "is_active", "is_staff", "joined_at", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("email", "name")
    ordering = ("-joined_at",)
    fields = (
        "email",
        "name",
        "language",
        "time_zone",
        "hand_in_emails",
        "chat_emails",
        "is_active",
        "is_staff",
        "joined_at",
        "last_login",
    )
    # Deadlines are counted by the zone, so its owner alone changes it, in the way that keeps them.
    readonly_fields = ("email", "time_zone", "joined_at", "last_login")

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """What is not shown cannot be asked for either."""
        return is_offered(lookup, self.list_filter)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """An account that is closed leaves its tables and leagues, in the transaction that closes it."""
        super().save_model(request, obj, form, change)
        if "is_active" in form.changed_data and not obj.is_active:
            run_account_closing_hooks(obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody makes an account for somebody else."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Games keep their players: an account is closed by making it inactive."""
        return False

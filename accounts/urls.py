"""URLs of a user's own pages, below /me/."""

from django.urls import path

from accounts import views
from accounts import views as account_views

urlpatterns = [
    path("", views.profile, name="profile"),
    path("hours/", account_views.my_hours, name="my_hours"),
    path("hours/holidays/", account_views.announce_holiday, name="announce_holiday"),
    path("hours/holidays/<number:holiday_id>/", account_views.cancel_holiday, name="cancel_holiday"),
    path("blocks/", account_views.my_blocks, name="my_blocks"),
    path("calendar/", account_views.feed_address, name="feed_address"),
    path("emails/", account_views.my_emails, name="my_emails"),
    path("emails/preferences/", account_views.email_preferences, name="email_preferences"),
    path("emails/turn-on/", account_views.turn_on_emails, name="turn_on_emails"),
]

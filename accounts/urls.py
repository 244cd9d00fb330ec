"""URLs of a user's own pages, below /me/."""

from django.urls import path

from accounts import views

urlpatterns = [
    path("", views.profile, name="profile"),
    path("hours/", views.my_hours, name="my_hours"),
    path("hours/holidays/", views.announce_holiday, name="announce_holiday"),
    path("hours/holidays/<number:holiday_id>/", views.cancel_holiday, name="cancel_holiday"),
    path("blocks/", views.my_blocks, name="my_blocks"),
    path("calendar/", views.feed_address, name="feed_address"),
    path("emails/", views.my_emails, name="my_emails"),
    path("emails/preferences/", views.email_preferences, name="email_preferences"),
    path("emails/turn-on/", views.turn_on_emails, name="turn_on_emails"),
]

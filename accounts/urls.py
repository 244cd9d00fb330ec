"""Addresses of one's own page, below /me/."""

from django.urls import path

from accounts import hours_views, views

urlpatterns = [
    path("", views.profile, name="profile"),
    path("hours/", hours_views.my_hours, name="my_hours"),
    path("hours/holidays/", hours_views.announce_holiday, name="announce_holiday"),
    path("hours/holidays/<int:holiday_id>/", hours_views.cancel_holiday, name="cancel_holiday"),
    path("calendar/", hours_views.feed_address, name="feed_address"),
    path("letters/", views.my_letters, name="my_letters"),
    path("letters/turn-on/", views.turn_on_letters, name="turn_on_letters"),
]

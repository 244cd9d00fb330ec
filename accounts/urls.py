"""Addresses of one's own page, below /me/."""

from django.urls import path

from accounts import block_views, hours_views, letter_views, views

urlpatterns = [
    path("", views.profile, name="profile"),
    path("hours/", hours_views.my_hours, name="my_hours"),
    path("hours/holidays/", hours_views.announce_holiday, name="announce_holiday"),
    path("hours/holidays/<number:holiday_id>/", hours_views.cancel_holiday, name="cancel_holiday"),
    path("blocks/", block_views.my_blocks, name="my_blocks"),
    path("calendar/", hours_views.feed_address, name="feed_address"),
    path("letters/", letter_views.my_letters, name="my_letters"),
    path("letters/preferences/", letter_views.letter_preferences, name="letter_preferences"),
    path("letters/turn-on/", letter_views.turn_on_letters, name="turn_on_letters"),
]

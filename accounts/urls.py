"""URLs of a user's own pages, below /me/."""

from django.urls import path

from accounts.views import api_tokens, blocked_people, own_emails, own_hours, profile

urlpatterns = [
    path("", profile.profile, name="profile"),
    path("hours/", own_hours.my_hours, name="my_hours"),
    path("hours/holidays/", own_hours.announce_holiday, name="announce_holiday"),
    path("hours/holidays/<number:holiday_id>/", own_hours.cancel_holiday, name="cancel_holiday"),
    path("blocks/", blocked_people.my_blocks, name="my_blocks"),
    path("tokens/", api_tokens.my_tokens, name="my_tokens"),
    path("tokens/remove/", api_tokens.remove_my_token, name="remove_my_token"),
    path("calendar/", profile.feed_address, name="feed_address"),
    path("emails/", own_emails.my_emails, name="my_emails"),
    path("emails/preferences/", own_emails.email_preferences, name="email_preferences"),
    path("emails/turn-on/", own_emails.turn_on_emails, name="turn_on_emails"),
]

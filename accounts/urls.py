"""URLs of a user's own pages, below /me/."""

from django.urls import path

from accounts.views import api_tokens, blocked_people, own_bots, own_emails, own_hours, profile

urlpatterns = [
    path("", profile.profile, name="profile"),
    path("hours/", own_hours.my_hours, name="my_hours"),
    path("hours/holidays/", own_hours.announce_holiday, name="announce_holiday"),
    path("hours/holidays/<number:holiday_id>/", own_hours.cancel_holiday, name="cancel_holiday"),
    path("blocks/", blocked_people.my_blocks, name="my_blocks"),
    path("tokens/", api_tokens.my_tokens, name="my_tokens"),
    path("tokens/remove/", api_tokens.remove_my_token, name="remove_my_token"),
    path("bots/", own_bots.my_bots, name="my_bots"),
    path("bots/<number:bot_id>/", own_bots.my_bot, name="my_bot"),
    path("bots/<number:bot_id>/tokens/", own_bots.make_bot_token, name="make_bot_token"),
    path("bots/<number:bot_id>/tokens/remove/", own_bots.remove_bot_token, name="remove_bot_token"),
    path("bots/<number:bot_id>/waking/", own_bots.wake_bot_at, name="wake_bot_at"),
    path("bots/<number:bot_id>/close/", own_bots.close_my_bot, name="close_my_bot"),
    path("calendar/", profile.feed_address, name="feed_address"),
    path("emails/", own_emails.my_emails, name="my_emails"),
    path("emails/preferences/", own_emails.email_preferences, name="email_preferences"),
    path("emails/turn-on/", own_emails.turn_on_emails, name="turn_on_emails"),
]

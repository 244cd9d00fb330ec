"""URLs of the chat at tables."""

from django.urls import path

from games.chat.views import (
    channel,
    channel_emails,
    deal_by_link,
    deals,
    message,
    operator_reports,
    people,
    private_channels,
    search,
    shown_and_sealed,
)

urlpatterns = [
    path("tables/<number:table_id>/chat/", channel.channel, name="chat"),
    path("tables/<number:table_id>/chat-with/", private_channels.channel_with, name="chat_with"),
    path("tables/<number:table_id>/chat-emails/", channel_emails.channel_emails, name="chat_emails"),
    path(
        "tables/<number:table_id>/chat-emails/<slug:slug>/",
        channel_emails.channel_emails,
        name="channel_emails",
    ),
    path("tables/<number:table_id>/chat/<slug:slug>/", channel.channel, name="channel"),
    path(
        "tables/<number:table_id>/chat/<slug:slug>/open/", private_channels.channel_open, name="channel_open"
    ),
    path("tables/<number:table_id>/show/", shown_and_sealed.show, name="show_cards"),
    path("tables/<number:table_id>/seal/", shown_and_sealed.seal, name="seal_note"),
    path("tables/<number:table_id>/people/", people.people, name="people"),
    path("tables/<number:table_id>/message/<number:number>/", message.message, name="message"),
    path(
        "tables/<number:table_id>/message/<slug:slug>/<number:number>/",
        message.message,
        name="channel_message",
    ),
    path("operator/reports/", operator_reports.reports, name="operator_reports"),
    path("operator/reports/<number:pk>/", operator_reports.decide, name="operator_decide"),
    path("operator/bans/<number:pk>/lift/", operator_reports.lift, name="operator_lift"),
    path("watch/<slug:key>/chat/", channel.watch_chat, name="watch_chat"),
    path("watch/<slug:key>/chat/<slug:slug>/", channel.watch_chat, name="watch_channel"),
    path("me/messages/", search.my_messages, name="my_messages"),
    path("chat/<str:token>/", channel.chat_answer, name="chat_answer"),
    path("deal/<str:token>/", deal_by_link.deal_by_link, name="deal_by_link"),
    path("tables/<number:table_id>/deals/", deals.deals, name="deals"),
    path("watch/<slug:key>/deals/", deals.watch_deals, name="watch_deals"),
    path(
        "tables/<number:table_id>/deals/<slug:slug>/propose/",
        deals.propose_deal,
        name="propose_deal",
    ),
    path("tables/<number:table_id>/deals/<slug:slug>/<number:number>/", deals.deal, name="deal"),
]

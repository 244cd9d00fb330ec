"""Addresses of the talk at tables."""

from django.urls import path

from games.chat.views import archive, channel, deals, moderation, shown_and_sealed

urlpatterns = [
    path("tables/<number:table_id>/talk/", channel.channel, name="talk"),
    path("tables/<number:table_id>/talk-with/", channel.channel_with, name="talk_with"),
    path("tables/<number:table_id>/talk-letters/", channel.channel_emails, name="talk_letters"),
    path(
        "tables/<number:table_id>/talk-letters/<slug:slug>/",
        channel.channel_emails,
        name="circle_letters",
    ),
    path("tables/<number:table_id>/talk/<slug:slug>/", channel.channel, name="circle"),
    path("tables/<number:table_id>/talk/<slug:slug>/open/", channel.channel_open, name="circle_open"),
    path("tables/<number:table_id>/show/", shown_and_sealed.show, name="show_cards"),
    path("tables/<number:table_id>/seal/", shown_and_sealed.seal, name="seal_letter"),
    path("tables/<number:table_id>/people/", moderation.people, name="people"),
    path("tables/<number:table_id>/message/<number:number>/", moderation.message, name="message"),
    path(
        "tables/<number:table_id>/message/<slug:slug>/<number:number>/",
        moderation.message,
        name="circle_message",
    ),
    path("operator/reports/", moderation.reports, name="operator_reports"),
    path("operator/reports/<number:pk>/", moderation.decide, name="operator_decide"),
    path("operator/silences/<number:pk>/lift/", moderation.lift, name="operator_lift"),
    path("watch/<slug:key>/talk/", channel.watch_chat, name="watch_talk"),
    path("watch/<slug:key>/talk/<slug:slug>/", channel.watch_chat, name="watch_circle"),
    path("games/<number:game_id>/talk.json", archive.chat_file, name="game_talk"),
    path("watch/<slug:key>/talk.json", archive.watched_chat_file, name="watch_talk_file"),
    path("me/messages/", archive.my_messages, name="my_messages"),
    path("talk/<str:token>/", channel.chat_answer, name="talk_answer"),
    path("deal/<str:token>/", deals.deal_by_link, name="deal"),
    path("tables/<number:table_id>/ledger/", deals.deals, name="ledger"),
    path("watch/<slug:key>/ledger/", deals.watch_deals, name="watch_ledger"),
    path(
        "tables/<number:table_id>/ledger/<slug:slug>/propose/",
        deals.propose_deal,
        name="propose_bargain",
    ),
    path("tables/<number:table_id>/ledger/<slug:slug>/<number:number>/", deals.deal, name="bargain"),
]

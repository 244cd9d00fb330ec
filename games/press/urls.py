"""Addresses of the talk at tables."""

from django.urls import path

from games.press import (
    attesting_views,
    exporting_views,
    ledger_views,
    letter_views,
    manners_views,
    search_views,
    views,
)

urlpatterns = [
    path("tables/<number:table_id>/talk/", views.talk, name="talk"),
    path("tables/<number:table_id>/talk-with/", views.talk_with, name="talk_with"),
    path("tables/<number:table_id>/talk-letters/", letter_views.circle_letters, name="talk_letters"),
    path(
        "tables/<number:table_id>/talk-letters/<slug:slug>/",
        letter_views.circle_letters,
        name="circle_letters",
    ),
    path("tables/<number:table_id>/talk/<slug:slug>/", views.talk, name="circle"),
    path("tables/<number:table_id>/talk/<slug:slug>/open/", views.circle_open, name="circle_open"),
    path("tables/<number:table_id>/show/", attesting_views.show, name="show_cards"),
    path("tables/<number:table_id>/seal/", attesting_views.seal, name="seal_letter"),
    path("tables/<number:table_id>/people/", manners_views.people, name="people"),
    path("tables/<number:table_id>/message/<number:number>/", manners_views.message, name="message"),
    path(
        "tables/<number:table_id>/message/<slug:slug>/<number:number>/",
        manners_views.message,
        name="circle_message",
    ),
    path("operator/reports/", manners_views.reports, name="operator_reports"),
    path("operator/reports/<number:pk>/", manners_views.decide, name="operator_decide"),
    path("operator/silences/<number:pk>/lift/", manners_views.lift, name="operator_lift"),
    path("watch/<slug:key>/talk/", views.watch_talk, name="watch_talk"),
    path("watch/<slug:key>/talk/<slug:slug>/", views.watch_talk, name="watch_circle"),
    path("games/<number:game_id>/talk.json", exporting_views.talk_file, name="game_talk"),
    path("watch/<slug:key>/talk.json", exporting_views.watched_talk_file, name="watch_talk_file"),
    path("me/messages/", search_views.my_messages, name="my_messages"),
    path("talk/<str:token>/", views.talk_answer, name="talk_answer"),
    path("tables/<number:table_id>/ledger/", ledger_views.ledger, name="ledger"),
    path("watch/<slug:key>/ledger/", ledger_views.watch_ledger, name="watch_ledger"),
    path(
        "tables/<number:table_id>/ledger/<slug:slug>/propose/",
        ledger_views.propose_bargain,
        name="propose_bargain",
    ),
    path(
        "tables/<number:table_id>/ledger/<slug:slug>/<number:number>/", ledger_views.bargain, name="bargain"
    ),
]

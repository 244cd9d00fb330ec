"""Addresses of the talk at tables."""

from django.urls import path

from games.press.views import (
    attesting,
    deals,
    exporting,
    ledger,
    letters,
    operating,
    people,
    reporting,
    searching,
    talk,
)

urlpatterns = [
    path("tables/<number:table_id>/talk/", talk.talk, name="talk"),
    path("tables/<number:table_id>/talk-with/", talk.talk_with, name="talk_with"),
    path("tables/<number:table_id>/talk-letters/", letters.circle_letters, name="talk_letters"),
    path(
        "tables/<number:table_id>/talk-letters/<slug:slug>/",
        letters.circle_letters,
        name="circle_letters",
    ),
    path("tables/<number:table_id>/talk/<slug:slug>/", talk.talk, name="circle"),
    path("tables/<number:table_id>/talk/<slug:slug>/open/", talk.circle_open, name="circle_open"),
    path("tables/<number:table_id>/show/", attesting.show, name="show_cards"),
    path("tables/<number:table_id>/seal/", attesting.seal, name="seal_letter"),
    path("tables/<number:table_id>/people/", people.people, name="people"),
    path("tables/<number:table_id>/message/<number:number>/", reporting.message, name="message"),
    path(
        "tables/<number:table_id>/message/<slug:slug>/<number:number>/",
        reporting.message,
        name="circle_message",
    ),
    path("operator/reports/", operating.reports, name="operator_reports"),
    path("operator/reports/<number:pk>/", operating.decide, name="operator_decide"),
    path("operator/silences/<number:pk>/lift/", operating.lift, name="operator_lift"),
    path("watch/<slug:key>/talk/", talk.watch_talk, name="watch_talk"),
    path("watch/<slug:key>/talk/<slug:slug>/", talk.watch_talk, name="watch_circle"),
    path("games/<number:game_id>/talk.json", exporting.talk_file, name="game_talk"),
    path("watch/<slug:key>/talk.json", exporting.watched_talk_file, name="watch_talk_file"),
    path("me/messages/", searching.my_messages, name="my_messages"),
    path("talk/<str:token>/", talk.talk_answer, name="talk_answer"),
    path("deal/<str:token>/", deals.deal, name="deal"),
    path("tables/<number:table_id>/ledger/", ledger.ledger, name="ledger"),
    path("watch/<slug:key>/ledger/", ledger.watch_ledger, name="watch_ledger"),
    path(
        "tables/<number:table_id>/ledger/<slug:slug>/propose/",
        ledger.propose_bargain,
        name="propose_bargain",
    ),
    path("tables/<number:table_id>/ledger/<slug:slug>/<number:number>/", ledger.bargain, name="bargain"),
]

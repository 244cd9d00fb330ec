"""Addresses of the talk at tables."""

from django.urls import path

from games.press import letter_views, views

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
    path("watch/<slug:key>/talk/", views.watch_talk, name="watch_talk"),
    path("watch/<slug:key>/talk/<slug:slug>/", views.watch_talk, name="watch_circle"),
    path("talk/<str:token>/", views.talk_answer, name="talk_answer"),
]

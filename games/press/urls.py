"""Addresses of the talk at tables."""

from django.urls import path

from games.press import views

urlpatterns = [
    path("tables/<number:table_id>/talk/", views.talk, name="talk"),
    path("watch/<slug:key>/talk/", views.watch_talk, name="watch_talk"),
    path("talk/<str:token>/", views.talk_answer, name="talk_answer"),
]

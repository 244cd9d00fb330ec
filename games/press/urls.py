"""Addresses of the talk at tables."""

from django.urls import path

from games.press import views

urlpatterns = [
    path("tables/<number:table_id>/talk/", views.talk, name="talk"),
    path("tables/<number:table_id>/talk-with/", views.talk_with, name="talk_with"),
    path("tables/<number:table_id>/talk/<slug:slug>/", views.talk, name="circle"),
    path("watch/<slug:key>/talk/", views.watch_talk, name="watch_talk"),
    path("talk/<str:token>/", views.talk_answer, name="talk_answer"),
]

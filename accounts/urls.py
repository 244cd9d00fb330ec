"""Addresses of one's own page, below /me/."""

from django.urls import path

from accounts import views

urlpatterns = [
    path("", views.profile, name="profile"),
    path("letters/", views.my_letters, name="my_letters"),
    path("letters/turn-on/", views.turn_on_letters, name="turn_on_letters"),
]

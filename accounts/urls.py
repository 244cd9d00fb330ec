"""Addresses of one's own page, below /me/."""

from django.urls import path

from accounts import views

urlpatterns = [
    path("", views.profile, name="profile"),
    path("letters/", views.turn_on_letters, name="turn_on_letters"),
]

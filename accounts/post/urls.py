"""Addresses of the post: turning letters off, having them tried again, and the operator's kept letters."""

from django.urls import path

from accounts.post import views

urlpatterns = [
    path("post/unsubscribe/<str:token>/", views.unsubscribe, name="unsubscribe"),
    path("post/undo/<str:token>/", views.undo_unsubscribe, name="undo_unsubscribe"),
    path("post/try-again/", views.try_again, name="try_address_again"),
    path("operator/letters/", views.kept_letters, name="operator_letters"),
    path("operator/letters/<number:pk>/", views.kept_letter, name="operator_letter"),
    path("operator/letters/<number:pk>/html/", views.kept_letter_html, name="operator_letter_html"),
]

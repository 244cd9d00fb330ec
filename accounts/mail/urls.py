"""Addresses of the post: turning letters off, having them tried again, and the operator's kept letters."""

from django.urls import path

from accounts.mail import views

urlpatterns = [
    path("mail/unsubscribe/<str:token>/", views.unsubscribe, name="unsubscribe"),
    path("mail/undo/<str:token>/", views.undo_unsubscribe, name="undo_unsubscribe"),
    path("mail/try-again/", views.try_again, name="try_address_again"),
    path("operator/letters/", views.captured_emails, name="operator_letters"),
    path("operator/letters/<number:pk>/", views.captured_email, name="operator_letter"),
    path("operator/letters/<number:pk>/html/", views.captured_email_html, name="operator_letter_html"),
]

"""URLs for unsubscribing, retrying an address, events of a mail service, and captured emails."""

from django.urls import path

from accounts.mail import views, webhook_views

urlpatterns = [
    path("mail/unsubscribe/<str:token>/", views.unsubscribe, name="unsubscribe"),
    path("mail/undo/<str:token>/", views.undo_unsubscribe, name="undo_unsubscribe"),
    path("mail/try-again/", views.try_again, name="try_address_again"),
    path("mail/webhook/", webhook_views.take_events, name="mail_webhook"),
    path("operator/emails/", views.captured_emails, name="operator_emails"),
    path("operator/emails/<number:pk>/", views.captured_email, name="operator_email"),
    path("operator/emails/<number:pk>/reply/", views.reply_to_captured_email, name="operator_email_reply"),
    path("operator/emails/<number:pk>/html/", views.captured_email_html, name="operator_email_html"),
]

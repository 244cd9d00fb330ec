"""URLs of push notifications: a person's browsers, and what was shown."""

from django.urls import path

from accounts.push import views

urlpatterns = [
    path("push/shown/<str:token>/", views.shown, name="push_shown"),
    path("me/push/", views.add, name="push_add"),
    path("me/push/kinds/", views.choose, name="push_choose"),
    path("me/push/<number:browser_id>/remove/", views.remove, name="push_remove"),
]

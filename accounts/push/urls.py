"""URLs of notifications: a person's browsers and other targets, and what was shown."""

from django.urls import path

from accounts.push import target_views, views

urlpatterns = [
    path("push/shown/<str:token>/", views.shown, name="push_shown"),
    path("me/push/", views.add, name="push_add"),
    path("me/push/kinds/", views.choose, name="push_choose"),
    path("me/push/<number:browser_id>/remove/", views.remove, name="push_remove"),
    path("me/channels/", target_views.notice_targets, name="notice_targets"),
    path("me/channels/<number:target_id>/", target_views.notice_target, name="notice_target"),
    path(
        "me/channels/<number:target_id>/key/", target_views.notice_target_secret, name="notice_target_secret"
    ),
    path("me/channels/<number:target_id>/test/", target_views.notice_target_test, name="notice_target_test"),
    path(
        "me/channels/<number:target_id>/switch/",
        target_views.notice_target_switch,
        name="notice_target_switch",
    ),
    path(
        "me/channels/<number:target_id>/remove/",
        target_views.notice_target_remove,
        name="notice_target_remove",
    ),
]

"""The root of all addresses; each app lists its own."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from condottiere_site import operators

# Staff sign in like everybody else, with every second factor they have set up.
admin.autodiscover()
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("operator/sign-in/<str:token>/", operators.sign_in, name="operator_sign_in"),
    path("operator/admin/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
    path("me/", include("accounts.urls")),
    # post/... and operator/letters/...
    path("", include("accounts.post.urls")),
    path("", include("games.urls")),
]

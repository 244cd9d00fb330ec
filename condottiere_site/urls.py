"""Root URL configuration; each app lists its own URLs."""

from allauth.account.decorators import reauthentication_required, secure_admin_login
from allauth.account.models import EmailAddress
from allauth.account.views import password_set
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.models import Group
from django.urls import include, path
from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import RedirectView
from django.views.i18n import set_language

from accounts.own_name import site_name
from accounts.views.signing_in import CodeReauthenticationView, SignInCodeView, SignInForView, SignOutView
from condottiere_site import (
    __version__,
    api,
    api_guide,
    installing,
    operator_page,
    operators,
    privacy,
    unavailable,
)
from games.views.not_found import not_found

# Staff sign in like everyone else, with every second factor they have set up.
admin.autodiscover()
# Access to an account shows its hands: only the owner may change sessions, second factors and addresses.
for model in (UserSession, Authenticator, EmailAddress, Group):
    if admin.site.is_registered(model):
        admin.site.unregister(model)
admin.site.site_header = format_lazy("{} {}", lazy(site_name, str)(), __version__)
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # allauth's way

_set_password = reauthentication_required(password_set, app="allauth.account")

handler404 = not_found
handler500 = unavailable.server_error

urlpatterns = [
    path("operator/sign-in/<str:token>/", operators.sign_in, name="operator_sign_in"),
    path("operator/", operator_page.operator_page, name="operator"),
    path("operator/admin/", admin.site.urls),
    # Only the sign-in page requests codes; expired or mistyped codes lead there too.
    path(
        "accounts/login/code/",
        RedirectView.as_view(pattern_name="account_login", query_string=True),
        name="account_request_login_code",
    ),
    path("accounts/login/for/<str:token>/", SignInForView.as_view(), name="account_sign_in_for"),
    path("accounts/login/code/confirm/", SignInCodeView.as_view(), name="account_confirm_login_code"),
    path("accounts/logout/", SignOutView.as_view(), name="account_logout"),
    path(
        "accounts/reauthenticate/code/",
        CodeReauthenticationView.as_view(),
        name="account_reauthenticate_code",
    ),
    # Setting a first password would unlock what requires one: adding an address or a second factor.
    path("accounts/password/set/", _set_password, name="account_set_password"),
    path("accounts/", include("allauth.urls")),
    path("me/export/", privacy.export_me, name="export_me"),
    path("me/delete/", privacy.delete_me, name="delete_me"),
    path("me/", include("accounts.urls")),
    path("privacy/", privacy.privacy, name="privacy"),
    path("api/", api_guide.guide, name="api_guide"),
    path("api/v1/openapi.json", api.schema, name="api_schema"),
    path("api/v1/", api.api.urls),
    path("manifest/<slug:language>.webmanifest", installing.manifest, name="manifest"),
    path("offline/<slug:language>/", installing.offline, name="offline"),
    # At the site's root it may open every page of it. Browsers look for a newer one where they found it.
    path("push.js", installing.service_worker, name="service_worker"),
    # No token: it would set a cookie on pages that are shared with everyone, and a link may choose as well.
    path("language/", csrf_exempt(set_language), name="set_language"),
    # mail/... and operator/emails/...
    path("", include("accounts.mail.urls")),
    path("", include("accounts.push.urls")),
    path("", include("games.urls")),
    path("", include("games.leagues.urls")),
]

"""Settings of the site, read from the environment; without any, everything is stored under var/.

Bad values are named and refused all at once (see environment.py); nothing here is guessed from a request.
"""

from datetime import timedelta
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.conf.locale import LANG_INFO
from django.urls import reverse_lazy
from django.utils.translation import to_language

from condottiere_site import environment, logs

BASE_DIR = Path(__file__).resolve().parent.parent

# Where state is stored

STATE_DIR = environment.state_dir("STATE_DIR", BASE_DIR / "var")
_PASSWORD = environment.text("DATABASE_PASSWORD", "")
DATABASES = {
    "default": environment.database("DATABASE_URL", STATE_DIR / "condottiere.sqlite3", password=_PASSWORD)
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
FORM_RENDERER = "accounts.forms.wrong_fields.FormRenderer"
# In the database, so that rate limits hold for every process and without Redis.
CACHES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "condottiere_site.limits_cache.LimitsCache",
        "LOCATION": "condottiere_site_cache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    # Parts of pages that all readers of a language share: in each process, and as long as it runs.
    "template_fragments": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}

# Name and URL of this site

SITE_URL = environment.site_url("SITE_URL", "http://127.0.0.1:8000")
SITE_NAME = environment.text("SITE_NAME", "")  # in each language without a name of its own, see below
SITE_HOST = urlsplit(SITE_URL).hostname or "localhost"
IS_HTTPS = SITE_URL.startswith("https://")
DEBUG = environment.flag("DEBUG", False)
ALLOWED_HOSTS = [SITE_HOST, "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = [SITE_URL]
TRUSTED_PROXIES = environment.count("TRUSTED_PROXIES", 0, 9)
ALLAUTH_TRUSTED_PROXY_COUNT = TRUSTED_PROXIES

# Apps, middleware and templates

# Upper apps first: in this order they receive signals and erase personal data.
# So seasons are locked before games, and sealed notes are withdrawn before a game may end.
INSTALLED_APPS = [
    "condottiere_site",
    "games.leagues",
    "games.chat",
    "games",
    "accounts.mail",
    "accounts.push",
    "accounts",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "django_htmx",
]
MIDDLEWARE = [
    "condottiere_site.room_for_calls.with_room",
    # Before others, because any other middleware may give a HEAD response a body.
    "condottiere_site.middleware.EmptyHead",
    "condottiere_site.health.pages.HealthPages",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # For pages; static files are compressed when collected. Against BREACH, it hides a page's length, and
    # forms mask their token. No page with another secret may repeat parts of its URL.
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "condottiere_site.middleware.Sessions",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.middleware.ReaderMiddleware",
    "condottiere_site.middleware.PageForButtons",
    "condottiere_site.kept_forms.KeepTypedText",
    # Last: what it answers for programs has neither a session nor a page.
    "condottiere_site.api_requests.ApiRequests",
]
ROOT_URLCONF = "condottiere_site.urls"
WSGI_APPLICATION = "condottiere_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.template.context_processors.tz",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "condottiere_site.context_processors.site",
                "condottiere_site.context_processors.games_waiting",
                "condottiere_site.context_processors.failing_mail",
                "condottiere_site.context_processors.failing_site",
            ],
        },
    }
]

# Static files: served by the web process, from their source folders unless collected

STATIC_URL = "static/"
STATIC_ROOT = STATE_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "condottiere_site.static_files.CollectedFiles"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = 600
# Icons at the addresses where browsers and phones look for them
WHITENOISE_ROOT = BASE_DIR / "condottiere_site/root_files"

# People and signing in

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = reverse_lazy("account_login")
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*"]
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 900
ACCOUNT_LOGIN_BY_CODE_SUPPORTS_RESEND = True
ACCOUNT_LOGIN_TIMEOUT = 3600  # longer than a code lasts, because a code sent again works for 15 more minutes
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED = True
ACCOUNT_PASSWORD_RESET_BY_CODE_TIMEOUT = 900
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
# By network: a limit by address alone would let anyone lock its owner out (see accounts/code_requests.py).
ACCOUNT_RATE_LIMITS = dict.fromkeys(("request_login_code", "confirm_email", "reset_password"), "20/m/ip")
ACCOUNT_FORMS = {
    "add_email": "accounts.forms.signing_in.ChangeAddressForm",
    "confirm_email_verification_code": "accounts.forms.codes.AddressCodeForm",
    "confirm_login_code": "accounts.forms.signing_in.SignInCodeForm",
    "confirm_password_reset_code": "accounts.forms.codes.PasswordCodeForm",
    "login": "accounts.forms.signing_in.SignInForm",
    "set_password": "accounts.forms.passwords.OwnSetPasswordForm",
    "change_password": "accounts.forms.passwords.OwnChangePasswordForm",
    "reset_password": "accounts.forms.passwords.AskForPasswordForm",
    "reset_password_from_key": "accounts.forms.passwords.ForgottenPasswordForm",
    "signup": "accounts.forms.signing_in.OwnSignUpForm",
}
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if IS_HTTPS else "http"
USERSESSIONS_ADAPTER = "accounts.push.signing_out.SessionsAdapter"
MFA_ADAPTER = "accounts.adapter.SecondStepAdapter"
MFA_FORMS = {
    "activate_totp": "accounts.forms.codes.AddAppForm",
    "authenticate": "accounts.forms.codes.SecondStepForm",
    "reauthenticate": "accounts.forms.codes.SecondStepAgainForm",
    "login_webauthn": "accounts.forms.passkeys.PasskeySignInForm",
    "reauthenticate_webauthn": "accounts.forms.passkeys.PasskeyAgainForm",
    "add_webauthn": "accounts.forms.passkeys.NewPasskeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
# Browsers accept passkeys over plain http only from the machine itself.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not IS_HTTPS

# Security

# No subdomain can set or replace a cookie with this prefix, which browsers accept over https only.
_COOKIE_PREFIX = "__Host-" if IS_HTTPS else ""
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{_COOKIE_PREFIX}sessionid", f"{_COOKIE_PREFIX}csrftoken"
SESSION_COOKIE_AGE = 90 * 24 * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = IS_HTTPS
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "condottiere_site.kept_forms.failed_check"
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if IS_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = environment.flag("HSTS_SUBDOMAINS", False)
# Only a proxy can say that a visitor came by plain http; without one, a redirect would loop.
SECURE_SSL_REDIRECT = IS_HTTPS and TRUSTED_PROXIES > 0
SECURE_SSL_HOST = urlsplit(SITE_URL).netloc
# Believe this header only from a configured proxy.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "manifest-src": [SELF],
        "worker-src": [SELF],
    }
}

# Links to these pages are redacted in logs and removed from what people write.
TOKEN_PATHS = logs.TOKEN_PATHS

# Language and time

LANGUAGE_CODE = "en"
LOCALE_PATHS = [BASE_DIR / "locale"]
# The site speaks each language that has a folder there, and lists it by its own name.
_CODES = sorted(to_language(folder.parent.name) for folder in LOCALE_PATHS[0].glob("*/LC_MESSAGES"))
LANGUAGES = [(code, str(LANG_INFO[code]["name_local"])) for code in _CODES]
# Of each language but that of SITE_NAME. accounts/own_name.py says what is shown where none is given.
SITE_NAMES = {
    code: environment.text(f"SITE_NAME_{code.upper().replace('-', '_')}", "")
    for code in _CODES
    if code != LANGUAGE_CODE
}
FORMAT_MODULE_PATH = "condottiere_site.formats"
TIME_ZONE = environment.time_zone("TIME_ZONE", "UTC")

POLL_SECONDS = 4  # how often a visible game page asks for news; a hidden one does so once a minute (live.js)
HOUR_POLL_SECONDS = 3  # in a shared hour
THOUGHT_POLL_SECONDS = 1  # while Strategist thinks
CHAT_POLL_SECONDS = 20  # how often a channel's own page does, and a table's that waits for players
# Most polls get no news. Their views read who asks only if there is some: the address is a signed key.
# What browsers keep of an installed site is the same for everyone.
API_PATH = "/api/v1/"  # where programs ask; a token says who does, never a session
PATHS_WITHOUT_READER = ("/live/", "/manifest/", "/offline/", "/push.js", API_PATH)

# Tables: how long a table may look for players; long enough for the warning three days before the end

TABLE_LASTS = timedelta(days=environment.count("TABLE_LASTS", 21, 365, least=4))
MATCH_PAUSE = timedelta(hours=environment.count("MATCH_PAUSE", 24, 720, least=1))

# Whether Strategist plays: it takes up to a second of one core for a move. Otherwise Captain plays for it.
STRATEGIST = environment.flag("STRATEGIST", True)
ANALYSES_A_DAY = environment.count("ANALYSES_A_DAY", 200, 100_000)  # of finished games, each about a minute

# Emails

# An IP address is not a valid mail domain, so use localhost for it.
MAIL_HOST = "localhost" if SITE_HOST.replace(".", "").isdigit() or ":" in SITE_HOST else SITE_HOST
DEFAULT_FROM_EMAIL = environment.mail_address("DEFAULT_FROM_EMAIL", f"condottiere@{MAIL_HOST}")
OPERATOR_NAME, OPERATOR_EMAIL = parseaddr(environment.mail_address("OPERATOR_EMAIL", f"operator@{MAIL_HOST}"))
EMAIL_HOLD: timedelta = environment.seconds("EMAIL_HOLD", 60)
CHAT_HOLD: timedelta = environment.seconds("CHAT_HOLD", 300)
# Where undeliverable emails come back to; docs/EMAIL.md says how they are read, and how replies are.
BOUNCE_ADDRESS = environment.own_mailbox("BOUNCE_ADDRESS")
MAILBOX_URL = environment.mailbox("MAILBOX_URL")
EMAIL_WEBHOOK_SERVICE, EMAIL_WEBHOOK_SECRET = environment.email_webhook("EMAIL_WEBHOOK")
EMAIL_TIMEOUT = (
    10  # seconds until a server has greeted; the reply to DATA may take longer (smtp_connection.py)
)
EMAIL_BACKEND = "accounts.mail.capture.CaptureBackend"
_MAIL_SERVER = environment.mail_server("EMAIL_URL")
globals().update(_MAIL_SERVER or {})
# Without a mail server, the operator replies on the page of each captured email.
REPLY_ADDRESS = environment.own_mailbox("REPLY_ADDRESS") or ("" if _MAIL_SERVER else f"reply@{MAIL_HOST}")

# Health: programs that know this token may read figures about the site (docs/WATCHING.md)

METRICS_TOKEN = environment.bearer_token("METRICS_TOKEN")

# Celery: beat wakes workers, which read what to do from rows

REDIS_URL = environment.redis_url("REDIS_URL")
CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"socket_timeout": 10, "socket_connect_timeout": 5, "visibility_timeout": 60}
    if REDIS_URL
    else {"polling_interval": 0.05}
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # the broker may be away for days: worker and beat wait for it
CELERY_TASK_IGNORE_RESULT = True
# A lost tick is replaced by the next one, and a repeated tick is harmless.
# Rows, never the broker, guard what must not be lost or repeated.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
# All state is in the beat schedule below, so beat keeps no file.
CELERY_BEAT_SCHEDULER = "condottiere_site.beat:SteadyScheduler"
CELERY_BEAT_MAX_LOOP_INTERVAL = 1
HOURLY_TASKS = (
    "accounts.tasks.delete_unconfirmed_accounts",
    "accounts.tasks.delete_ended_sessions",
    "accounts.tasks.delete_old_counts",
    "accounts.mail.tasks.delete_old_emails",
    "games.tasks.delete_old_practice",
    "games.tasks.begin_next_games",
    "games.tasks.close_unfilled",
    "games.tasks.forget_old_invitations",
    "games.leagues.tasks.forget_what_is_over",
    "games.leagues.tasks.tell_standings",
)
BEAT_SECONDS: dict[str, float] = {
    "accounts.mail.tasks.deliver_due": 1.0,
    "accounts.push.tasks.send_due": 1.0,
    "accounts.push.tasks.send_due_to_targets": 1.0,
    "games.tasks.think": 1.0,
    "games.tasks.run_clock": 10.0,
    "games.tasks.remind": 10.0,
    "games.tasks.run_hours": 10.0,
    "games.tasks.judge_deals": 10.0,
    "games.tasks.open_seals": 10.0,
    "games.leagues.tasks.run_seasons": 10.0,
    "games.leagues.tasks.notify_organisers": 60.0,
    "games.tasks.tell_of_open_tables": 60.0,
    "accounts.mail.tasks.fetch_mail": 60.0,
    "condottiere_site.tasks.tell_of_failures": 60.0,
} | dict.fromkeys(HOURLY_TASKS, 3600.0)
# Each task has its own queue, with at most one tick in it (condottiere_site/beat.py).
CELERY_BEAT_SCHEDULE = {
    task: {"task": task, "schedule": seconds, "options": {"queue": task}}
    for task, seconds in BEAT_SECONDS.items()
}
CELERY_TASK_QUEUES: dict[str, dict[str, str]] = {task: {} for task in CELERY_BEAT_SCHEDULE}

LOGGING = logs.logging_settings("DEBUG" if DEBUG else "INFO")

# Keys, last: no key is made while another setting is bad

environment.make_folder("STATE_DIR", STATE_DIR)
SECRET_KEY = environment.secret_key("SECRET_KEY", STATE_DIR / "secret_key")
# The private key by which browsers' push services know this site
VAPID_KEY = environment.push_key("VAPID_KEY", SECRET_KEY)
environment.refuse_bad_values()

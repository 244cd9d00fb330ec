"""The people of every test, their browsers, and the servers a test may ask for.

It also patches Django, WhiteNoise and Playwright: each patch says what it replaces and why. If a library
renames what is patched, tests fail at once: `setattr` of pytest's MonkeyPatch refuses new names.
"""

import email.policy
import gc
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from email.message import EmailMessage
from email.parser import BytesParser
from hashlib import sha256
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.conf import settings as django_settings
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, TransactionTestCase, override_settings
from django.test import client as test_client
from hypothesis import settings as hypothesis_settings
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from whitenoise.middleware import WhiteNoiseMiddleware

from tests.people import all_proven, client_of, proven
from tests.servers import HANGS, chromium, free_port, wait_until

# The default run takes few examples and always the same ones; `--long` draws many new ones.
hypothesis_settings.register_profile(
    "default", max_examples=15, deadline=None, derandomize=True, database=None
)
hypothesis_settings.register_profile("long", max_examples=400, deadline=None)

logging.getLogger("mail.log").setLevel(logging.WARNING)  # aiosmtpd logs every line it hears

# Chromium heeds the last list of features alone, so Playwright's stands here again. The last two would load
# two more pages for each window, for its address bar: a third of all that a browser does for a small page.
FEATURES_OFF = [
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
]
BROWSER_FLAGS = [
    f"--disable-features={','.join(FEATURES_OFF)}",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_configure(config: pytest.Config) -> None:
    hypothesis_settings.load_profile("long" if config.getoption("--long") else "default")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Collect no garbage while tests are collected: almost all that is made then lives to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Exclude imported modules from Python's garbage collection, and collect less often.

    Otherwise every full collection looks at all of Django and the site, which live to the end.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.fixture(scope="session", autouse=True)
def _no_tick_ends_before_its_work() -> Iterator[None]:
    """Let ticks run without a time limit: on a busy machine they would leave work to the next tick."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("accounts.ticks.TICK_SECONDS", HANGS)
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Empty a database kept by `--reuse-db`, which a killed run may have left with rows."""
    from accounts.models import User
    from games.models import Table

    with django_db_blocker.unblock():
        if User.objects.exists() or Table.objects.exists():
            call_command("flush", interactive=False, verbosity=0)
        _record_migrations()


def _record_migrations() -> None:
    """Fill Django's table of migrations, which stays empty where tables are made from the models.

    Other processes of the site, such as workers, start only with a database of their own release.
    """
    with override_settings(MIGRATION_MODULES={}):
        known = MigrationLoader(None).disk_migrations
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    missing = set(known) - set(recorder.applied_migrations())
    recorder.migration_qs.bulk_create(recorder.Migration(app=app, name=name) for app, name in missing)


@pytest.fixture(scope="session", autouse=True)
def _only_tables_with_rows_are_emptied() -> Iterator[None]:
    """Replace Django's `TransactionTestCase._fixture_teardown`, which runs after each test that commits.

    Django's truncates every table and makes all content types and permissions again: a third of a second,
    more than most tests need. This one deletes rows where there are any, and keeps those two tables.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _case: _delete_all_rows())
        yield


def _delete_all_rows() -> None:
    quote = connection.ops.quote_name
    made_once = {ContentType._meta.db_table, Permission._meta.db_table}
    tables = set(connection.introspection.django_table_names()) - made_once
    asked = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {quote(table)})" for table in sorted(tables))
    # One transaction, because foreign keys are checked at its end.
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(asked))
        for (table,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {quote(table)}")


@pytest.fixture(scope="session", autouse=True)
def _static_files_are_found_once() -> Iterator[None]:
    """Replace WhiteNoise's `add_files_from_finders`, by which a site finds its static files as it starts.

    Each web client of a test is its own site, and looking for every file is most of its cost. So the first
    one looks, and the others take what it found.
    """
    find, found = WhiteNoiseMiddleware.add_files_from_finders, dict[str, Any]()

    def add_found(site: WhiteNoiseMiddleware) -> None:
        if not found:
            find(site)
            found.update(site.files)
        site.files.update(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", add_found)
        yield


@pytest.fixture(scope="session", autouse=True)
def _emails_have_dots_for_maps() -> Iterator[None]:
    """Replace the site's own drawing of maps for emails, which takes a third of a second.

    Emails have a dot instead, and another for another map. `tests/look` draws real ones.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("games.map.raster._rendered", _dot)
        yield


def _dot(drawing: str) -> bytes:
    told, out = PngInfo(), BytesIO()
    told.add_text("map", sha256(drawing.encode()).hexdigest())
    Image.new("RGB", (1, 1)).save(out, "PNG", pnginfo=told)
    return out.getvalue()


@pytest.fixture(scope="session", autouse=True)
def _contexts_of_fragments_are_not_kept() -> Iterator[None]:
    """Replace the test client's `store_rendered_templates`, which copies the context of each template.

    A page includes a hundred fragments with its own context, and no test looks at theirs.
    """
    store = test_client.store_rendered_templates

    def store_unless_included(store_in: Any, template: Any, context: Any, **more: Any) -> None:
        if context.template is template:
            store(store_in, template=template, context=context, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(test_client, "store_rendered_templates", store_unless_included)
        yield


PEOPLE = ("Anna", "Bruno", "Carla", "Dario", "Elena", "Fabio", "Stranger")  # the stranger sits at no table


@pytest.fixture(autouse=True)
def _no_part_of_a_page_is_kept() -> None:
    """Forget the parts of pages that a process keeps: settings may be others in the next test."""
    caches["template_fragments"].clear()


@pytest.fixture
def monkeypatch(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Load the whole site before anything is patched.

    A module that is imported while another's constant is patched would keep the patched one.
    """
    import_module(django_settings.ROOT_URLCONF)
    return monkeypatch


@pytest.fixture
def _people_of_this_test(db: None, request: pytest.FixtureRequest) -> dict[str, Any]:
    """All accounts that the test and its fixtures ask for, made with three statements."""
    names = [name for name in PEOPLE if name.lower() in request.fixturenames]
    made = all_proven({f"{name.lower()}@example.org": name for name in names})
    return dict(zip(names, made, strict=True))


def _a_person(name: str) -> Any:
    @pytest.fixture(name=name.lower())
    def person(_people_of_this_test: dict[str, Any]) -> Any:
        return _people_of_this_test.get(name) or proven(f"{name.lower()}@example.org", name)

    return person


anna, bruno, carla, dario, elena, fabio, stranger = map(_a_person, PEOPLE)


@pytest.fixture
def signed_in() -> Callable[[Any], Client]:
    """A web client signed in as the given person."""

    return client_of


@pytest.fixture
def long(request: pytest.FixtureRequest) -> bool:
    """Return whether larger counts were asked for."""
    return bool(request.config.getoption("--long"))


class SmtpSink:
    """A real SMTP server that keeps what it receives, and refuses given addresses."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.messages: list[EmailMessage] = []
        self.recipients: list[list[str]] = []
        self.refusals: dict[str, str] = {}  # address -> the server's answer, such as "550 no such person"

    @property
    def url(self) -> str:
        """Return the server's EMAIL_URL."""
        return f"smtp://127.0.0.1:{self.port}"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refusals:
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content if isinstance(envelope.content, bytes) else str(envelope.content).encode()
        message = BytesParser(policy=email.policy.default).parsebytes(content)
        self.recipients.append(list(envelope.rcpt_tos))
        self.messages.append(message)
        return "250 OK"

    def to(self, address: str) -> list[EmailMessage]:
        """Return the emails to this address, oldest first."""
        bare = address.replace('"', "")  # as aiosmtpd notes them, also where quotes are needed
        pairs = zip(self.messages, self.recipients, strict=False)
        return [message for message, recipients in pairs if {address, bare} & {*recipients}]

    def wait_for(self, count: int) -> list[EmailMessage]:
        """Return all emails, once there are at least this many."""
        wait_until(lambda: len(self.messages) >= count, f"{count} emails, have {len(self.messages)}")
        return self.messages


@pytest.fixture
def smtp_sink(settings: Any) -> Iterator[SmtpSink]:
    """An SMTP server, and this process's mail sent through it."""
    sink = SmtpSink(free_port())
    controller = Controller(sink, hostname="127.0.0.1", port=sink.port)
    controller.start()
    settings.EMAIL_BACKEND = "accounts.mail.smtp_connection.Smtp"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", sink.port
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    yield sink
    controller.stop()


@pytest.fixture
def redis_url() -> str:
    """A real broker's address."""
    if "REDIS_URL" not in os.environ:
        pytest.skip("no redis-server here")
    return os.environ["REDIS_URL"]


def test_database_url() -> str:
    """DATABASE_URL for another process that is to see this test's database."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    parts = urlsplit(os.environ["DATABASE_URL"])
    address = urlunsplit(parts._replace(path=f"/{name}"))
    return re.sub(r"^(\w+):/(?!/)", r"\1:///", address)


test_database_url.__test__ = False


@pytest.fixture
def celery_processes(
    transactional_db: None, redis_url: str, smtp_sink: SmtpSink, tmp_path: Path
) -> Iterator[Callable[..., None]]:
    """Starts a real Celery worker and beat on this test's database, broker and mail server when called.

    Keyword arguments are further environment variables for them, such as SITE_URL.
    """
    started: list[subprocess.Popen[bytes]] = []

    def start(**environment: str) -> None:
        base = {"DATABASE_URL": test_database_url(), "REDIS_URL": redis_url, "EMAIL_URL": smtp_sink.url}
        for role in (["worker", "--pool", "threads", "--concurrency", "2"], ["beat"]):
            log = (tmp_path / f"{role[0]}.log").open("wb")
            command = [sys.executable, "-m", "celery", "-A", "condottiere_site", *role, "--loglevel", "INFO"]
            process = subprocess.Popen(
                command,
                env=os.environ | base | environment,
                stdout=log,
                stderr=log,
                cwd=django_settings.BASE_DIR,
            )
            started.append(process)

    yield start
    for process in started:
        process.terminate()
    for process in started:
        try:
            process.wait(10)  # then it is killed: what it still holds is of no more use
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real Chromium with a fresh profile."""
    program = chromium()
    if program is None:
        pytest.skip("no chromium here")
    # Playwright keeps an event loop in this thread; what the tests do with the database there is synchronous.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    from playwright.sync_api import Locator, expect, sync_playwright

    click = Locator.click

    def click_and_arrive(self: Locator, **options: Any) -> None:
        """Replace Playwright's `click`, which returns at the first byte of the next page.

        On a busy machine the rest comes later, and a test would look at half a page.
        """
        click(self, **options)
        self.page.wait_for_load_state()

    expect.set_options(timeout=1000 * HANGS)
    with sync_playwright() as playwright, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Locator, "click", click_and_arrive)
        opened = playwright.chromium.launch(
            executable_path=program, headless=True, chromium_sandbox=False, args=BROWSER_FLAGS
        )
        yield opened
        connection.close()  # once Playwright's loop has ended, no one could reach what was opened in it
        opened.close()


@pytest.fixture
def browser_page(browser: Any, live_server: Any, settings: Any) -> Iterator[Any]:
    """A page of the running site in a browser of its own; fails if the page broke the site's own policy."""
    settings.SITE_URL = live_server.url
    context = browser.new_context(base_url=live_server.url)
    context.set_default_timeout(1000 * HANGS)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if "Security Policy" in line.text else None)
    yield page
    context.close()
    assert complaints == []


@pytest.fixture
def browser_signed_in(browser_page: Any, signed_in: Callable[[Any], Client]) -> Callable[[Any], Any]:
    """The browser's page, signed in as the given person."""

    def page_of(person: Any) -> Any:
        cookie = signed_in(person).cookies[django_settings.SESSION_COOKIE_NAME].value
        address = {
            "name": django_settings.SESSION_COOKIE_NAME,
            "value": cookie,
            "url": django_settings.SITE_URL,
        }
        browser_page.context.clear_cookies()
        browser_page.context.add_cookies([address])
        return browser_page

    return page_of

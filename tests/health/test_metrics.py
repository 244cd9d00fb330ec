"""/metrics: what Prometheus reads with the token, and that it costs the same on a site with a long past."""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings as site_settings
from django.db import connection
from django.db.models import Max
from django.test import Client
from django.test.utils import CaptureQueriesContext
from prometheus_client.parser import text_string_to_metric_families

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from accounts.push.models import Push, PushSubscription
from condottiere_site import __version__
from condottiere_site.health.figures import FIGURES, read_figures
from condottiere_site.health.metrics import SiteCollector
from condottiere_site.health.signs import WHAT_TO_DO, Sign, SignName, unknown
from condottiere_site.models import TaskRun
from games.models import Game, LogEntry, Seat
from tests.faults.stage import copies
from tests.games.playing import begin_game, play_to_the_end

DOCS = Path(site_settings.BASE_DIR) / "docs"
TOKEN = "a-token-of-these-tests-alone"
NAMES = re.compile(r"\bcondottiere_\w+")

Values = dict[tuple[str, ...], float]


def values_of(name: str) -> Values:
    return dict(read_figures(clock.now())[name])


def queue(key: str, **columns: Any) -> OutgoingEmail:
    defaults = {"kind": "turn", "to_address": "reader@example.org", "not_before": clock.now()}
    return OutgoingEmail.objects.create(key=key, **(defaults | columns))


def test_without_a_token_there_are_no_metrics(settings: Any, db: None) -> None:
    settings.METRICS_TOKEN = ""
    for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": f"Bearer {TOKEN}"}):
        assert Client().get("/metrics", headers=headers).status_code == 404


def test_only_the_token_opens_them(settings: Any) -> None:
    """The database is closed to this test."""
    settings.METRICS_TOKEN = TOKEN
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}):
        answer: Any = Client().get("/metrics", headers=headers)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
        assert b"condottiere" not in answer.content


@pytest.mark.once
def test_prometheus_reads_every_metric_and_nothing_about_people(
    transactional_db: None, settings: Any, anna: User, bruno: User
) -> None:
    settings.METRICS_TOKEN = TOKEN
    begin_game([anna, bruno], pace="hours", hours="all")
    queue("one", to_user=anna, to_address=anna.email)
    TaskRun.objects.create(
        task="games.tasks.run_clock", started_at=clock.now(), ended_at=clock.now(), seconds=0.5
    )
    answer: Any = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}", "Host": "10.0.0.7"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=")
    text = answer.content.decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert set(families) == described()
    has_none = {"condottiere_moves_last_hour"}
    assert {name for name, family in families.items() if not family.samples} <= has_none
    assert not re.search(r"anna|bruno|example\.org|table 42", text, re.IGNORECASE)
    (info,) = families["condottiere_info"].samples
    assert info.labels == {"version": __version__}


@pytest.mark.django_db
@pytest.mark.sqlite
def test_emails_are_counted_by_kind_and_state_and_age() -> None:
    now = clock.now()
    assert values_of("condottiere_oldest_due_email_seconds") == {(): 0}
    queue("due", not_before=now - timedelta(minutes=5))
    queue("later", kind="digest", not_before=now + timedelta(hours=1))
    queue("sent", state=OutgoingEmail.State.SENT)
    OutgoingEmail.objects.filter(pk=queue("old").pk).update(
        created_at=now - timedelta(hours=2), state=OutgoingEmail.State.FAILED
    )
    assert values_of("condottiere_emails_last_hour") == {
        ("turn", "queued"): 1,
        ("digest", "queued"): 1,
        ("turn", "sent"): 1,
    }
    assert values_of("condottiere_emails_queued") == {("turn",): 1, ("digest",): 1}
    assert 300 <= values_of("condottiere_oldest_due_email_seconds")[()] < 400


@pytest.mark.django_db
@pytest.mark.sqlite
def test_moves_games_and_deadlines_are_counted(anna: User, bruno: User, carla: User) -> None:
    over = begin_game([anna, bruno])
    play_to_the_end(over)
    running = begin_game([anna, bruno, carla], pace="hours", hours="all")
    Seat.objects.filter(table=running.table, due_at__isnull=False).update(
        due_at=clock.now() - timedelta(minutes=20)
    )
    LogEntry.objects.update(at=clock.now())
    moves = LogEntry.objects.exclude(via="").count()
    assert moves
    assert sum(values_of("condottiere_moves_last_hour").values()) == moves
    assert values_of("condottiere_running_games") == {(): 1}
    assert values_of("condottiere_overdue_deadlines") == {
        (): Seat.objects.filter(table=running.table, due_at__isnull=False).count()
    }
    assert 1200 <= values_of("condottiere_oldest_overdue_deadline_seconds")[()] < 1300
    LogEntry.objects.update(at=clock.now() - timedelta(hours=2))
    assert values_of("condottiere_moves_last_hour") == {}


@pytest.mark.django_db
@pytest.mark.once
def test_a_long_past_costs_nothing(anna: User, bruno: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that are over, their logs, and emails and notifications that were sent are never read."""
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL tells how many rows it has read")
    monkeypatch.setattr("condottiere_site.health.figures.MOST_READ", 10)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")  # small tables are read whole otherwise
    over = begin_game([anna, bruno])
    play_to_the_end(over)
    begin_game([anna, bruno], pace="hours", hours="all")
    old_emails(10)
    old_notifications(anna, 10)
    few = cost()
    old_emails(200)
    old_notifications(bruno, 200)
    ended_games(over, 100)
    assert cost() == few


def old_emails(count: int) -> None:
    long_ago = clock.now() - timedelta(days=3)
    start = OutgoingEmail.objects.aggregate(newest=Max("pk"))["newest"] or 0
    OutgoingEmail.objects.bulk_create(
        OutgoingEmail(
            kind="turn",
            to_address="reader@example.org",
            key=f"old {start + number}",
            state=OutgoingEmail.State.SENT,
            not_before=long_ago,
            created_at=long_ago,
        )
        for number in range(count)
    )


def old_notifications(person: User, count: int) -> None:
    long_ago = clock.now() - timedelta(days=3)
    browser = PushSubscription.objects.create(user=person, endpoint=f"https://push.example.org/{person.pk}")
    Push.objects.bulk_create(
        Push(subscription=browser, kind="turn", key=str(number), not_before=long_ago, done_at=long_ago)
        for number in range(count)
    )


def ended_games(game: Game, count: int) -> None:
    log = list(game.log.all())
    games = copies(Game, ((game, {"number": number}) for number in range(2, count + 2)))
    copies(LogEntry, ((entry, {"game": copy}) for copy in games for entry in log[:5]))


def cost() -> tuple[int, int]:
    """Return how many statements are made, and how many rows they read."""
    before = rows_read()
    with CaptureQueriesContext(connection) as queries:
        read_figures(clock.now())
    return len(queries), rows_read() - before


def rows_read() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables")
        return int(cursor.fetchone()[0])


def test_what_is_not_known_is_left_out() -> None:
    """When the database is away, its alert alone fires: no one knows of the rest."""
    signs = [Sign(SignName.DATABASE, failed=True), unknown(SignName.EMAIL), Sign(SignName.DISK, False, 5, 3)]
    families = {family.name: family for family in SiteCollector(lambda: signs, lambda: None).collect()}
    failed = families["condottiere_sign_failed"].samples
    assert {sample.labels["sign"]: sample.value for sample in failed} == {"database": 1, "disk": 0}
    assert not any(families[figure.name].samples for figure in FIGURES)


def described() -> set[str]:
    return {family.name for family in SiteCollector(list, dict).describe()}


def alert_rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((DOCS / "alerts.yaml").read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_every_metric_of_alerts_dashboard_and_page_exists() -> None:
    for name in ("alerts.yaml", "dashboard.json", "WATCHING.md"):
        found = set(NAMES.findall((DOCS / name).read_text(encoding="utf-8"))) - {"condottiere_site"}
        assert found, name
        assert found - described() == set(), name


def test_the_dashboard_shows_every_metric() -> None:
    dashboard = json.loads((DOCS / "dashboard.json").read_text(encoding="utf-8"))
    asked = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ()))
    assert set(NAMES.findall(asked)) == described()
    places = [tuple(panel["gridPos"].values()) for panel in dashboard["panels"]]
    assert len(set(places)) == len(places)


def test_every_sign_has_an_alert_that_says_what_to_do() -> None:
    by_sign = {}
    for rule in alert_rules():
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]
        for name in re.findall(r'sign="(\w+)"', rule["expr"]):
            by_sign[name] = rule["annotations"]["description"]
    assert by_sign == {name.value: str(WHAT_TO_DO[name]) for name in SignName}


def test_the_page_about_watching_explains_every_sign() -> None:
    page = (DOCS / "WATCHING.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) >= set(SignName)
    for name in SignName:
        assert str(WHAT_TO_DO[name]) in page, name

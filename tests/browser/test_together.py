"""Two people at two browsers in a shared hour, and a notification in a real browser."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

from accounts import clock
from accounts.push.models import Push, PushSubscription
from accounts.push.sending import SHOWN
from accounts.tokens import sign
from games.models import SharedHour, Table
from games.services.hours import note_hours
from tests.browser.conftest import Open
from tests.games.playing import answer, begin_game, decision_of, legal_texts
from tests.servers import wait_until

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_two_people_agree_on_an_hour_see_each_other_and_each_others_moves(
    open_browser: Open, anna: Any, bruno: Any
) -> None:
    game = begin_game([anna, bruno])
    tomorrow = (clock.now() + timedelta(days=1)).date()
    pages = {0: open_browser(anna), 1: open_browser(bruno)}
    pages[0].goto(f"/games/{game.pk}/hours/")
    pages[0].get_by_label("Day").first.fill(tomorrow.isoformat())
    pages[0].get_by_label("From").first.fill("20:00")
    pages[0].get_by_label("Until").first.fill("21:00")
    pages[0].get_by_text("Propose these times").click()
    pages[1].goto(f"/games/{game.pk}/")
    pages[1].get_by_role("link", name="Answer", exact=True).click()
    pages[1].get_by_text("Accept this time").click()
    expect(pages[1].get_by_text("Accepted by: Anna and Bruno.")).to_be_visible()
    now = clock.now()
    SharedHour.objects.update(starts_at=now, ends_at=now + timedelta(hours=1))
    note_hours(Table.objects.get(pk=game.table_id), now)
    for page in pages.values():
        page.goto(f"/games/{game.pk}/")
    expect(pages[0].get_by_text("Here now: Bruno.")).to_be_visible()
    expect(pages[1].get_by_text("Here now: Anna.")).to_be_visible()
    assert pages[0].locator("#live").get_attribute("hx-trigger").startswith("every 3s")
    asked = decision_of(game).seat
    heading = pages[1 - asked].locator("#ask-title").inner_text()
    while decision_of(game).seat == asked:
        answer(game, legal_texts(game)[0])
    expect(pages[1 - asked].locator("#ask-title")).not_to_have_text(heading)
    pages[1].close()
    expect(pages[0].get_by_text("None of the others is here right now.")).to_be_visible()


def test_a_browser_shows_a_notification_and_says_so(open_browser: Open, anna: Any, live_server: Any) -> None:
    """What the push service would deliver is handed to the service worker, as it would be."""
    browser = PushSubscription.objects.create(user=anna, endpoint="https://push.example.org/1")
    push = Push.objects.create(subscription=browser, kind="turn", key="1", not_before=browser.since)
    page = open_browser(anna)
    page.context.grant_permissions(["notifications"], origin=live_server.url)
    found: list[Any] = []
    session = page.context.new_cdp_session(page)
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    page.goto("/me/")
    expect(page.get_by_text("Notify me in this browser")).to_be_visible()
    page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
    shown = f"/push/shown/{sign(SHOWN, push.pk)}/"
    payload = {"title": "Your turn", "path": "/games/1/", "tag": "1", "shown": shown, "waiting": 2}
    wait_until(lambda: page.evaluate("1") and found, "the service worker")
    registration = found[-1]["registrationId"]
    delivered = {"origin": live_server.url, "registrationId": registration, "data": json.dumps(payload)}
    session.send("ServiceWorker.deliverPushMessage", delivered)
    wait_until(lambda: Push.objects.filter(pk=push.pk, shown_at__isnull=False).exists(), "the browser")
    notices = "navigator.serviceWorker.ready.then(it => it.getNotifications())"
    assert page.evaluate(f"{notices}.then(all => all.map(one => one.title))") == ["Your turn"]

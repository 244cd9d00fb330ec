"""The scheduled tasks of leagues. A missed or repeated run does no harm."""

from celery import shared_task

from accounts import clock
from accounts.mail.outbox import giving_way
from accounts.ticks import at_most
from games.leagues.selectors.organiser_tasks import tasks_to_email
from games.leagues.services import league_news, league_tick, organiser_notices, retention


@shared_task
@at_most(1)
@giving_way()
def run_seasons() -> int:
    """Run everything that is due in any league; return how much was done."""
    return league_tick.run_seasons(clock.now())


@shared_task
@at_most(1)
@giving_way()
def notify_organisers() -> int:
    """Email organisers about the decisions that only they can make; return the number of new ones."""
    tasks = ((task.key, task.season) for task in tasks_to_email(clock.now()))
    return organiser_notices.notify_organisers(tasks)


@shared_task
def tell_standings() -> int:
    """Send the week's standings to the channels of leagues, once a week; return of how many seasons."""
    return league_news.tell_standings(clock.now())


@shared_task
def forget_what_is_over() -> int:
    """Delete old invitations and notes for seats that no one needs any more; return how many."""
    return retention.forget_old_invitations(clock.now()) + retention.forget_old_notes()

"""Practice without an account: it begins on the home page, and its address is its only key."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.rate_limits import client_key, hit
from games.access import get_practice_access, reader_of
from games.forms.bots import PracticeForm
from games.forms.typed_text import read_number
from games.models import Game
from games.presenters.reading import reading_through
from games.private_pages import private_page
from games.services.practice import begin_practice, keep_practice
from games.views.game_page import show_game
from games.views.history import send_record, show_position, show_proof
from games.views.lobby import show_home
from games.views.play import make_move, put_hint_away

PRACTICES_A_DAY = 20


@require_POST
def begin(request: HttpRequest) -> HttpResponse:
    """Start a game against bots. A signed-in person owns theirs; a guest's is opened by its address."""
    form = PracticeForm(request.POST)
    if not form.is_valid():
        return show_home(request, form, 400)
    if not hit("practice", client_key(request), PRACTICES_A_DAY):
        form.add_error(None, too_many_today())
        return show_home(request, form, 429)
    user = reader_of(request)
    game = begin_practice(user, **form.cleaned_data)
    key = game.table.practice_key
    return redirect("game", game.pk) if key is None else redirect("practice", key)


def too_many_today() -> str:
    said = _(
        "You have reached the limit of practice games for today (%(most)d). It counts everyone who uses your "
        "connection, signed in or not. Continue the games you have started, or try again tomorrow."
    )
    return said % {"most": PRACTICES_A_DAY}


@private_page
@require_safe
def game(request: HttpRequest, key: str) -> HttpResponse:
    """Show the game as the guest's seat sees it."""
    return show_game(request, get_practice_access(key))


@private_page
@require_POST
def move(request: HttpRequest, key: str) -> HttpResponse:
    """Make the guest's move, and the bots' replies."""
    return make_move(request, get_practice_access(key))


@private_page
@require_POST
def hint(request: HttpRequest, key: str) -> HttpResponse:
    """Put the guest's hint away."""
    return put_hint_away(request, get_practice_access(key))


@private_page
@require_POST
def keep(request: HttpRequest, key: str) -> HttpResponse:
    """Give the practice game to the signed-in person. Safe to repeat."""
    user = reader_of(request)
    if user is None:
        return redirect_to_login(reverse("practice", args=[key]))
    game = _kept_before(request, user)
    if game is None:
        game = get_practice_access(key).game
        if not keep_practice(game, user):
            raise Http404
        messages.success(request, _("The game is now in “My games”."))
    return redirect("game", game.pk)


def _kept_before(request: HttpRequest, user: User) -> Game | None:
    """Return the game named in the form, if it already belongs to this person."""
    return Game.objects.of(user).filter(pk=read_number(request.POST.get("game", "")) or 0).first()


@private_page
@require_safe
def position(request: HttpRequest, key: str, ply: int) -> HttpResponse:
    """Show the position after `ply` log entries. Raises Http404 while the game runs."""
    return show_position(request, reading_through(get_practice_access(key)), ply)


@private_page
@require_safe
def record(request: HttpRequest, key: str) -> HttpResponse:
    """Send the finished game's record as a file."""
    return send_record(request, reading_through(get_practice_access(key)))


@private_page
@require_safe
def proof(request: HttpRequest, key: str) -> HttpResponse:
    """Show the commitment and nonces; the secret and the checks once the game is over."""
    return show_proof(request, reading_through(get_practice_access(key)))

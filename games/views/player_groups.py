"""The page of one's own groups of people to play with."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.models import User
from games import services
from games.access import person_of
from games.chat.muted_people import muted_by
from games.forms.known_people import GroupForm
from games.models import PlayerGroup
from games.private_pages import private_page
from games.selectors.fellow_players import groups_of, known_people
from games.services import Refused


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def my_groups(request: HttpRequest) -> HttpResponse:
    """Show the reader's groups, each with its form; make, change or delete one."""
    owner = person_of(request)
    groups = groups_of(owner)
    if request.method != "POST":
        return _show(request, owner, groups)
    number = request.POST.get("group", "")
    group = next((one for one in groups if str(one.pk) == number), None)
    if "delete" in request.POST:
        return _delete(request, group)
    if number and group is None:
        raise Http404
    return _save(request, owner, groups, group)


def _show(
    request: HttpRequest,
    owner: User,
    groups: list[PlayerGroup],
    typed: GroupForm | None = None,
    status: int = 200,
) -> HttpResponse:
    offered = known_people(owner, muted_by(owner)).people
    of_group = typed.group if typed else None
    forms = [
        typed if typed and group == of_group else GroupForm(offered=offered, group=group) for group in groups
    ]
    new = typed if typed and of_group is None else GroupForm(offered=offered)
    context = {"forms": forms, "new_form": new, "knows_people": bool(offered)}
    return render(request, "games/my_groups.html", context, status=status)


def _save(
    request: HttpRequest, owner: User, groups: list[PlayerGroup], group: PlayerGroup | None
) -> HttpResponse:
    offered = known_people(owner, muted_by(owner)).people
    form = GroupForm(request.POST, offered=offered, group=group)
    if form.is_valid():
        try:
            services.save_group(owner, group, form.cleaned_data["name"], form.cleaned_data["people"])
        except Refused as refused:
            form.add_error("name", str(refused))
        else:
            messages.success(request, _("The group is saved. You can invite it to a table."))
            return redirect("my_groups")
    return _show(request, owner, groups, form, 400)


def _delete(request: HttpRequest, group: PlayerGroup | None) -> HttpResponse:
    """Delete a group; a second click finds none."""
    if group is not None:
        services.delete_group(group)
        messages.success(request, _("You deleted the group."))
    return redirect("my_groups")

"""Every form of the site has a request for programs, or a reason why it has none."""

from __future__ import annotations

from collections.abc import Mapping

from condottiere_site.api import openapi
from tests.access.rows import read_rows

TABLE, GAME = "/tables/{table_id}", "/games/{game_id}"
CHANNEL = f"{TABLE}/channels/{{slug}}"
PLACE = "/leagues/{league_id}/seasons/{season}/place"

# The URL names of forms, and what programs ask instead
REQUESTS: Mapping[str, str] = {
    "new_table": "POST /tables",
    "table_take": f"POST {TABLE}/seat",
    "table_confirm": f"POST {TABLE}/confirmation",
    "table_words": f"POST {TABLE}/words",
    "table_leave": f"DELETE {TABLE}/seat",
    "table_invite": f"POST {TABLE}/invitations",
    "table_withdraw": f"DELETE {TABLE}/invitations/{{number}}",
    "table_cancel": f"DELETE {TABLE}",
    "table_keep_open": f"POST {TABLE}/keep-open",
    "table_bot": f"POST {TABLE}/bots",
    "table_remove": f"DELETE {TABLE}/seats/{{seat_id}}",
    "join": "POST /join/{key}/seat",
    "game_move": f"POST {GAME}/moves",
    "game_order": f"POST {GAME}/order",
    "game_note": f"POST {GAME}/note",
    "game_rematch": f"POST {GAME}/rematch",
    "game_propose_end": f"POST {GAME}/proposals",
    "game_answer_end": f"POST {GAME}/proposals/{{number}}/answer",
    "game_time": f"POST {GAME}/time",
    "game_come_back": f"POST {GAME}/back",
    "game_go_on": f"POST {GAME}/next",
    "chat": f"POST {CHANNEL}/messages",
    "channel": f"POST {CHANNEL}/messages",
    "chat_with": f"POST {TABLE}/channels",
    "channel_open": f"POST {CHANNEL}/opening",
    "propose_deal": f"POST {CHANNEL}/deals",
    "deal": f"POST {CHANNEL}/deals/{{number}}/answer",
    "show_cards": f"POST {CHANNEL}/shown-cards",
    "seal_note": f"POST {CHANNEL}/sealed-notes",
    "season_sign_up": f"POST {PLACE}",
    "season_confirm": f"POST {PLACE}/confirmation",
    "season_leave": f"DELETE {PLACE}",
}

WITHOUT: Mapping[str, str] = {
    "A link in an email stands for one decision of its reader. With a token, the same is done by number.": """
        invitation seat answer_move answer_hint chat_answer deal_by_link league_by_link unsubscribe
        undo_unsubscribe operator_sign_in operator_email_reply
    """,
    "It gives a seat away in a running game, for good. A person does that.": """
        game_hand_over game_take_back game_give_up game_offer_absent join_absent season_withdraw
        season_volunteer season_stop_volunteering
    """,
    "It is about hours that people spend together at their pages.": "game_hours game_hour game_presence",
    "It teaches people, or lets them try a game. A program has its own thoughts and its own boards.": """
        game_hint game_advice game_analysis game_play_on game_take_back_move chronicle_analysis
        chronicle_play_on watch_play_on watch_game_play_on begin_practice practice_order practice_move
        practice_hint practice_keep practice_advice practice_take_back_move
    """,
    "It checks a person’s words for the shuffle. docs/verify_shuffles.py checks records.": "game_proof",
    "It judges people: reports, bans, mutes.": """
        people message channel_message operator_decide operator_lift
    """,
    "It sets how the site reaches or treats a person, on pages of their account.": """
        set_language email_me_of_tables profile email_preferences turn_on_emails try_address_again my_hours
        announce_holiday cancel_holiday my_blocks my_groups my_tokens remove_my_token my_bots my_bot
        make_bot_token remove_bot_token wake_bot_at close_my_bot feed_address push_add push_choose push_remove
        push_shown notice_targets notice_target notice_target_secret notice_target_test notice_target_switch
        notice_target_remove export_me delete_me chat_emails channel_emails admin:login
    """,
    "It sends a table's news to services outside, whose keys the host enters once.": """
        table_channels table_channels_write
    """,
    "It asks the organisers of a league for something, in words that they answer.": "season_skip season_tell",
    "Organisers decide on their pages, where they see what follows.": """
        new_league change_league league_organisers league_step_down assistant_remove organiser_ask
        organiser_remove organiser_still_here plan_season replan_season season_open season_fewer season_cancel
        season_invite season_write season_remind_invited season_remind_silent league_channels
        league_channels_write league_channel_remove league_pause league_resume invited_withdraw concern_reply
        entry_accept entry_decline entry_expel entry_move division_fill table_extend table_remind
        table_replace table_adjudicate table_award open_seat_give open_seat_bot
    """,
}
REFUSED = {"404", "405", "login"}


def forms() -> set[str]:
    """Return the URL names that take a form from anyone."""
    return {
        row.name
        for row in read_rows()
        if row.method == "POST" and not row.is_room
        if set().union(*(row.allows(role) for role in row.roles)) - REFUSED
    }


def test_every_form_has_a_request_or_a_reason_why_not() -> None:
    reasons = [name for names in WITHOUT.values() for name in names.split()]
    assert sorted(forms()) == sorted([*REQUESTS, *reasons])


def test_the_requests_are_those_of_the_schema() -> None:
    known = {
        f"{method.upper()} {path.removeprefix('/api/v1')}"
        for path, methods in openapi()["paths"].items()
        for method in methods
    }
    assert set(REQUESTS.values()) <= known
    # What pages do as they are opened, or by a second button of a form
    assert {request for request in known if not request.startswith("GET")} - set(REQUESTS.values()) == {
        f"DELETE {GAME}/order",
        f"POST {GAME}/read",
        f"POST {CHANNEL}/read",
        f"DELETE {TABLE}/invitation",
    }

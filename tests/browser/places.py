"""Every page of the site, by group: its address, its object, and its visitor.

A row is the address's name with what follows its "?", a subject (tests/browser/sights.py), a visitor, and the
status if it is not 200. In ANSWERED the last word is the form that is sent to the address, whose answer is a
page too. Anyone who adds an address that shows a page adds a row here, or says in NO_PAGE why there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.access.rows import read_rows, rows_for
from tests.access.world import addresses

VISITED = {
    "tables and people": """
home                          -           anonymous
home                          -           asked
home                          -           stranger
tables?page=2                 open        stranger
tables                        open        anonymous
games_to_watch?page=2         public      anonymous
offline                       -           anonymous
my_games?gathering=2&page=1   finished    asked
my_games                      -           stranger
person                        -           asked
person                        -           host
person                        -           anonymous
my_groups                     -           asked
my_groups                     -           stranger
new_table                     -           stranger
new_table                     -           asked
table                         gathering   host
table                         gathering   other
table                         open        stranger
table                         full        asked
table                         cancelled   host
table                         closed      asked
table                         running     host
table                         rematch     host
table                         pausing     other
table_channels                running     host
join                          open        anonymous
join                          open        stranger
join                          full        anonymous
join                          cancelled   stranger
invitation                    open        anonymous
invitation                    open        stranger
invitation                    declined    anonymous
invitation                    withdrawn   anonymous
invitation                    cancelled   anonymous
invitation                    offered     anonymous
seat                          gathering   anonymous
seat                          full        anonymous
seat                          closed      anonymous
seat                          running     anonymous
seat                          pausing     anonymous
tables                        absent      stranger
join                          absent      anonymous
join                          absent      stranger
seat                          absent      anonymous
my_games                      absent      asked
chat                          gathering   host
chat?before=9999              gathering   host
chat                          public      anonymous
chat                          closed      asked
chat                          finished    asked
channel                        running     asked
channel                        finished    host
channel                        epilogue    other
channel                        opened      anonymous
channel                        attested    asked
channel                        proven      asked
show_cards?channel=table       attested    asked
show_cards                    gathering   asked
seal_note?channel={slug}     attested    asked
seal_note                   finished    asked
channel                        opened      asked
chat                          told        other
people                        told        host
people                        told        other
message                       told        asked
channel_message                told        asked
operator_reports              -           staff
deals                        running     asked
deals                        dealt   asked
deals                        dealt   host
deals                        settled     asked
deals                        finished    other
channel                        dealt   asked
watch_deals                  settled     anonymous
propose_deal               dealt   asked
propose_deal               finished    asked
chat_with                     running     asked
chat_with                     finished    asked
watch_channel                  opened      anonymous
chat_emails                  gathering   host
channel_emails                running     asked
chat_answer                   gathering   anonymous
chat_answer                   closed      asked
deal_by_link                   dealt   anonymous
deal_by_link                   settled     anonymous
my_messages                   -           stranger
my_messages?q=good            gathering   asked
my_messages?q=nowhere         -           asked
watch                         gathering   anonymous
watch_chat                    gathering   anonymous
watch_chat?before=9999        public      anonymous

leagues                   -           anonymous
leagues                   -           asked
league                    league      anonymous
league_by_link            signup      anonymous
league                    club        asked
league                    signup      host
season                    league      asked
season                    league      anonymous
season                    signup      stranger
season                    signup      asked
division                  league      other
division_embed            league      anonymous
division                  club        asked
round                     league      asked
league_table              league      anonymous
player                    league      stranger
ratings                   league      anonymous
ratings?page=2            league      asked

new_league                -           stranger
league_log                league      asked
league_all_time           league      asked
league_log                signup      anonymous
organise                  league      host
organise                  signup      host
organise                  draft       host
change_league             club        host
league_organisers         league      host
league_step_down          league      host
assistant_remove          league      host
organiser_ask             league      host
organiser_remove          league      host
plan_season               league      host
replan_season             draft       host
season_open               draft       host
replan_season             signup      host
season_fewer              signup      host
season_cancel             draft       host
season_invite             draft       host
season_players            league      host
season_players            signup      host
season_desk               league      host
season_write              league      host
season_remind_invited     signup      host
season_remind_silent      signup      host
league_channels           league      host
league_channels           signup      host
league_pause              league      host
league_resume             league      host
season_tell               league      asked
concern_reply             league      host
entry_accept              league      host
entry_decline             league      host
entry_expel               league      host
entry_move                league      host
division_fill             league      host
table_extend              league      host
table_replace             league      host
table_adjudicate          league      host
table_award               league      host
open_seat_give              league      host
open_seat_bot               league      host

privacy                              -            anonymous
rules                                -            anonymous
rules_map                            -            anonymous
rules_minute                         -            anonymous
rules_orders                         -            anonymous
rules_2007                           -            anonymous
rules_1995                           -            anonymous
rules_2007_bigger-kingdoms           -            anonymous
rules_2007_capturing-regions         -            anonymous
rules_2007_draw-after-battle         -            anonymous
rules_2007_hidden-cards              -            anonymous
rules_2007_playing-for-points        -            anonymous
profile                              -            asked
profile?welcome=1                    -            newcomer
my_hours                             -            asked
my_hours                             away         asked
my_blocks                            -            asked
my_tokens                            -            asked
my_tokens                            -            newcomer
my_bots                              -            asked
my_bots                              -            newcomer
my_bot                               -            asked
api_guide                            -            anonymous
notice_targets                       -            asked
notice_targets                       -            newcomer
notice_target                        -            asked
my_emails?page=2                    emails      asked
my_emails                           -            newcomer
email_preferences                   -            asked
delete_me                            -            asked
delete_me                            -            stale
unsubscribe                          -            anonymous
unsubscribe                          invitations  anonymous
unsubscribe                          refused      anonymous
undo_unsubscribe                     -            anonymous
operator_sign_in                     -            anonymous
operator_sign_in                     wrong        anonymous   404
operator                               -            staff
operator_emails?page=2              emails      staff
operator_emails?to=nobody           -            staff
operator_email                      -            staff
operator_email                      emails      staff
account_login                        -            anonymous
account_sign_in_for                  -            anonymous
account_signup                       -            anonymous
account_confirm_login_code           -            coded
account_email_verification_sent      -            proving
account_email_verification_sent      -            moving
account_reset_password               -            anonymous
account_reset_password               -            asked
account_confirm_password_reset_code  -            forgetful
account_complete_password_reset      -            resetting
account_password_reset_completed     -            anonymous
account_inactive                     -            anonymous
account_logout                       -            asked
account_email                        -            asked
account_email                        -            moving
account_set_password                 -            asked
account_change_password              -            guarded
account_reauthenticate               -            guarded
account_reauthenticate_code          -            asked
account_reauthenticate_code?sent=1   -            asked
usersessions_list                    -            asked
usersessions_list                    -            guarded
mfa_index                            -            asked
mfa_index                            -            guarded
mfa_authenticate                     -            halfway
mfa_reauthenticate                   -            guarded
mfa_reauthenticate_webauthn          -            guarded
mfa_activate_totp                    -            asked
mfa_deactivate_totp                  -            guarded
mfa_view_recovery_codes              -            guarded
mfa_generate_recovery_codes          -            guarded
mfa_list_webauthn                    -            asked
mfa_list_webauthn                    -            guarded
mfa_add_webauthn                     -            guarded
mfa_edit_webauthn                    passkey      guarded
mfa_remove_webauthn                  passkey      guarded
""",
    "games": """
game                              place      asked
game                              place      host
game                              battle     asked
game                              discard    asked
game                              keep       asked
game                              noted      asked
game                              finished   asked
game                              rematched  host
game                              rematched  asked
game                              bishop     asked
game                              pausing    asked
game                              won        asked
game                              clocked    asked
game                              clocked    host
game                              absent     asked
game                              absent     host
game_arrangements                 noted      asked
game_hours                        running    asked
game_arrangements                 clocked    host
game_arrangements                 absent     host
game_arrangements                 finished   asked
game_arrangements                 pausing    asked
answer                            clocked    anonymous
watch                             absent     anonymous
game_history                      finished   asked
game_history                      final_ply  asked
game_history?as=2                 finished   asked
game_analysis                     finished   asked
game_chronicle                    finished   asked
chronicle_analysis                finished   anonymous
chronicle                         finished   anonymous
chronicle_history                 finished   anonymous
chronicle_proof                   finished   anonymous
game_proof                        battle     asked
game_proof                        finished   asked
answer                            place      anonymous
answer                            battle     anonymous
answer                            battle     asked
answer                            finished   anonymous
answer                            answered   anonymous
answer                            wrong      anonymous  404
answer_confirm?move=place+siena   place      anonymous
answer_confirm?move=play+bishop   bishop     anonymous
answer_confirm?move=pass          battle     anonymous
answer_confirm?move=keep+hand     discard    anonymous
answer_confirm?move=keep+nothing  keep       anonymous
answer_confirm?move=pass          finished   anonymous  409
watch                             watched    anonymous
watch                             public     asked
watch_history                     public     anonymous
watch_analysis                    public     anonymous
watch_chronicle                   public     anonymous
watch_game                        pausing    anonymous
watch_game_history                pausing    anonymous
watch_game_analysis               pausing    anonymous
watch_game_chronicle              pausing    anonymous
watch_game_proof                  pausing    anonymous
watch_proof                       watched    anonymous
watch_proof                       public     anonymous
practice                          six        anonymous
practice                          six        stranger
practice                          ended      anonymous
practice_history                  ended      anonymous
practice_analysis                 ended      anonymous
practice_chronicle                ended      anonymous
practice_proof                    ended      anonymous
admin:login                       -          stranger   403
/nowhere/                         -          anonymous  404
/nowhere/                         -          stranger   404
""",
}

ANSWERED = {
    "tables and people": """
begin_practice         -          anonymous  400  opponents=9
new_table              -          stranger   400  name=&invited=nobody
new_table              -          stranger   400  name=Friday&most_misses=0
table_invite           gathering  host       400  invited=nobody
table_channels         running    host       422  service=slack&endpoint=http://x.org
my_groups              -          asked      400  name=&people=
table_bot              gathering  host       400  strength=none
invitation             unknown    anonymous  400  action=accept
seat                   leaving    anonymous  200  action=leave
chat                   gathering  host       400  text=
chat                   public     asked      409  text=Late
channel                 running    asked      400  text=
chat_with              running    asked      400  text=Hello
propose_deal        dealt  asked      400  text=&until=battle&region_3=siena
deal                dealt  asked      400  action=burn
chat                   gathering  anonymous  400  text=
chat_answer            gathering  anonymous  400  text=
new_league             -          stranger   400  name=
plan_season            league     host       400  rounds=0&placement=none
plan_season            league     host       400  look=1
season_invite          signup     host       400  text=email%0Anobody
season_invite          signup     host       200  text=email;name;club%0Azoe@example.org;Zoe;x%0A;Yan;y
season_cancel          draft      host       400  reason=
table_award            league     host       400  points_0=-1
division_fill          league     host       400  reason=Why
people                 told       host       400  action=ban&seat=1&lasts=day&reason=
message                told       asked      400  why=
operator_decide        reported   staff      400  action=dismiss
show_cards             attested   asked      200  cards
show_cards             attested   asked      400  to=people
seal_note            attested   asked      400  text=&opens=region

profile                      -            asked      422  name=
email_preferences           -            asked      422  how=weekly
my_hours                     -            asked      422  quiet_from=22:00
announce_holiday             -            asked      422  first=2020-01-01&last=2019-01-01
delete_me                    -            asked      422  email=nobody
export_me                    -            spent      429  -
my_tokens                    -            asked      422  name=
my_tokens                    -            asked      200  name=A+widget&scopes=read&days=30
my_bots                      -            asked      422  name=
my_bot                       -            asked      422  name=
make_bot_token               -            asked      422  name=
wake_bot_at                  -            asked      422  endpoint=http://x.org
make_bot_token               -            asked      200  name=A+program&scopes=play&days=30
notice_targets               -            asked      422  service=discord&endpoint=http://x.org&token=a+b
notice_target                -            asked      422  name=
notice_target_secret         -            asked      200  -
unsubscribe                  -            anonymous  200  -
unsubscribe                  -            anonymous  200  again=1
account_login                -            anonymous  403  csrfmiddlewaretoken=none
account_login                -            anonymous  200  login=bruno@example.org&password=wrong
account_signup               -            anonymous  200  email=nobody
account_confirm_login_code   -            coded      200  code=wrong
account_set_password         -            asked      200  password1=1&password2=2
mfa_authenticate             -            halfway    200  code=wrong
mfa_activate_totp            -            asked      200  code=wrong
""",
    "games": """
game_move              place      asked      400  move=pass
game_proof             battle     asked      200  words=hop
game_note              battle     asked      400  too_long
game_hours             running    asked      422  day_1=2020-01-01&start_1=20:00&end_1=21:00
game_hand_over         battle     asked      400  email=nobody
game_time              clocked    host       400  what=pause&how=decide&days=99
game_offer_absent      absent     host       400  email=nobody
answer_move            place      anonymous  400  move=pass
""",
}

# Addresses that answer a GET with no page of the site, and why. Those that take only POST are known from
# tests/access/rows.py. The administration (admin:) is left out as well: its pages are Django's own, for
# operators alone, and could not be mended here.
NO_PAGE = {
    "set_language": "leads back to the page it was sent from",
    "operator_email_reply": "leads back to the email",
    "calendar": "a file",
    "api_schema": "a file",
    "manifest": "a file",
    "service_worker": "a script",
    "mail_webhook": "for a mail service's program",
    "game_hour_file": "a file",
    "join_league": "leads on to a league",
    "division_csv": "a file",
    "division_json": "a file",
    "division_seating": "a file",
    "season_json": "a file",
    "season_zip": "a file",
    "league_feed": "a file",
    "league_feed_by_key": "a file",
    "league_calendar": "a file",
    "league_calendar_by_key": "a file",
    "next_game": "leads on to a game",
    "my_page": "leads on to one's own page",
    "live": "parts of a page, for an open one that asks for them",
    "game_record": "a file",
    "chronicle_record": "a file",
    "watch_record": "a file",
    "practice_record": "a file",
    "watch_game_record": "a file",
    "mfa_download_recovery_codes": "a file",
    "account_request_login_code": "leads to the page for signing in",
    "account_request_reauthentication_code": "has the address of account_reauthenticate_code",
    "account_confirm_reauthentication_code": "leads to account_reauthenticate_code",
    "mfa_login_webauthn": "leads to the page for signing in",
    "operator_email_html": "an email as a mail program would show it, in a sandbox where no script may look",
}


@dataclass(frozen=True)
class Place:
    """One page as one visitor sees it."""

    name: str  # of the address; or a path no address has
    query: str
    about: str
    visitor: str
    status: int
    form: str = ""  # what is sent to the address; nothing: it is opened

    def __str__(self) -> str:
        sent = f", sending {self.form}" if self.form else ""
        return f"{self.name} about {self.about} for {self.visitor}{sent}"


def places(room: str) -> list[Place]:
    """Return the pages of one group, in order."""
    return [*_places(VISITED[room]), *_places(ANSWERED[room])]


def _places(text: str) -> Iterator[Place]:
    for line in text.split("\n"):
        if words := line.split():
            address, about, visitor, *more = words
            name, _, query = address.partition("?")
            yield Place(name, query, about, visitor, int(more[0]) if more else 200, *more[1:])


def shows_a_page(name: str) -> bool:
    """Return whether the access rows give GET any answer except 405."""
    statuses = {
        status for row in rows_for(name, "GET", read_rows()) for each in row.statuses for status in each
    }
    return not statuses <= {"405", "login"}


def names_of_pages() -> set[str]:
    """Return the names of all addresses that show a page of the site."""
    names = {address.name for address in addresses() if not address.name.startswith(("admin:", "api:"))}
    return {name for name in names if shows_a_page(name)} - set(NO_PAGE)


def visited_names() -> set[str]:
    return {place.name for room in VISITED for place in _places(VISITED[room])}

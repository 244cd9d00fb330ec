"""What each visitor gets at every address of the site, for both methods: one row each.

A row has the address's name, the method, its object (tests/access/world.py), then the status for anonymous,
stranger, spectator, another seat, the asked seat, host and staff; or one status for all. `login` leads to the
sign-in page. A row about leagues adds the status for the league's organiser, and for an organiser of another
league; elsewhere both are strangers.
A link from an email, or a link for spectators, is the key itself, so its rows are the same for all visitors.
A name with a star belongs to another app; `any` there accepts every status that is not a server error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

ANY = "200|302|400|403|404|405|login"
ROLES = ("anonymous", "stranger", "spectator", "other", "asked", "host", "staff")
ORGANISERS = ("organiser", "other_organiser")

TABLE = """
#                     method  about                    anonymous stranger spectator other asked host staff
home                  GET     -                        200
home                  POST    -                        405
privacy               GET     -                        200
privacy               POST    -                        405
set_language          GET     -                        302
set_language          POST    -                        302
tables                GET     -                        200
tables                POST    -                        405
email_me_of_tables    GET     -                        405
email_me_of_tables    POST    -                        login 302 login 302 302 302 302
games_to_watch        GET     -                        200
games_to_watch        POST    -                        405

rules                         GET   -                200
rules                         POST  -                405
rules_map                     GET   -                200
rules_map                     POST  -                405
rules_orders                  GET   -                200
rules_orders                  POST  -                405
rules_minute                  GET   -                200
rules_minute                  POST  -                405
rules_2007                    GET   -                200
rules_2007                    POST  -                405
rules_2007_bigger-kingdoms    GET   -                200
rules_2007_bigger-kingdoms    POST  -                405
rules_2007_capturing-regions  GET   -                200
rules_2007_capturing-regions  POST  -                405
rules_2007_draw-after-battle  GET   -                200
rules_2007_draw-after-battle  POST  -                405
rules_2007_hidden-cards       GET   -                200
rules_2007_hidden-cards       POST  -                405
rules_2007_playing-for-points GET   -                200
rules_2007_playing-for-points POST  -                405
rules_1995                    GET   -                200
rules_1995                    POST  -                405

profile               GET     -                        login 200 login 200 200 200 200
profile               POST    -                        login 422 login 422 422 422 422
my_emails            GET     -                        login 200 login 200 200 200 200
my_emails            POST    -                        login 405 login 405 405 405 405
email_preferences    GET     -                        login 200 login 200 200 200 200
email_preferences    POST    -                        login 422 login 422 422 422 422
turn_on_emails       GET     -                        login 405 login 405 405 405 405
turn_on_emails       POST    -                        login 302 login 302 302 302 302
my_messages           GET     -                        login 200 login 200 200 200 200
my_messages           POST    -                        405
try_address_again     GET     -                        login 405 login 405 405 405 405
try_address_again     POST    -                        login 302 login 302 302 302 302
my_hours              GET     -                        login 200 login 200 200 200 200
my_hours              POST    -                        login 302 login 302 302 302 302
announce_holiday      GET     -                        login 405 login 405 405 405 405
announce_holiday      POST    -                        login 422 login 422 422 422 422
cancel_holiday        GET     -                        login 405 login 405 405 405 405
cancel_holiday        POST    -                        login 302 login 302 302 302 302
my_blocks             GET     -                        login 200 login 200 200 200 200
my_blocks             POST    -                        login 302 login 302 302 302 302
my_groups             GET     -                        login 200 login 200 200 200 200
my_groups             POST    -                        login 302 login 302 302 302 302
my_tokens             GET     -                        login 200 login 200 200 200 200
my_tokens             POST    -                        login 422 login 422 422 422 422
remove_my_token       GET     -                        login 405 login 405 405 405 405
remove_my_token       POST    -                        login 302 login 302 302 302 302
my_bots               GET     -                        login 200 login 200 200 200 200
my_bots               POST    -                        login 302 login 302 302 302 302
my_bot                GET     -                        login 404 login 404 200 404 404
my_bot                POST    -                        login 404 login 404 302 404 404
make_bot_token        GET     -                        login 405 login 405 405 405 405
make_bot_token        POST    -                        login 404 login 404 200 404 404
remove_bot_token      GET     -                        login 405 login 405 405 405 405
remove_bot_token      POST    -                        login 404 login 404 302 404 404
wake_bot_at           GET     -                        login 405 login 405 405 405 405
wake_bot_at           POST    -                        login 404 login 404 422 404 404
close_my_bot          GET     -                        login 405 login 405 405 405 405
close_my_bot          POST    -                        login 404 login 404 302 404 404
api_guide             GET     -                        200
api_guide             POST    -                        405
api_schema            GET     -                        200
api_schema            POST    -                        405
feed_address          GET     -                        login 405 login 405 405 405 405
feed_address          POST    -                        login 302 login 302 302 302 302
calendar              GET     -                        200
calendar              GET     wrong                    404
calendar              POST    -                        405
calendar              POST    wrong                    405
manifest              GET     -                        200
manifest              GET     wrong                    404
manifest              POST    -,wrong                  405
offline               GET     -                        200
offline               GET     wrong                    404
offline               POST    -,wrong                  405
service_worker        GET     -                        200
service_worker        POST    -                        405
push_add              GET     -                        login 405 login 405 405 405 405
push_add              POST    -                        login 302 login 302 302 302 302
push_choose           GET     -                        login 405 login 405 405 405 405
push_choose           POST    -                        login 302 login 302 302 302 302
push_remove           GET     -                        login 405 login 405 405 405 405
push_remove           POST    -                        login 404 login 404 302 404 404
push_shown            GET     -                        405
push_shown            POST    -                        204
push_shown            POST    wrong                    404
notice_targets        GET     -                        login 200 login 200 200 200 200
notice_targets        POST    -                        login 422 login 422 422 422 422
notice_target         GET     -                        login 404 login 404 200 404 404
notice_target         POST    -                        login 404 login 404 302 404 404
notice_target_secret  GET     -                        login 405 login 405 405 405 405
notice_target_secret  POST    -                        login 404 login 404 200 404 404
notice_target_test    GET     -                        login 405 login 405 405 405 405
notice_target_test    POST    -                        login 404 login 404 302 404 404
notice_target_switch  GET     -                        login 405 login 405 405 405 405
notice_target_switch  POST    -                        login 404 login 404 302 404 404
notice_target_remove  GET     -                        login 405 login 405 405 405 405
notice_target_remove  POST    -                        login 404 login 404 302 404 404
export_me             GET     -                        login 405 login 405 405 405 405
export_me             POST    -                        login 200 login 200 200 200 200
delete_me             GET     -                        login 200 login 200 200 200 200
delete_me             POST    -                        login 422 login 422 422 422 422

my_page               GET     -                        login 302 login 302 302 302 302
my_page               POST    -                        405
person                GET     -                        200
person                GET     wrong                    404
person                POST    -,wrong                  405

my_games              GET     -                        login 200 login 200 200 200 200
my_games              POST    -                        405
next_game             GET     -                        login 302 login 302 302 302 302
next_game             POST    -                        405

new_table             GET     -                        login 200 login 200 200 200 200
new_table             POST    -                        login 302 login 302 302 302 302
table                 GET     open                     login 200 login 200 200 200 200
table                 GET     private,full             login 404 login 200 200 200 404
table                 GET     running,watched,finished login 404 login 200 200 200 404
table                 POST    open,private             405
table_take            GET     open,private             405
table_take            POST    open                     login 302 login 302 302 302 302
table_take            POST    private,full,running     login 404 login 302 302 302 404
table_decline         GET     open,private             405
table_decline         POST    open,private             login 404 login 404 404 404 404
table_confirm         GET     full                     405
table_confirm         POST    open,full,running        login 404 login 302 302 302 404
table_words           GET     open,private             405
table_words           POST    open,full,running        login 404 login 302 302 302 404
table_leave           GET     open,private             405
table_leave           POST    open,private,running     login 302 login 302 302 302 302
table_invite          GET     open,private             405
table_invite          POST    open,private,running     login 404 login 404 404 302 404
table_channels        GET     open,private,running     login 404 login 404 404 200 404
table_channels        POST    open,running             login 404 login 404 404 422 404
table_channels_write  GET     open                     405
table_channels_write  POST    open,running             login 404 login 404 404 302 404
table_cancel        GET     open,private             405
table_cancel        POST    open,private,running     login 404 login 404 404 302 404
table_keep_open       GET     open,private             405
table_keep_open       POST    open,private,running     login 404 login 404 404 302 404
table_bot             GET     open,private             405
table_bot             POST    open,private,running     login 404 login 404 404 302 404
table_remove          GET     open,private             405
table_remove          POST    open,private,running     login 404 login 404 404 302 404
table_withdraw        GET     open,private             405
table_withdraw        POST    open,private             login 404 login 404 404 302 404
join                  GET     open,full                200 200 200 302 302 302 200
join                  GET     private,wrong            404
join                  POST    open,full                200 302 200 302 302 302 302
join                  POST    private,wrong            404
join_absent           GET     open                     405
join_absent           POST    open,full                login 302 login 302 302 302 302
join_absent           POST    private,wrong            login 404 login 404 404 404 404

invitation            GET     open,private             200
invitation            GET     wrong                    404
invitation            POST    open,private             302
invitation            POST    wrong                    404
seat                  GET     open,full,running        200
seat                  GET     wrong                    404
seat                  POST    full,running,pausing     302
seat                  POST    wrong                    404

game                  GET     running,watched          login 404 login 200 200 200 404
game                  GET     finished,public          login 404 login 200 200 200 404
game                  POST    running                  405
game_hint             GET     running                  405
game_hint             POST    running,watched          login 404 login 302 302 302 404
game_hint             POST    finished                 login 404 login 302 302 302 404
game_hours            GET     running                  login 404 login 200 200 200 404
game_hours            GET     finished                 login 404 login 200 200 200 404
game_hours            POST    running                  login 404 login 302 302 302 404
game_hour             GET     running                  405
game_hour             POST    running                  login 404 login 302 302 302 404
game_hour_file        GET     running                  login 404 login 200 200 200 404
game_hour_file        POST    running                  405
game_presence         GET     running                  405
game_presence         POST    running                  login 404 login 302 302 302 404
game_order            GET     running                  405
game_order            POST    running,watched          login 404 login 302 302 302 404
game_order            POST    finished                 login 404 login 302 302 302 404
game_move             GET     running                  405
game_move             POST    running,watched          login 404 login 409 302 409 404
game_move             POST    finished                 login 404 login 409 409 409 404
game_arrangements     GET     running,watched,pausing  login 404 login 200 200 200 404
game_arrangements     GET     finished,public,won      login 404 login 200 200 200 404
game_arrangements     POST    running                  405
game_note             GET     running                  405
game_note             POST    running,finished         login 404 login 302 302 302 404
game_rematch          GET     finished                 405
game_rematch          POST    running,finished,public  login 404 login 302 302 302 404
game_propose_end      GET     running                  405
game_propose_end      POST    running                  login 404 login 400 400 302 404
game_propose_end      POST    finished                 login 404 login 400 400 400 404
game_answer_end       GET     running                  405
game_answer_end       POST    running                  login 404 login 302 302 302 404
game_answer_end       POST    finished                 login 404 login 404 404 404 404
game_hand_over        GET     running                  405
game_hand_over        POST    running                  login 404 login 302 302 302 404
game_hand_over        POST    finished                 login 404 login 400 400 400 404
game_take_back        GET     running                  405
game_take_back        POST    running,finished         login 404 login 400 400 400 404
game_time             GET     running                  405
game_time             POST    running,finished         login 404 login 400 400 400 404
game_come_back        GET     running                  405
game_come_back        POST    running,finished         login 404 login 302 302 302 404
game_offer_absent     GET     running                  405
game_offer_absent     POST    running                  login 404 login 400 400 400 404
game_give_up          GET     running                  405
game_give_up          POST    running,finished         login 302 login 302 302 302 302
game_go_on            GET     running,pausing          405
game_go_on            POST    running,pausing,won      login 404 login 302 302 302 404
game_history          GET     running,watched          login 404 login 404 404 404 404
game_history          GET     finished,public          login 404 login 200 200 200 404
game_history          POST    finished                 405
game_play_on          GET     finished                 405
game_play_on          POST    running,watched          login 404 login 404 404 404 404
game_play_on          POST    finished,public          login 404 login 302 302 302 404
game_advice           GET     running                  405
game_advice           POST    running,finished         login 404 login 302 302 302 404
game_take_back_move   GET     running                  405
game_take_back_move   POST    running,finished         login 404 login 302 302 302 404
game_analysis         GET     running,watched          login 404 login 404 404 404 404
game_analysis         GET     finished,public          login 404 login 200 200 200 404
game_analysis         POST    running                  login 404 login 404 404 404 404
game_analysis         POST    finished                 login 404 login 302 302 302 404
game_chronicle        GET     running,watched          login 404 login 404 404 404 404
game_chronicle        GET     finished,public          login 404 login 200 200 200 404
game_chronicle        POST    finished                 405
chronicle_analysis    GET     finished,public          200
chronicle_analysis    GET     running,watched,wrong    404
chronicle_analysis    POST    finished                 302
chronicle_analysis    POST    running,wrong            404
chronicle             GET     finished,public          200
chronicle             GET     running,watched,wrong    404
chronicle             POST    finished                 405
chronicle_history     GET     finished,public          200
chronicle_history     GET     running,watched,wrong    404
chronicle_history     POST    finished                 405
chronicle_play_on     GET     finished                 405
chronicle_play_on     POST    finished,public          302
chronicle_play_on     POST    running,watched,wrong    404
chronicle_record      GET     finished,public          200
chronicle_record      GET     running,watched,wrong    404
chronicle_record      POST    finished                 405
chronicle_proof       GET     finished,public          200
chronicle_proof       GET     running,watched,wrong    404
chronicle_proof       POST    finished                 405
game_record           GET     running,watched          login 404 login 404 404 404 404
game_record           GET     finished,public          login 404 login 200 200 200 404
game_record           POST    finished                 405
game_proof            GET     running,watched          login 404 login 200 200 200 404
game_proof            GET     finished,public          login 404 login 200 200 200 404
game_proof            POST    finished                 login 404 login 200 200 200 404

answer                GET     running,finished         200
answer                GET     wrong                    404
answer                POST    running                  405
answer_confirm        GET     running                  200
answer_confirm        GET     finished                 409
answer_confirm        GET     wrong                    404
answer_confirm        POST    running                  405
answer_hint           GET     running                  405
answer_hint           POST    running,finished         302
answer_hint           POST    wrong                    404
answer_move           GET     running                  405
answer_move           POST    running                  302
answer_move           POST    finished                 409
answer_move           POST    wrong                    404

live                  GET     running                  404 404 404 404 200 404 404
live                  GET     watched,public           404 404 404 404 200 404 404
live                  GET     practice                 200
live                  GET     wrong                    404
live                  POST    running,practice         405

watch                 GET     watched,public           200
watch                 GET     private,running,finished 404
watch                 GET     wrong                    404
watch                 POST    watched                  405
watch_history         GET     public                   200
watch_history         GET     running,watched,finished 404
watch_history         POST    public                   405
watch_play_on         GET     public                   405
watch_play_on         POST    public                   302
watch_play_on         POST    running,watched,finished 404
watch_analysis        GET     public                   200
watch_analysis        GET     running,watched,finished 404
watch_analysis        GET     open,wrong               404
watch_analysis        POST    public                   405
watch_chronicle       GET     public                   200
watch_chronicle       GET     running,watched,finished 404
watch_chronicle       GET     open,wrong               404
watch_chronicle       POST    public                   405
watch_record          GET     public                   200
watch_record          GET     running,watched,finished 404
watch_record          GET     open,wrong               404
watch_record          POST    public                   405
watch_proof           GET     watched,public           200
watch_proof           GET     open,running,finished    404
watch_proof           GET     wrong                    404
watch_proof           POST    public                   405
watch_game            GET     watched,pausing          200
watch_game            GET     running,finished,wrong   404
watch_game            POST    pausing                  405
watch_game_history    GET     pausing                  200
watch_game_history    GET     running,watched,wrong    404
watch_game_history    POST    pausing                  405
watch_game_play_on    GET     pausing                  405
watch_game_play_on    POST    pausing                  302
watch_game_play_on    POST    running,watched,wrong    404
watch_game_analysis   GET     pausing                  200
watch_game_analysis   GET     running,watched,wrong    404
watch_game_analysis   POST    pausing                  405
watch_game_chronicle  GET     pausing                  200
watch_game_chronicle  GET     running,watched,wrong    404
watch_game_chronicle  POST    pausing                  405
watch_game_record     GET     pausing                  200
watch_game_record     GET     running,watched,wrong    404
watch_game_record     POST    pausing                  405
watch_game_proof      GET     watched,pausing          200
watch_game_proof      GET     running,finished,wrong   404
watch_game_proof      POST    pausing                  405
watch_chat            GET     watched,public           200
watch_chat            GET     open,running,finished    404
watch_chat            GET     practice,wrong           404
watch_chat            POST    watched,public           405
watch_channel          GET     opened                   200
watch_channel          GET     epilogue,running,watched 404
watch_channel          GET     public,wrong             404
watch_channel          POST    opened                   405

chat                  GET     open,private,running     login 404 login 200 200 200 404
chat                  GET     watched,finished         login 404 login 200 200 200 404
chat                  GET     public                   200
chat                  POST    open,private,running     login 404 login 302 302 302 404
chat                  POST    public                   login 404 login 409 409 409 404
channel                GET     open,private,running     login 404 login 404 200 200 404
channel                GET     watched,finished,public  login 404 login 404 200 200 404
channel                POST    open,private,running     login 404 login 404 302 302 404
channel                POST    finished                 login 404 login 404 409 409 404
channel                GET     epilogue                 login 404 login 200 200 200 404
channel                POST    epilogue                 login 404 login 302 302 302 404
channel                GET     opened                   200
channel                POST    opened                   login 404 login 409 404 409 404
channel_open           GET     running,finished         405
channel_open           POST    running,finished         login 404 login 404 302 302 404
deals                GET     open,private,running     login 404 login 200 200 200 404
deals                GET     watched,finished         login 404 login 200 200 200 404
deals                GET     public,pausing           200
deals                GET     practice                 login 404 login 404 404 404 404
deals                POST    running                  405
watch_deals          GET     watched,public           200
watch_deals          GET     running,practice,wrong   404
watch_deals          POST    watched                  405
propose_deal       GET     open,running,finished    login 404 login 404 200 200 404
propose_deal       POST    running                  login 404 login 404 400 302 404
propose_deal       POST    open,finished            login 404 login 404 409 409 404
deal               GET     running                  405
deal               POST    running                  login 404 login 404 302 302 404
deal               POST    finished,watched         login 404 login 404 404 404 404
chat_with             GET     open,running,finished    login 404 login 200 200 200 404
chat_with             POST    open,running             login 404 login 400 302 302 404
chat_with             POST    finished                 login 404 login 400 409 409 404
show_cards            GET     open,private,running     login 404 login 200 200 200 404
show_cards            GET     watched,finished,public  login 404 login 200 200 200 404
show_cards            GET     practice                 login 404 login 404 404 404 404
show_cards            POST    running                  login 404 login 400 400 400 404
show_cards            POST    open,finished            login 404 login 409 409 409 404
seal_note           GET     open,private,running     login 404 login 200 200 200 404
seal_note           GET     watched,finished,public  login 404 login 200 200 200 404
seal_note           GET     practice                 login 404 login 404 404 404 404
seal_note           POST    running                  login 404 login 302 302 302 404
seal_note           POST    open,finished            login 404 login 409 409 409 404
chat_emails          GET     open,running,finished    login 404 login 200 200 200 404
chat_emails          POST    open,running,finished    login 404 login 302 302 302 404
channel_emails        GET     open,running,finished    login 404 login 404 200 200 404
channel_emails        POST    open,running,finished    login 404 login 404 302 302 404
chat_answer           GET     open,running             200
chat_answer           GET     wrong                    404
chat_answer           POST    open,running             302
chat_answer           POST    wrong                    404
deal_by_link          GET     running                  200
deal_by_link          GET     wrong                    404
deal_by_link          POST    running                  302
deal_by_link          POST    wrong                    404

people                GET     open,running,finished    login 404 login 200 200 200 404
people                GET     practice                 login 404 login 404 404 404 404
people                POST    open,running,finished    login 404 login 404 302 302 404
message               GET     told                     login 404 login 200 200 200 404
message               GET     finished                 login 404 login 404 404 404 404
message               POST    told                     login 404 login 409 302 302 404
channel_message        GET     told                     login 404 login 404 200 200 404
channel_message        POST    told                     login 404 login 404 409 409 404
operator_reports      GET     -                        404 404 404 404 404 404 200
operator_reports      POST    -                        404 404 404 404 404 404 405
operator_decide       GET     reported                 405
operator_decide       POST    reported                 404 404 404 404 404 404 302
operator_lift         GET     banned                 405
operator_lift         POST    banned                 404 404 404 404 404 404 302

begin_practice        GET     -                        405
begin_practice        POST    -                        302
practice              GET     practice                 200
practice              GET     wrong                    404
practice              POST    practice                 405
practice_order        GET     practice                 405
practice_order        POST    practice                 302
practice_order        POST    wrong                    404
practice_move         GET     practice                 405
practice_move         POST    practice                 302
practice_move         POST    wrong                    404
practice_hint         GET     practice                 405
practice_hint         POST    practice                 302
practice_hint         POST    wrong                    404
practice_keep         GET     practice                 405
practice_keep         POST    practice                 login 302 login 302 302 302 302
practice_keep         POST    wrong                    login 404 login 404 404 404 404
practice_history      GET     practice                 404
practice_history      POST    practice                 405
practice_play_on         GET   practice                405
practice_play_on         POST  practice,wrong          404
practice_advice       GET     practice                 405
practice_advice       POST    practice                 302
practice_advice       POST    wrong                    404
practice_take_back_move  GET   practice                405
practice_take_back_move  POST  practice                302
practice_take_back_move  POST  wrong                   404
practice_analysis     GET     practice,wrong           404
practice_analysis     POST    practice,wrong           404
practice_chronicle    GET     practice,wrong           404
practice_chronicle    POST    practice                 405
practice_record       GET     practice,wrong           404
practice_record       POST    practice                 405
practice_proof        GET     practice                 200
practice_proof        GET     wrong                    404
practice_proof        POST    practice                 405
table                 GET     practice                 login 404 login 404 404 404 404
game                  GET     practice                 login 404 login 404 404 404 404
game_arrangements     GET     practice                 login 404 login 404 404 404 404
game_hint             POST    practice                 login 404 login 404 404 404 404
game_order            POST    practice                 login 404 login 404 404 404 404
game_move             POST    practice                 login 404 login 404 404 404 404
game_advice           POST    practice                 login 404 login 404 404 404 404
game_take_back_move   POST    practice                 login 404 login 404 404 404 404
watch                 GET     practice                 404
chat                  GET     practice                 login 404 login 404 404 404 404
chat                  POST    practice                 login 404 login 404 404 404 404

league_by_link        GET     league,signup,club       200
league_by_link        GET     wrong                    404
league_by_link        POST    league,signup,club       302
league_by_link        POST    wrong                    404
leagues               GET     -                        200
leagues               POST    -                        405
ratings               GET     league                   200
ratings               GET     no_league                404
ratings               POST    league                   405
player                GET     league                   200
player                GET     club                     404 404 404 404 200 200 404 200 404
player                GET     no_league                404
player                POST    league                   405
league                GET     league,signup            200
league                GET     club                     login 404 login 404 200 200 404 200 404
league                GET     no_league                login 404 login 404 404 404 404 404 404
league                POST    league,club              405
season                GET     league,signup            200
season                GET     club                     login 404 login 404 200 200 404 200 404
season                GET     no_league                login 404 login 404 404 404 404 404 404
season                POST    league,club              405
division              GET     league                   200
division              GET     club                     login 404 login 404 200 200 404 200 404
division              GET     signup                   404
division              GET     no_league                login 404 login 404 404 404 404 404 404
division              POST    league,club              405
division_csv          GET     league                   200
division_csv          GET     club                     login 404 login 404 200 200 404 200 404
division_csv          POST    league,club              405
division_json         GET     league                   200
division_json         GET     club                     login 404 login 404 200 200 404 200 404
division_json         POST    league,club              405
season_json           GET     league,signup            200
season_json           GET     club                     login 404 login 404 200 200 404 200 404
season_json           GET     no_league                login 404 login 404 404 404 404 404 404
season_json           POST    league,club              405
season_zip            GET     league,signup            200
season_zip            GET     club                     login 404 login 404 200 200 404 200 404
season_zip            POST    league,club              405
division_embed        GET     league                   200
division_embed        GET     club,signup,no_league    404
division_embed        POST    league,club              405
division_seating      GET     league                   200
division_seating      GET     club                     login 404 login 404 200 200 404 200 404
division_seating      GET     signup                   404
division_seating      GET     no_league                login 404 login 404 404 404 404 404 404
division_seating      POST    league,club              405
round                 GET     league                   200
round                 GET     club                     login 404 login 404 200 200 404 200 404
round                 POST    league,club              405
league_table          GET     league                   200
league_table          GET     club                     login 404 login 404 200 200 404 200 404
league_table          POST    league,club              405
league_feed           GET     league,signup            200
league_feed           GET     club                     login 404 login 404 200 200 404 200 404
league_feed           POST    league,club              405
league_feed_by_key    GET     league,club              200
league_feed_by_key    GET     wrong                    404
league_feed_by_key    POST    club,wrong               405
league_calendar       GET     league,signup            200
league_calendar       GET     club                     login 404 login 404 200 200 404 200 404
league_calendar       POST    league,club              405
league_calendar_by_key GET    league,club              200
league_calendar_by_key GET    wrong                    404
league_calendar_by_key POST   club,wrong               405
season_sign_up        GET     signup,club              405
season_sign_up        POST    league,signup            login 302 login 302 302 302 302 302 302
season_sign_up        POST    club                     login 404 login 404 302 302 404 302 404
season_confirm        GET     signup,club              405
season_confirm        POST    signup                   login 404 login 404 302 404 404 404 404
season_confirm        POST    league                   login 404 login 302 302 302 404 404 404
season_confirm        POST    club                     login 404 login 404 302 404 404 404 404
season_leave          GET     signup,club              405
season_leave          POST    league,signup            login 302 login 302 302 302 302 302 302
season_leave          POST    club                     login 404 login 404 302 302 404 302 404
season_skip           GET     league,club              405
season_skip           POST    league                   login 404 login 302 302 302 404 404 404
season_skip           POST    club                     login 404 login 404 302 404 404 404 404
season_withdraw       GET     league,club              405
season_withdraw       POST    league                   login 404 login 302 302 302 404 404 404
season_withdraw       POST    club                     login 404 login 404 302 404 404 404 404
season_tell           GET     league                   login 404 login 200 200 200 404 404 404
season_tell           GET     signup                   login 404 login 404 200 404 404 404 404
season_tell           POST    league                   login 404 login 302 302 302 404 404 404
season_tell           GET     club                     login 404 login 404 200 404 404 404 404
season_volunteer      GET     signup,club              405
season_volunteer      POST    league,signup            login 302 login 302 302 302 302 302 302
season_volunteer      POST    club                     login 404 login 404 302 302 404 302 404
season_stop_volunteering GET     signup,club              405
season_stop_volunteering POST    league,signup            login 302 login 302 302 302 302 302 302
season_stop_volunteering POST    club                     login 404 login 404 302 302 404 302 404

new_league            GET     -                        login 200 login 200 200 200 200 200 200
new_league            POST    -                        login 302 login 302 302 302 302 302 302
join_league           GET     league,signup,club       login 302 login 302 302 302 302 302 302
join_league           GET     wrong                    login 404 login 404 404 404 404 404 404
join_league           POST    league,wrong             405
league_log            GET     league,signup            200
league_log            GET     club                     login 404 login 404 200 200 404 200 404
league_log            GET     no_league                login 404 login 404 404 404 404 404 404
league_log            POST    league,club              405
league_all_time       GET     league,signup            200
league_all_time       GET     club                     login 404 login 404 200 200 404 200 404
league_all_time       GET     no_league                login 404 login 404 404 404 404 404 404
league_all_time       POST    league,club              405
organise              GET     league,signup,club       login 404 login 404 404 200 404 200 404
organise              GET     no_league                login 404 login 404 404 404 404 404 404
organise              POST    league                   405
change_league         GET     league,club              login 404 login 404 404 200 404 200 404
change_league         POST    league,club              login 404 login 404 404 302 404 302 404
league_organisers     GET     league,club              login 404 login 404 404 200 404 200 404
league_organisers     POST    league,club              login 404 login 404 404 302 404 302 404
league_step_down      GET     league,club              login 404 login 404 404 200 404 200 404
league_step_down      POST    league,club              login 404 login 404 404 302 404 302 404
assistant_remove      GET     league                   login 404 login 404 404 200 404 200 404
assistant_remove      POST    league                   login 404 login 404 404 302 404 302 404
assistant_remove      POST    no_league                login 404 login 404 404 404 404 404 404
organiser_ask         GET     league                   login 404 login 404 404 200 404 200 404
organiser_ask         POST    league                   login 404 login 404 404 302 404 302 404
organiser_ask         POST    no_league                login 404 login 404 404 404 404 404 404
organiser_remove      GET     league                   login 404 login 404 404 200 404 200 404
organiser_remove      POST    league                   login 404 login 404 404 302 404 302 404
organiser_remove      POST    no_league                login 404 login 404 404 404 404 404 404
organiser_still_here  GET     league                   405
organiser_still_here  POST    league,club              login 404 login 404 404 302 404 302 404
organiser_still_here  POST    no_league                login 404 login 404 404 404 404 404 404
plan_season           GET     league                   login 404 login 404 404 200 404 200 404
plan_season           POST    league,draft             login 404 login 404 404 400 404 400 404
plan_season           GET     signup,draft             login 404 login 404 404 302 404 302 404
replan_season         GET     draft,signup,league      login 404 login 404 404 200 404 200 404
replan_season         POST    draft,signup,league      login 404 login 404 404 400 404 400 404
replan_season         POST    no_league                login 404 login 404 404 404 404 404 404
season_open           GET     draft,signup             login 404 login 404 404 200 404 200 404
season_open           POST    draft,signup             login 404 login 404 404 302 404 302 404
season_open           POST    league                   login 404 login 404 404 400 404 400 404
season_fewer          GET     signup                   login 404 login 404 404 200 404 200 404
season_fewer          POST    signup,draft             login 404 login 404 404 400 404 400 404
season_cancel         GET     signup,draft             login 404 login 404 404 200 404 200 404
season_cancel         POST    signup,draft             login 404 login 404 404 302 404 302 404
season_cancel         POST    league                   login 404 login 404 404 400 404 400 404
season_invite         GET     signup,draft             login 404 login 404 404 200 404 200 404
season_invite         POST    signup,draft             login 404 login 404 404 200 404 200 404
season_invite         POST    club                     login 404 login 404 404 400 404 400 404
season_players        GET     league,signup,club       login 404 login 404 404 200 404 200 404
season_players        POST    league                   405
season_desk           GET     league,signup,club       login 404 login 404 404 200 404 200 404
season_desk           POST    league                   405
season_write          GET     league,signup,club       login 404 login 404 404 200 404 200 404
season_write          POST    league                   login 404 login 404 404 302 404 302 404
season_write          POST    no_league                login 404 login 404 404 404 404 404 404
season_remind_invited GET     league,signup,club       login 404 login 404 404 200 404 200 404
season_remind_invited POST    league,signup            login 404 login 404 404 400 404 400 404
season_remind_invited POST    no_league                login 404 login 404 404 404 404 404 404
season_remind_silent  GET     league,signup,club       login 404 login 404 404 200 404 200 404
season_remind_silent  POST    league,signup            login 404 login 404 404 400 404 400 404
season_remind_silent  POST    no_league                login 404 login 404 404 404 404 404 404
league_channels       GET     league,signup,club       login 404 login 404 404 200 404 200 404
league_channels       GET     no_league                login 404 login 404 404 404 404 404 404
league_channels       POST    league                   login 404 login 404 404 422 404 422 404
league_channels_write GET     league                   405
league_channels_write POST    league                   login 404 login 404 404 302 404 302 404
league_channel_remove GET     league                   405
league_channel_remove POST    league                   login 404 login 404 404 302 404 302 404
league_pause          GET     league,signup,club       login 404 login 404 404 200 404 200 404
league_pause          POST    league                   login 404 login 404 404 302 404 302 404
league_pause          POST    no_league                login 404 login 404 404 404 404 404 404
league_resume         GET     league                   login 404 login 404 404 200 404 200 404
league_resume         POST    league                   login 404 login 404 404 302 404 302 404
league_resume         POST    no_league                login 404 login 404 404 404 404 404 404
invited_withdraw      GET     league                   405
invited_withdraw      POST    league                   login 404 login 404 404 302 404 302 404
concern_reply         GET     league                   login 404 login 404 404 200 404 200 404
concern_reply         POST    league                   login 404 login 404 404 302 404 302 404
concern_reply         POST    no_league                login 404 login 404 404 404 404 404 404
entry_accept          GET     league                   login 404 login 404 404 200 404 200 404
entry_accept          POST    league                   login 404 login 404 404 302 404 302 404
entry_accept          POST    no_league                login 404 login 404 404 404 404 404 404
entry_decline         GET     league                   login 404 login 404 404 200 404 200 404
entry_decline         POST    league                   login 404 login 404 404 400 404 400 404
entry_decline         POST    no_league                login 404 login 404 404 404 404 404 404
entry_expel           GET     league                   login 404 login 404 404 200 404 200 404
entry_expel           POST    league                   login 404 login 404 404 302 404 302 404
entry_expel           POST    no_league                login 404 login 404 404 404 404 404 404
entry_move            GET     league                   login 404 login 404 404 200 404 200 404
entry_move            POST    league                   login 404 login 404 404 400 404 400 404
entry_move            POST    no_league                login 404 login 404 404 404 404 404 404
division_fill         GET     league                   login 404 login 404 404 200 404 200 404
division_fill         POST    league                   login 404 login 404 404 400 404 400 404
division_fill         POST    no_league                login 404 login 404 404 404 404 404 404
table_extend          GET     league                   login 404 login 404 404 200 404 200 404
table_extend          POST    league                   login 404 login 404 404 400 404 400 404
table_extend          POST    no_league                login 404 login 404 404 404 404 404 404
table_remind          GET     league                   405
table_remind          POST    league                   login 404 login 404 404 302 404 302 404
table_remind          POST    no_league                login 404 login 404 404 404 404 404 404
table_replace         GET     league                   login 404 login 404 404 200 404 200 404
table_replace         POST    league                   login 404 login 404 404 400 404 400 404
table_replace         POST    no_league                login 404 login 404 404 404 404 404 404
table_adjudicate      GET     league                   login 404 login 404 404 200 404 200 404
table_adjudicate      POST    league                   login 404 login 404 404 400 404 400 404
table_adjudicate      POST    no_league                login 404 login 404 404 404 404 404 404
table_award           GET     league                   login 404 login 404 404 200 404 200 404
table_award           POST    league                   login 404 login 404 404 302 404 302 404
table_award           POST    no_league                login 404 login 404 404 404 404 404 404
open_seat_give          GET     league                   login 404 login 404 404 200 404 200 404
open_seat_give          POST    league                   login 404 login 404 404 400 404 400 404
open_seat_give          POST    no_league                login 404 login 404 404 404 404 404 404
open_seat_bot           GET     league                   login 404 login 404 404 200 404 200 404
open_seat_bot           POST    league                   login 404 login 404 404 302 404 302 404
open_seat_bot           POST    no_league                login 404 login 404 404 404 404 404 404

unsubscribe           GET     -                        200
unsubscribe           GET     wrong                    404
unsubscribe           POST    -                        200
unsubscribe           POST    wrong                    404
undo_unsubscribe      GET     -                        200
undo_unsubscribe      GET     wrong                    404
undo_unsubscribe      POST    -                        200
undo_unsubscribe      POST    wrong                    404
mail_webhook          GET     -                        404
mail_webhook          POST    -                        404

operator_sign_in      GET     -                        200
operator_sign_in      GET     wrong                    404
operator_sign_in      POST    -                        302
operator_sign_in      POST    wrong                    404
operator             GET     -                        404 404 404 404 404 404 200
operator             POST    -                        404 404 404 404 404 404 405
operator_emails      GET     -                        404 404 404 404 404 404 200
operator_emails      POST    -                        404 404 404 404 404 404 405
operator_email       GET     -                        404 404 404 404 404 404 200
operator_email       POST    -                        404 404 404 404 404 404 405
operator_email_reply GET     -                        404 404 404 404 404 404 405
operator_email_reply POST    -                        404 404 404 404 404 404 302
operator_email_html  GET     -                        404 404 404 404 404 404 200
operator_email_html  POST    -                        404 404 404 404 404 404 405

admin:*               GET     *                        302|403 302|403 302|403 302|403 302|403 302|403 any
admin:*               POST    *                        302|403 302|403 302|403 302|403 302|403 302|403 any
admin:login           GET     -                        login 403 login 403 403 403 302
admin:login           POST    -                        login 403 login 403 403 403 200|302
admin:*_add           GET     *                        302 302 302 302 302 302 403
admin:*_add           POST    *                        302 302 302 302 302 302 403
admin:*_delete        GET     *                        302 302 302 302 302 302 403
admin:*_delete        POST    *                        302 302 302 302 302 302 403
admin:mail_setaside*_delete GET *                      302
admin:mail_setaside*_delete POST *                     302
api:*                 GET     *                        200|401|404|405
api:*                 POST    *                        401|404|405
account_*             GET     *                        any
account_*             POST    *                        any
mfa_*                 GET     *                        any
mfa_*                 POST    *                        any
usersessions_*        GET     *                        login 200|302 login 200|302 200|302 200|302 200|302
usersessions_*        POST    *                        login 200|302 login 200|302 200|302 200|302 200|302
"""


@dataclass(frozen=True)
class Row:
    """The expected status for each role at one address, by one method, for these tables or games."""

    name: str
    method: str
    about: tuple[str, ...]
    statuses: tuple[frozenset[str], ...]

    @property
    def is_room(self) -> bool:
        """Whether the row covers many addresses of another app."""
        return "*" in self.name

    @property
    def roles(self) -> tuple[str, ...]:
        """Return the roles the row covers."""
        return (*ROLES, *ORGANISERS)[: len(self.statuses)]

    def allows(self, role: str) -> frozenset[str]:
        return self.statuses[self.roles.index(role)]


def read_rows(text: str = TABLE) -> list[Row]:
    """Return the rows, after checking each one's form."""
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [_row(words) for words in lines]


def _row(words: list[str]) -> Row:
    name, method, about, *statuses = words
    assert method in ("GET", "POST"), words
    assert len(statuses) in (1, len(ROLES), len(ROLES + ORGANISERS)), words
    statuses = [ANY if status == "any" else status for status in statuses]
    each = statuses if len(statuses) > 1 else statuses * len(ROLES + ORGANISERS)
    return Row(name, method, tuple(about.split(",")), tuple(frozenset(s.split("|")) for s in each))


def rows_for(name: str, method: str, rows: Iterable[Row]) -> list[Row]:
    """Return an address's own rows, or those of the closest starred name."""
    here = [row for row in rows if row.method == method]
    own = [row for row in here if row.name == name]
    fitting = (row for row in here if row.is_room and fnmatchcase(name, row.name))
    return own or sorted(fitting, key=lambda row: -len(row.name))[:1]

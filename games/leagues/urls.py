"""URLs of leagues."""

from __future__ import annotations

from django.urls import path

from games.leagues.views import (
    by_link,
    embedding,
    exports,
    joining,
    organiser_channels,
    organiser_chasing,
    organiser_desk,
    organiser_invitations,
    organiser_league,
    organiser_people,
    organiser_plans,
    organiser_seasons,
    organiser_seats,
    organiser_tables,
    organiser_vanished,
    pages,
    telling,
)

# Organisers' pages
_RUN = "leagues/<number:number>/organise/"
_RUN_SEASON = f"{_RUN}season/<number:season>/"
organiser_urls = [
    path("leagues/new/", organiser_league.new_league, name="new_league"),
    path("leagues/join/<slug:key>/", organiser_league.join, name="join_league"),
    path(_RUN, organiser_seasons.organise, name="organise"),
    path(f"{_RUN}change/", organiser_league.change, name="change_league"),
    path(f"{_RUN}organisers/", organiser_league.organisers, name="league_organisers"),
    path(f"{_RUN}step-down/", organiser_league.step_down_from, name="league_step_down"),
    path(f"{_RUN}assistant/<number:pk>/remove/", organiser_league.remove, name="assistant_remove"),
    path(f"{_RUN}organiser/<number:pk>/ask/", organiser_vanished.ask, name="organiser_ask"),
    path(f"{_RUN}organiser/<number:pk>/remove/", organiser_vanished.remove, name="organiser_remove"),
    path(f"{_RUN}still-here/", organiser_vanished.still_here, name="organiser_still_here"),
    path(f"{_RUN}plan/", organiser_plans.plan, name="plan_season"),
    path(f"{_RUN_SEASON}plan/", organiser_plans.replan, name="replan_season"),
    path(f"{_RUN_SEASON}open/", organiser_seasons.open_now, name="season_open"),
    path(f"{_RUN_SEASON}fewer/", organiser_seasons.begin_smaller, name="season_fewer"),
    path(f"{_RUN_SEASON}cancel/", organiser_seasons.cancel_season, name="season_cancel"),
    path(f"{_RUN_SEASON}invite/", organiser_invitations.invite, name="season_invite"),
    path(f"{_RUN_SEASON}players/", organiser_people.players, name="season_players"),
    path(f"{_RUN_SEASON}remind-invited/", organiser_chasing.remind_invited, name="season_remind_invited"),
    path(f"{_RUN_SEASON}remind-silent/", organiser_chasing.remind_silent, name="season_remind_silent"),
    path(f"{_RUN}news/", organiser_channels.league_channels, name="league_channels"),
    path(f"{_RUN}news/write/", organiser_channels.league_channels_write, name="league_channels_write"),
    path(
        f"{_RUN}news/<number:target_id>/remove/",
        organiser_channels.league_channel_remove,
        name="league_channel_remove",
    ),
    path(f"{_RUN}pause/", organiser_league.pause, name="league_pause"),
    path(f"{_RUN}resume/", organiser_league.resume, name="league_resume"),
    path(f"{_RUN_SEASON}desk/", organiser_desk.show_desk, name="season_desk"),
    path(f"{_RUN_SEASON}write/", organiser_desk.write_message, name="season_write"),
    path(f"{_RUN}invited/<number:pk>/withdraw/", organiser_invitations.withdraw, name="invited_withdraw"),
    path(f"{_RUN}told/<number:pk>/", telling.answer, name="concern_reply"),
    path(f"{_RUN}player/<number:pk>/accept/", organiser_people.accept_entry, name="entry_accept"),
    path(f"{_RUN}player/<number:pk>/decline/", organiser_people.decline_entry, name="entry_decline"),
    path(f"{_RUN}player/<number:pk>/expel/", organiser_people.expel_entry, name="entry_expel"),
    path(f"{_RUN}player/<number:pk>/move/", organiser_people.move, name="entry_move"),
    path(f"{_RUN}division/<number:pk>/fill/", organiser_people.fill, name="division_fill"),
    path(f"{_RUN}table/<number:pk>/extend/", organiser_tables.extend, name="table_extend"),
    path(f"{_RUN}table/<number:pk>/remind/", organiser_desk.remind, name="table_remind"),
    path(f"{_RUN}table/<number:pk>/replace/", organiser_seats.replace, name="table_replace"),
    path(f"{_RUN}table/<number:pk>/adjudicate/", organiser_tables.adjudicate, name="table_adjudicate"),
    path(f"{_RUN}table/<number:pk>/award/", organiser_tables.award_points, name="table_award"),
    path(f"{_RUN}seat/<number:pk>/give/", organiser_seats.give_seat, name="open_seat_give"),
    path(f"{_RUN}seat/<number:pk>/bot/", organiser_seats.leave_to_bot, name="open_seat_bot"),
]

# Readers' pages
_SEASON = "leagues/<number:number>/season/<number:season>/"
_DIVISION = f"{_SEASON}division/<number:level>/"
_ROUND = f"{_DIVISION}round/<number:round>/"
reading_patterns = [
    path("leagues/", pages.leagues, name="leagues"),
    path("leagues/players/<number:pk>/", pages.player, name="player"),
    path("leagues/ratings/<slug:edition>/", pages.ratings, name="ratings"),
    path("leagues/<number:number>/", pages.league, name="league"),
    path("leagues/<number:number>/log/", pages.log, name="league_log"),
    path("leagues/<number:number>/all-time/", pages.all_time, name="league_all_time"),
    path(_SEASON, pages.season, name="season"),
    path(_DIVISION, pages.division, name="division"),
    path(_ROUND, pages.round, name="round"),
    path(f"{_ROUND}table/<number:table>/", pages.league_table, name="league_table"),
    path(f"{_SEASON}season.json", exports.season_json, name="season_json"),
    path(f"{_SEASON}season.zip", exports.season_zip, name="season_zip"),
    path(f"{_DIVISION}embed/", embedding.division_embed, name="division_embed"),
    path(f"{_DIVISION}standing.csv", exports.division_csv, name="division_csv"),
    path(f"{_DIVISION}standing.json", exports.division_json, name="division_json"),
    path(f"{_DIVISION}seating.json", exports.division_seating, name="division_seating"),
    path("leagues/<number:number>/news.atom", exports.league_feed, name="league_feed"),
    path("leagues/<number:number>/dates.ics", exports.league_calendar, name="league_calendar"),
    path("leagues/feed/<slug:key>.atom", exports.league_feed_by_key, name="league_feed_by_key"),
    path("leagues/calendar/<slug:key>.ics", exports.league_calendar_by_key, name="league_calendar_by_key"),
]

# Players' actions in a season
joining_patterns = [
    path(f"{_SEASON}sign-up/", joining.sign_up, name="season_sign_up"),
    path(f"{_SEASON}confirm/", joining.confirm, name="season_confirm"),
    path(f"{_SEASON}leave/", joining.leave, name="season_leave"),
    path(f"{_SEASON}skip/", joining.skip, name="season_skip"),
    path(f"{_SEASON}tell/", telling.tell, name="season_tell"),
    path(f"{_SEASON}withdraw/", joining.withdraw, name="season_withdraw"),
    path(f"{_SEASON}help/", joining.volunteer, name="season_volunteer"),
    path(f"{_SEASON}stop-helping/", joining.stop_volunteering, name="season_stop_volunteering"),
]

# Links in emails
link_patterns = [path("leagues/by-link/<str:token>/", by_link.league_by_link, name="league_by_link")]

urlpatterns = [*reading_patterns, *joining_patterns, *link_patterns, *organiser_urls]

"""Addresses of tables and games."""

from django.urls import include, path

from games.views import history, invitations, lobby, notes, play, tables, watch

urlpatterns = [
    path("", lobby.home, name="home"),
    path("games/", lobby.my_games, name="my_games"),
    path("games/next/", lobby.next_game, name="next_game"),
    path("tables/", lobby.tables, name="tables"),
    path("tables/new/", tables.new_table, name="new_table"),
    path("tables/<int:table_id>/", tables.table, name="table"),
    path("tables/<int:table_id>/take/", tables.take, name="table_take"),
    path("tables/<int:table_id>/decline/", tables.decline, name="table_decline"),
    path("tables/<int:table_id>/confirm/", tables.confirm, name="table_confirm"),
    path("tables/<int:table_id>/leave/", tables.leave, name="table_leave"),
    path("tables/<int:table_id>/invite/", tables.invite, name="table_invite"),
    path("tables/<int:table_id>/call-off/", tables.call_off, name="table_call_off"),
    path("tables/<int:table_id>/keep-open/", tables.keep_open, name="table_keep_open"),
    path("tables/<int:table_id>/remove/<int:seat_id>/", tables.remove, name="table_remove"),
    path("tables/<int:table_id>/withdraw/<int:invitation_id>/", tables.withdraw, name="table_withdraw"),
    path("join/<str:key>/", tables.join, name="join"),
    path("invitation/<str:token>/", invitations.invitation, name="invitation"),
    path("seat/<str:token>/", invitations.seat, name="seat"),
    path("games/<int:game_id>/", play.game, name="game"),
    path("games/<int:game_id>/confirm/", play.game_confirm, name="game_confirm"),
    path("games/<int:game_id>/move/", play.game_move, name="game_move"),
    path("games/<int:game_id>/note/", notes.note, name="game_note"),
    path("games/<int:game_id>/rematch/", notes.rematch, name="game_rematch"),
    path("games/<int:game_id>/history/<int:ply>/", history.position, name="game_history"),
    path("games/<int:game_id>/record.json", history.record, name="game_record"),
    path("games/<int:game_id>/proof/", history.proof, name="game_proof"),
    path("watch/", watch.games_to_watch, name="games_to_watch"),
    path("watch/<str:key>/", watch.watch, name="watch"),
    path("watch/<str:key>/history/<int:ply>/", history.watched_position, name="watch_history"),
    path("watch/<str:key>/record.json", history.watched_record, name="watch_record"),
    path("watch/<str:key>/proof/", history.watched_proof, name="watch_proof"),
    path("", include("games.press.urls")),
    path("answer/<str:token>/", play.answer, name="answer"),
    path("answer/<str:token>/confirm/", play.answer_confirm, name="answer_confirm"),
    path("answer/<str:token>/move/", play.answer_move, name="answer_move"),
]

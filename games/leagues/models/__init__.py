"""The database models of leagues."""

from games.leagues.models.concerns import Concern
from games.leagues.models.leagues import AuditEvent, League, LeagueQuerySet, Organiser
from games.leagues.models.ratings import RatedTable, Rating, RatingChange
from games.leagues.models.registrations import Division, Invitation, Registration, Standing
from games.leagues.models.rounds import Award, Bye, LeagueTable, MissedRound, Round, SeatAssignment
from games.leagues.models.seasons import LARGEST_DIVISION, MOST_DIVISIONS, MOST_ROUNDS, Season
from games.leagues.models.substitutes import OpenSeat, Substitute, SubstituteOffer

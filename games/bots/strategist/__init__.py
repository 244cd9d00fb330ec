"""Strategist: a bot that imagines the unseen cards, plays battles out and weighs how they end.

Pure like the other bots: an observation, a seed and a budget of deals in, a move out. `search.py` is where it
begins. `battle_world.py` simulates a battle faster than the rules do, and a test compares it with them.
"""

from .judging import MoveJudgement, Tried, advise, judge, judge_openly, outlook
from .known_cards import KnownCards
from .search import Budget, choose_move
from .weights import DamagedWeights

"""A table's game and time in words, for pages and letters."""

from __future__ import annotations

from django import template

from games import game_terms, talk_terms, time_terms
from games.articles import Article, articles_of
from games.models import Table

register = template.Library()


@register.filter
def game_in_words(table: Table) -> str:
    """Edition, optional rules and match in one phrase."""
    return game_terms.game_in_words(table)


@register.filter
def options_explained(table: Table) -> list[str]:
    """Each optional rule in force, in a sentence."""
    return game_terms.options_explained(table)


@register.filter
def pace_in_words(table: Table) -> str:
    """How much time a question has, in one phrase."""
    return time_terms.pace_in_words(table)


@register.filter
def time_explained(table: Table) -> list[str]:
    """The rest of the terms of time, a sentence each."""
    return time_terms.time_explained(table)


@register.filter
def unusual_talk(table: Table) -> list[str]:
    """What is not as it mostly is of talk and names, in a few words each."""
    return talk_terms.unusual_talk(table)


@register.filter
def talk_explained(table: Table) -> list[str]:
    """The terms of talk, a sentence each."""
    return talk_terms.talk_explained(table)


@register.filter
def anonymity_explained(table: Table) -> list[str]:
    """That nobody knows who is who, a sentence each."""
    return talk_terms.anonymity_explained(table)


@register.filter
def articles(table: Table) -> list[Article]:
    """The terms of a table, matter by matter."""
    return articles_of(table)


@register.filter
def pace_name(table: Table) -> str:
    """The name of the table's pace, in two words."""
    return time_terms.pace_name(table)


@register.filter
def length_in_words(table: Table) -> str:
    """How long a game at this table is likely to last; empty where no clock runs."""
    return time_terms.expected_length(table.pace, table.size)


@register.filter
def chairs(table: Table) -> list[bool]:
    """One for each seat of a listed table (`annotate_taken`): whether somebody has it."""
    return [number < table.taken for number in range(table.size)]  # type: ignore[attr-defined]

"""The rules pages: the rules as this site plays them, in its own words. Knows no table, game or person.

Others need only where a rule is told, and what editions and options are called.
"""

from games.rulebook.page_addresses import edition_name, option_name, rule_url

__all__ = ["edition_name", "option_name", "rule_url"]

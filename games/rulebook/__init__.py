"""The rules pages: the rules as this site plays them. Knows no table, game or person.

Other packages only need the address of a rule, and the names of editions and options.
"""

from games.rulebook.edition_names import edition_name, option_name
from games.rulebook.page_addresses import card_anchor, rule_url

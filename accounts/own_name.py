"""The site's own name, as its operator set it or as translators wrote it, in the language of its reader."""

from email.headerregistry import Address
from email.utils import parseaddr

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _


def site_name() -> str:
    """Return the site's name in the active language."""
    name: str = settings.SITE_NAMES.get(translation.get_language(), "") or settings.SITE_NAME
    # Translators: the name of this site, at the top of pages and emails, and as the sender of emails
    return name or _("Condottiere by email")


def site_names() -> list[str]:
    """Return the site's names in all its languages, each once."""
    return list(dict.fromkeys(_name_in(language) for language, _own_name in settings.LANGUAGES))


def _name_in(language: str) -> str:
    with translation.override(language):
        return site_name()


def sender() -> str:
    """Return the sender of emails; where none has a name, it gets the site's in the active language."""
    given: str = settings.DEFAULT_FROM_EMAIL
    name, address = parseaddr(given)
    return given if name else str(Address(_in_header(site_name()), addr_spec=address))


def sender_names() -> list[str]:
    """Return the names that emails of this site come from, in all its languages."""
    name, _address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    return [name] if name else [_in_header(each) for each in site_names()]


def _in_header(name: str) -> str:
    return name.replace("\u2011", "-")  # of catalogues, for pages; some mail programs have no sign for it

"""The digest by which a database knows the site's secret key, so that no other key is used by mistake."""

from django.utils.crypto import constant_time_compare, salted_hmac

from condottiere_site.models import Installation


def digest_of_key() -> str:
    """Return the digest of the key that is set; it tells nothing of the key."""
    return salted_hmac(__name__, "", algorithm="sha256").hexdigest()[:40]


def is_key_of(noted: str) -> bool:
    """Return whether the key that is set has this digest, or none was noted yet."""
    return not noted or constant_time_compare(noted, digest_of_key())


def note_key(*, replacing: bool = False) -> None:
    """Note the key that is set, unless one is noted already and it isn't `replacing` that one."""
    rows = Installation.objects.all() if replacing else Installation.objects.filter(key_digest="")
    rows.update(key_digest=digest_of_key())

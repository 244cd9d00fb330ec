"""Storage for collected static files: compressed, with hashed names that browsers may cache permanently.

Files that were not collected are served from their source folders.
"""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class CollectedFiles(CompressedManifestStaticFilesStorage):
    """Hashed names for collected files; plain names for the rest."""

    def stored_name(self, name: str) -> str:
        """Return the name of a file as pages link to it."""
        stored: str = self.hashed_files.get(self.hash_key(self.clean_name(name)), name)
        return stored

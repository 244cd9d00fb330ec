"""How static files are kept once they are collected: under names that change with their content, compressed,
so that browsers keep them for ever. Where nothing was collected they are served from where they lie.
"""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class CollectedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # it tells no types
    """Collected files by their hashed names; what was not collected by its own name."""

    def stored_name(self, name: str) -> str:
        """The name of a file as pages link to it."""
        stored: str = self.hashed_files.get(self.hash_key(self.clean_name(name)), name)
        return stored

"""What the database knows of the site itself: the one row that names its release."""

from django.db import models


class Installation(models.Model):
    """The single row that says which release this database is of, and when it was last restored."""

    version = models.CharField(max_length=20)
    previous_version = models.CharField(max_length=20, blank=True)  # of processes that may still serve it
    restored_at = models.DateTimeField(null=True, blank=True)  # the tick that after_restore recorded

    def __str__(self) -> str:
        return self.version

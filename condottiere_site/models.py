"""What the database knows of the site itself: release, key, backup, when tasks ran, since when it fails."""

from django.db import models


class Installation(models.Model):
    """The single row that says which release this database is of, and when it was last restored.

    It also names the last automatic backup. A backup is noted here once it's complete, so a restored
    database knows the one before.
    """

    version = models.CharField(max_length=20)
    previous_version = models.CharField(max_length=20, blank=True)  # of processes that may still serve it
    restored_at = models.DateTimeField(null=True, blank=True)  # the tick that after_restore recorded
    backup_made_at = models.DateTimeField(null=True, blank=True)  # when what it contains was read
    backup_size = models.BigIntegerField(null=True, blank=True)  # bytes
    backup_file = models.TextField(blank=True, default="", db_default="")
    key_digest = models.CharField(max_length=40, blank=True, default="", db_default="")  # of SECRET_KEY

    def __str__(self) -> str:
        return self.version


class TaskRun(models.Model):
    """The last good run of one clock task."""

    task = models.CharField(max_length=100, unique=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    seconds = models.FloatField()  # by a clock that no one can set

    def __str__(self) -> str:
        return f"{self.task}, {self.ended_at}"


class SiteHealth(models.Model):
    """The single row that says since when the site has failed while its mail worked."""

    failing_since = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)  # when it was last seen failing
    told_at = models.DateTimeField(null=True, blank=True)  # when operators last got an email about it

    def __str__(self) -> str:
        return f"failing since {self.failing_since}" if self.failing_since else "well"

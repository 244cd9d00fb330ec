"""Project setup: settings from the environment, URLs, the Celery application and the entry points.

Nothing here knows game rules or builds emails.
"""

__version__ = "0.1.0"

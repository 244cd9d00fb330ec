# One image for every role: web, worker, beat. Everything it installs is locked by hash.
FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 STATE_DIR=/state
WORKDIR /app

# pg_dump and pg_restore, for backups of a site on PostgreSQL.
RUN apt-get update \
    && apt-get install -y --no-install-recommends postgresql-client \
    && rm -rf /var/lib/apt/lists/*

COPY requirements-build.lock requirements.lock ./
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements-build.lock \
    && pip install --no-cache-dir --disable-pip-version-check --require-hashes --no-build-isolation -r requirements.lock

COPY . .
RUN useradd --system --home-dir /state --create-home --uid 10001 condottiere \
    && chmod 700 /state && install --directory --owner condottiere --mode 700 /state/backups
USER condottiere
VOLUME /state
EXPOSE 8000

# Alone it is a whole site on SQLite, kept in /state; compose.yaml runs each role in its own container.
CMD ["python", "manage.py", "play", "--host", "0.0.0.0"]

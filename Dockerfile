# One image for every role of the site, and one for the proxy. What Python installs is locked by hash.
FROM caddy:2 AS proxy

# Caddy may open low ports by a mark on its file. Containers without any rights can't start a marked file.
RUN setcap -r /usr/bin/caddy \
    && install -d -o 10001 -g 10001 -m 700 /certificates
ENV XDG_DATA_HOME=/certificates XDG_CONFIG_HOME=/tmp
USER 10001:10001


FROM python:3.13-slim AS site

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
# Readable even if the clone wasn't, and compiled, because the file system is read-only later.
RUN chmod -R a+rX . && python -m compileall -q . \
    && groupadd --system --gid 10001 condottiere \
    && useradd --system --home-dir /state --create-home --uid 10001 --gid 10001 condottiere \
    && chmod 700 /state && install --directory --owner 10001 --group 10001 --mode 700 /state/backups
USER 10001:10001
VOLUME /state
EXPOSE 8000
HEALTHCHECK --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=5)"]

# Alone it is a whole site on SQLite, kept in /state; deploy/compose.yaml runs each role in its own container.
CMD ["python", "manage.py", "play", "--host", "0.0.0.0"]

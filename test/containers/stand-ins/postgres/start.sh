#!/usr/bin/env bash
# Makes the database of POSTGRES_USER, POSTGRES_PASSWORD and POSTGRES_DB once, and runs the server.
set -euo pipefail
chown postgres "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=$(mktemp)
  echo "$POSTGRES_PASSWORD" >"$password"
  chown postgres "$password"
  runuser -u postgres -- env PATH="$PATH" initdb --encoding UTF8 --locale C.UTF-8 --username "$POSTGRES_USER" --pwfile "$password" --auth-host scram-sha-256 --auth-local trust "$PGDATA"
  rm "$password"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  runuser -u postgres -- env PATH="$PATH" pg_ctl --pgdata "$PGDATA" --wait --options '-c listen_addresses=' start
  runuser -u postgres -- env PATH="$PATH" createdb --username "$POSTGRES_USER" "$POSTGRES_DB"
  runuser -u postgres -- env PATH="$PATH" pg_ctl --pgdata "$PGDATA" --wait stop
fi
exec setpriv --reuid postgres --regid postgres --init-groups env PATH="$PATH" postgres -D "$PGDATA" -c listen_addresses='*'

#!/usr/bin/env bash
# Runs a command with DATABASE_URL set to a PostgreSQL of its own, in a temporary folder and on a free port; installs the server where Debian's
# package manager can. With POSTGRES_BIN, the folder of initdb, pg_ctl and postgres, it is that version. usage: [POSTGRES_BIN=FOLDER] scripts/with-postgres.sh COMMAND [ARGUMENT…]
set -euo pipefail
[ $# -gt 0 ] || { echo 'usage: [POSTGRES_BIN=FOLDER] scripts/with-postgres.sh COMMAND [ARGUMENT…]' >&2; exit 2; }

newest() { [ -n "${POSTGRES_BIN:-}" ] && echo "$POSTGRES_BIN" || ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1; }
bin=$(newest)
if [ -z "$bin" ] && command -v apt-get >/dev/null; then
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends postgresql >/dev/null
  bin=$(newest)
fi
[ -x "$bin/initdb" ] || { echo "with-postgres: no PostgreSQL found in ${bin:-/usr/lib/postgresql}" >&2; exit 1; }

. "$(dirname "$0")/own-server.sh"
port=$(port)

stop() { "${as[@]}" "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$folder"; }
trap stop EXIT

cd "$folder"
"${as[@]}" "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 >/dev/null
"${as[@]}" "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -w -o "-p $port -k $folder -c listen_addresses=127.0.0.1 -c max_connections=200 ${POSTGRES_OPTIONS:-}" start >/dev/null
cd "$OLDPWD"

DATABASE_URL="postgres://postgres@127.0.0.1:$port/postgres" "$@"

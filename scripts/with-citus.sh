#!/usr/bin/env bash
# Runs a command with DATABASE_URL set to a Citus coordinator with two workers of its own, in a temporary folder and on free ports. CITUS_WORKERS has
# the URLs of the workers, for tests that make databases. With POSTGRES_BIN, the folder of initdb, pg_ctl and postgres, the servers are those. usage: [WORKERS=3] [POSTGRES_BIN=FOLDER] scripts/with-citus.sh COMMAND [ARGUMENT…]
#
# Citus is not in Debian. To install 13.2 for Debian's PostgreSQL 15 from its source (github.com/citusdata/citus, branch release-13.2):
#   apt-get install postgresql-15 postgresql-server-dev-15 liblz4-dev libzstd-dev libssl-dev libreadline-dev zlib1g-dev libkrb5-dev libicu-dev libxml2-dev flex make gcc
#   ./configure --without-libcurl && make -j2 extension && make install-extension
set -euo pipefail
[ $# -gt 0 ] || { echo 'usage: [WORKERS=3] [POSTGRES_BIN=FOLDER] scripts/with-citus.sh COMMAND [ARGUMENT…]' >&2; exit 2; }

newest() {
  for control in /usr/share/postgresql/*/extension/citus.control; do
    version=${control#/usr/share/postgresql/}
    [ ! -e "$control" ] || echo "/usr/lib/postgresql/${version%%/*}/bin"
  done | sort -V | tail -1
}
bin=${POSTGRES_BIN:-$(newest)}
[ -x "$bin/initdb" ] || { echo "with-citus: no PostgreSQL with Citus found in ${bin:-/usr/lib/postgresql}; this script says how to build it" >&2; exit 1; }

. "$(dirname "$0")/own-server.sh"
workers=$(seq "${WORKERS:-2}")
ports=()
for node in 0 $workers; do ports+=("$(port)"); done
url() { echo "postgres://postgres@127.0.0.1:${ports[$1]}/${2:-railyard}"; }
sql() { "$bin/psql" -qAtX "$(url "$1" "${3:-railyard}")" -c "$2"; }

stop() {
  for node in 0 $workers; do "${as[@]}" "$bin/pg_ctl" -D "$folder/$node" -m immediate stop >/dev/null 2>&1 || true; done
  rm -rf "$folder"
}
trap stop EXIT

# few shards, so that a test's database is quickly copied; a maintenance process for each database of the tests; a log that shards can move by; counters for tests and benches
settings="-c listen_addresses=127.0.0.1 -c max_connections=300 -c max_prepared_transactions=300 -c max_worker_processes=64 -c wal_level=logical -c shared_preload_libraries=citus,pg_stat_statements -c citus.shard_count=4 -c citus.enable_stat_counters=on"
cd "$folder"
for node in 0 $workers; do
  "${as[@]}" "$bin/initdb" -D "$folder/$node" -U postgres -A trust -E UTF8 --no-sync >/dev/null
  "${as[@]}" "$bin/pg_ctl" -D "$folder/$node" -l "$folder/$node.log" -w -o "-p ${ports[$node]} -k $folder $settings ${POSTGRES_OPTIONS:-}" start >/dev/null
  sql "$node" 'create database railyard' postgres
  sql "$node" 'create extension citus'
done
sql 0 "select citus_set_coordinator_host('127.0.0.1', ${ports[0]})" >/dev/null
for node in $workers; do sql 0 "select citus_add_node('127.0.0.1', ${ports[$node]})" >/dev/null; done
cd "$OLDPWD"

DATABASE_URL=$(url 0) CITUS_WORKERS=$(for node in $workers; do url "$node"; done | paste -sd ' ') "$@"

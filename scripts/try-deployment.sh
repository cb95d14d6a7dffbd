#!/usr/bin/env bash
# The processes of compose.yaml without containers: PostgreSQL, the providers, two that answer, two that work, and deploy/haproxy.cfg in front. Restarts both that
# answer, one after the other, while payments come in; fails unless each was answered 201 and every amount agrees. Needs haproxy and PostgreSQL's binaries.
#   bash scripts/try-deployment.sh [seconds]
set -euo pipefail
cd "$(dirname "$0")/.."
[ -n "${DATABASE_URL:-}" ] || exec bash scripts/with-postgres.sh bash "$0" "$@"

PATH=$PWD/node_modules/.bin:/usr/sbin:$PATH
command -v haproxy >/dev/null || { echo "haproxy is not installed here: apt-get install haproxy" >&2; exit 1; }
folder=$(mktemp -d)
declare -A process=()
stop() { for id in "${process[@]}"; do kill "$id" 2>/dev/null || true; done; wait; rm -rf "$folder"; }
trap stop EXIT

export RAILYARD_ENV=sandbox DATA_DIR=$folder/data LOG_LEVEL=warn PUBLIC_URL=http://127.0.0.1:18080 SANDBOX_URL=http://127.0.0.1:18090 TRUSTED_PROXIES=1 STOP_DELAY_MS=8000 DATABASE_POOL_SIZE=10
ENCRYPTION_KEY=$(head -c 32 /dev/urandom | base64)
export ENCRYPTION_KEY

ready() { until curl -sf -o "$folder/answer" "$1"; do sleep 0.2; done; }
serve() { ROLE=$1 PORT=$2 node src/main.js start >>"$folder/$2.log" 2>&1 & process[$2]=$!; ready "http://127.0.0.1:$2/health/ready"; }

node src/main.js sandbox --port 18090 >"$folder/sandbox.log" & process[sandbox]=$!
node src/main.js migrate >"$folder/migrate.log"
ready "$SANDBOX_URL/faults"
serve api 18081; serve api 18082; serve worker 18083; serve worker 18084

sed -e 's/api-1:8080/127.0.0.1:18081/; s/api-2:8080/127.0.0.1:18082/; s/bind :8080/bind 127.0.0.1:18080/; s/ resolvers containers init-addr none//; /^resolvers/,$d; s/log stdout.*/log 127.0.0.1 local0/' \
  deploy/haproxy.cfg >"$folder/haproxy.cfg"
haproxy -f "$folder/haproxy.cfg" -db >"$folder/haproxy.log" 2>&1 & process[haproxy]=$!
ready "$PUBLIC_URL/health/ready"

TOKEN=$(node src/main.js token --scopes '*.read,*.write') node scripts/steady-payments.ts "$PUBLIC_URL" "${1:-60}" & load=$!
for port in 18081 18082; do
  # the load balancer has both again
  sleep 8
  kill "${process[$port]}"
  wait "${process[$port]}"
  serve api "$port"
done
wait "$load"
node src/main.js verify

#!/usr/bin/env bash
# Runs a command beside a Docker engine of its own (DOCKER_HOST): both in namespaces of their own, whose network leads nowhere, and gone with the command. Installs
# Debian's engine and docker-compose. Needs root. usage: scripts/with-docker.sh COMMAND [ARGUMENT…]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if [ "${RAILYARD_DOCKER_FOLDER:-}" = '' ]; then
  [ "$(id -u)" = 0 ] || { echo 'with-docker: a Docker engine needs root' >&2; exit 1; }
  bash "$here/install-packages.sh" dockerd=docker.io docker-compose=docker-compose unshare=util-linux ip=iproute2
  RAILYARD_DOCKER_FOLDER=$(mktemp -d /var/tmp/railyard-docker-XXXXXX)
  export RAILYARD_DOCKER_FOLDER
  trap 'rm -rf "$RAILYARD_DOCKER_FOLDER"' EXIT
  # process 1 of the namespace is the shell below: with it, everything ends
  unshare --net --mount --pid --fork --kill-child --mount-proc bash "$0" "$@"
  exit
fi

folder=$RAILYARD_DOCKER_FOLDER
export DOCKER_HOST=unix://$folder/docker.sock
ip link set lo up
# where the engine of the machine, if there is one, has its own
mkdir -p /run/docker && mount -t tmpfs tmpfs /run/docker
dockerd --data-root "$folder/data" --exec-root "$folder/run" --pidfile "$folder/pid" --host "$DOCKER_HOST" >"$folder/log" 2>&1 &
engine=$!
until docker version >/dev/null 2>&1; do
  kill -0 "$engine" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
  sleep 0.2
done

status=0
"$@" || status=$?
ids=$(docker ps -q)
[ -z "$ids" ] || docker kill $ids >/dev/null || true
kill "$engine"
wait "$engine" || true
exit "$status"

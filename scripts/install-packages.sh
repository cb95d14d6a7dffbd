#!/usr/bin/env bash
# Sees to it that these programs are there: installs the Debian packages of the missing ones where the package manager can, and starts no service of them. usage: scripts/install-packages.sh PROGRAM=PACKAGE,…
set -euo pipefail
PATH=$PATH:/usr/sbin:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)

missing=()
for each in "$@"; do command -v "${each%%=*}" >/dev/null || missing+=("${each#*=}"); done
[ ${#missing[@]} -gt 0 ] || exit 0
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
if command -v apt-get >/dev/null; then
  $sudo apt-get update -qq || true
  # an init script that runs at this level starts nothing
  $sudo env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${missing[@]//,/ } >/dev/null
fi
for each in "$@"; do
  command -v "${each%%=*}" >/dev/null || { echo "install-packages: there is no ${each%%=*}, and it could not be installed" >&2; exit 1; }
done

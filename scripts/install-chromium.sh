#!/usr/bin/env bash
# Sees to it that there is a Chromium for the browser tests: installs Debian's where its package manager can. usage: scripts/install-chromium.sh
set -euo pipefail

found() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if ! found >/dev/null && command -v apt-get >/dev/null; then
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
found || { echo "install-chromium: no Chromium found, and none could be installed" >&2; exit 1; }

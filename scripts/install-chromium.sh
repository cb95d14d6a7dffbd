#!/usr/bin/env bash
# Sees to it that there is a Chromium for the browser tests: installs Debian's where its package manager can. usage: scripts/install-chromium.sh
set -euo pipefail

found() { command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome; }
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
install() { $sudo apt-get install -y -qq --no-install-recommends "$1" >/dev/null; }

# the same engine without the browser around it opens a page with a fifth of the processor time; who has a browser already is not asked for a password
if ! command -v chromium-headless-shell >/dev/null && command -v apt-get >/dev/null && { ! found >/dev/null || [ -z "$sudo" ]; }; then
  $sudo apt-get update -qq || true
  install chromium-headless-shell || found >/dev/null || install chromium || true
fi
found || { echo "install-chromium: no Chromium found, and none could be installed" >&2; exit 1; }

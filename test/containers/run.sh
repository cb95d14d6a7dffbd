#!/usr/bin/env bash
# Makes the images, and runs tests of this folder beside a Docker engine of their own. usage: test/containers/run.sh TEST… [--OPTION VALUE…] (image, compose, rollout; the options are for each of them); what is built stays in
# RAILYARD_IMAGES, /var/tmp/railyard-images by default
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${RAILYARD_IMAGES:-/var/tmp/railyard-images}
mkdir -p "$folder"

tests=()
while [ $# -gt 0 ] && [[ $1 != --* ]]; do
  tests+=("$1")
  shift
done
[ ${#tests[@]} -gt 0 ] || { echo 'usage: test/containers/run.sh image|compose|rollout… [--OPTION VALUE…]' >&2; exit 2; }
bash scripts/install-helm.sh >/dev/null
bash test/containers/images.sh "$folder"
for test in "${tests[@]}"; do
  echo "== $test"
  bash scripts/with-docker.sh node "test/containers/$test.run.ts" --folder "$folder" "$@"
done

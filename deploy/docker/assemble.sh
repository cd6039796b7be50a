#!/bin/sh
# Copies the files that the image needs from a built tree: assemble.sh <directory>. Run it in the root of the repository.
set -eu
image=$1
command=apps/tallystick
mkdir -p "$image/app/$command/dist" "$image/state"
chmod 700 "$image/state"
if [ -n "${SIGNER_PACKAGES:-}" ]; then
  # Not quoted: a list of packages. Before the next copy, which npm would remove.
  # shellcheck disable=SC2086
  npm install --prefix "$image/app" --ignore-scripts --no-audit --no-fund --no-save $SIGNER_PACKAGES
fi
cp -R $command/bin $command/package.json "$image/app/$command/"
cp -R $command/dist/bundle "$image/app/$command/dist/"
# The bundle finds these by the name of their package: the page, the schemas, and the programs of its threads.
copy() {
  package=$1
  target="$image/app/node_modules/@tallystick/$package"
  shift
  for file in package.json "$@"; do
    mkdir -p "$target/$(dirname "$file")"
    cp -R "packages/$package/$file" "$target/$file"
  done
}
copy service config.schema.json portal
copy subgraph src/protocol/schema.graphql
copy gateway dist/bundle
copy database dist/bundle
mkdir -p "$image/app/node_modules/@electric-sql"
# The only package that is not part of the bundle: it loads files of its own.
cp -R node_modules/@electric-sql/pglite "$image/app/node_modules/@electric-sql/"
find "$image/app" -name '*.map' -type f -delete
cp LICENSE deploy/docker/probe.mjs "$image/app/"
chmod -R a+rX,go-w "$image/app"

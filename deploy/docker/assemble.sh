#!/bin/sh
# Copies the files that the image needs from a built tree: assemble.sh <directory>. Run it in the root of the repository.
set -eu
image=$1
api=apps/api
mkdir -p "$image/app/$api/dist" "$image/state"
chmod 700 "$image/state"
if [ -n "${SIGNER_PACKAGES:-}" ]; then
  # Not quoted: a list of packages. Before the next copy, which npm would remove.
  # shellcheck disable=SC2086
  npm install --prefix "$image/app" --ignore-scripts --no-audit --no-fund --no-save $SIGNER_PACKAGES
fi
cp -R $api/bin $api/portal $api/package.json $api/config.schema.json "$image/app/$api/"
cp -R $api/dist/bundle "$image/app/$api/dist/"
# The bundle reads the schema of the subgraph by its name.
subgraph=node_modules/@tallystick/subgraph
mkdir -p "$image/app/$subgraph/src/protocol" "$image/app/node_modules/@electric-sql"
cp packages/subgraph/package.json "$image/app/$subgraph/"
cp packages/subgraph/src/protocol/schema.graphql "$image/app/$subgraph/src/protocol/"
# It starts the thread of an embedded database by its name.
database=node_modules/@tallystick/database
mkdir -p "$image/app/$database/dist"
cp packages/database/package.json "$image/app/$database/"
cp -R packages/database/dist/bundle "$image/app/$database/dist/"
# The only package that is not part of the bundle: it loads files of its own.
cp -R node_modules/@electric-sql/pglite "$image/app/node_modules/@electric-sql/"
find "$image/app" -name '*.map' -type f -delete
cp LICENSE deploy/docker/probe.mjs "$image/app/"
chmod -R a+rX,go-w "$image/app"

#!/bin/sh
# Runs a command against a sandbox of its own, and stops the sandbox afterwards.
# Usage: sh examples/ci.sh <command> [argument …]
# AT, POSITIONS and CHAINS choose the sandbox's time, history and number of chains.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
node "$root/apps/sandbox/dist/bundle/main.js" --port 0 --dir "$work/sandbox" \
  --at "${AT:-2026-11-02T12:00:00-05:00}" --positions "${POSITIONS:-8}" --chains "${CHAINS:-1}" >"$work/out" 2>&1 &
sandbox=$!

stop() {
  status=$?
  trap - EXIT
  kill "$sandbox" 2>/dev/null || true
  wait "$sandbox" 2>/dev/null || true
  rm -rf "$work"
  exit "$status"
}
trap stop EXIT
trap 'exit 130' INT TERM

until grep -q '^ready https:' "$work/out"; do
  if ! kill -0 "$sandbox" 2>/dev/null; then
    cat "$work/out" >&2
    exit 1
  fi
  sleep 0.2
done

read_credential() {
  node -p "const c = JSON.parse(require('fs').readFileSync('$work/sandbox/credentials.json', 'utf8')); $1"
}
TALLYSTICK_URL=$(read_credential c.baseUrl)
TALLYSTICK_KEY=$(read_credential c.apiKey)
RPC_URL=$(read_credential 'c.chains[0].rpcUrl')
PRIVATE_KEY=$(read_credential 'c.wallets[0].privateKey')
# Each program has its own variable for the certificate authority of the sandbox: Node, curl, Python and Go.
NODE_EXTRA_CA_CERTS=$(read_credential c.caCert)
CURL_CA_BUNDLE=$NODE_EXTRA_CA_CERTS
SSL_CERT_FILE=$NODE_EXTRA_CA_CERTS
export TALLYSTICK_URL TALLYSTICK_KEY RPC_URL PRIVATE_KEY NODE_EXTRA_CA_CERTS CURL_CA_BUNDLE SSL_CERT_FILE
"$@"

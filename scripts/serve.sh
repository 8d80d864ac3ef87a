#!/usr/bin/env bash
# serve.sh PORT: serves the built page, and the model from the cache, on localhost.
. "$(dirname "$0")/lib.sh"

[ -f "$REPO/www/dist/index.html" ] || fail "the page is not built; run 'make run'."
PORT=$1 LASTBIT_MODELS=$(dirname "$MODEL") exec node "$REPO/www/server.mjs"

#!/usr/bin/env bash
# Builds the page around the engine, with Vite, into www/dist.
. "$(dirname "$0")/lib.sh"

with_progress "build the page" npm --prefix "$REPO/www" run build \
  || fail "the page did not build; the log above says why."

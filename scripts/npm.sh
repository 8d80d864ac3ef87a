#!/usr/bin/env bash
# Installs the page's npm packages exactly as its lock file says, when they differ from what is there.
. "$(dirname "$0")/lib.sh"

node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
  process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)' 2>/dev/null \
  || fail "Node.js 20.19 or newer is needed (found: $(node --version 2>/dev/null || echo none)); install it from nodejs.org or your system's packages."
command -v npm >/dev/null || fail "npm is missing; it comes with Node.js."

# Written last: a folder without it is half installed and is made anew.
mark=$REPO/www/node_modules/.installed-lock
cmp -s "$REPO/www/package-lock.json" "$mark" && exit 0
one_at_a_time
cmp -s "$REPO/www/package-lock.json" "$mark" && exit 0
with_progress "install the page's npm packages" \
  npm --prefix "$REPO/www" ci --no-audit --no-fund \
  || fail "npm ci failed; check the network, delete www/node_modules and run make again."
cp "$REPO/www/package-lock.json" "$mark"

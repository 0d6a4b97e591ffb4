#!/bin/sh
# Makes the locked requirement files from the *.in files, for every Python from 3.11 on, with hashes and without the
# address of an index. What is locked stays unless an *.in file asks for more; `scripts/lock.sh --upgrade` renews all.
set -eu
cd "$(dirname "$0")/../requirements"
if ! command -v uv >/dev/null 2>&1; then
  echo "uv is missing; run: pip install uv" >&2
  exit 3
fi
for name in runtime dev bench; do
  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --only-binary :all: \
    --no-header --no-annotate --no-emit-index-url "$@" "$name.in" -o "$name.txt"
done

#!/bin/sh
# Makes .venv from a locked requirement file and sees to the system packages that it needs.
#
#   scripts/bootstrap.sh demo|test|bench
#
# As root, missing packages are installed with apt; else the line that installs them is printed and the exit code is 3.
# When all is there it does nothing and is quick. A half-made .venv is made again.
set -eu
cd "$(dirname "$0")/.."

level=${1:?demo, test or bench}
case $level in
  demo) lock=requirements/runtime.txt; tools="bwrap:bubblewrap" ;;
  test) lock=requirements/dev.txt
        tools="bwrap:bubblewrap git:git mmdebstrap:mmdebstrap podman:podman runc:runc chromium:chromium chromedriver:chromium-driver" ;;
  bench) lock=requirements/bench.txt; tools="bwrap:bubblewrap" ;;
  *) echo "usage: $0 demo|test|bench" >&2; exit 2 ;;
esac

python=${PYTHON:-}
if [ -z "$python" ]; then
  for candidate in python3.14 python3.13 python3.12 python3.11 python3; do
    if command -v "$candidate" >/dev/null 2>&1 &&
       "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      python=$candidate
      break
    fi
  done
fi
if [ -z "$python" ]; then
  echo "testmark needs Python 3.11 or newer: install it, or name one with PYTHON=/path/of/python3.11" >&2
  exit 3
fi

missing=""
for pair in $tools; do
  command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
# Debian's python3 comes without the parts that make virtual environments.
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"

if [ -n "$missing" ]; then
  line="apt-get install -y --no-install-recommends$missing"
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "missing system packages; run this as root, then the same command again:" >&2
    echo "  $line" >&2
    exit 3
  fi
  echo "installing$missing" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get -o DPkg::Lock::Timeout=300 -qq update
  # shellcheck disable=SC2086 # the packages are words
  apt-get -o DPkg::Lock::Timeout=300 -qq install -y --no-install-recommends $missing >/dev/null
fi

# The stamp names what the environment was made from; it is written last, so half an environment never bears it.
wanted=$("$python" - "$lock" pyproject.toml <<'PY'
import hashlib, sys
state = hashlib.sha256(sys.version.encode())
for path in sys.argv[1:]:
    state.update(open(path, "rb").read())
print(state.hexdigest())
PY
)
stamp=.venv/testmark-$level.stamp
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && .venv/bin/python -c 'import testmark, click, pydantic' 2>/dev/null; then
  exit 0
fi
if ! .venv/bin/python -c 'import sys; sys.exit(sys.prefix == sys.base_prefix)' 2>/dev/null ||
   ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
  rm -rf .venv
  "$python" -m venv .venv
fi
rm -f .venv/testmark-*.stamp
echo "installing $lock into .venv" >&2
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
echo "$wanted" > "$stamp"
# A larger environment serves the smaller levels too.
if [ "$level" != demo ]; then
  rm -f .venv/testmark-demo.stamp
fi

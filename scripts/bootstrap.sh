#!/bin/sh
# Makes .venv from a requirement file locked with hashes, and sees to the system packages that it needs.
#
#   scripts/bootstrap.sh demo|java|test|bench
#
# As root, missing packages are installed with apt. Otherwise the line that installs them is printed and the exit code
# is 3 (`make` shows it as "Error 3"; its own exit code is then 2, as for every recipe that fails).
# When everything is there nothing is done. PYTHON names the interpreter to use; by default the first of python3,
# python3.14 … python3.11 that is 3.11 or newer.
set -eu
cd "$(dirname "$0")/.."

# What each level needs: a lock, and pairs of command:package. A higher level's lock holds all of a lower one's.
level=${1:-}
tools="bwrap:bubblewrap"
case $level in
  demo) rank=1 lock=requirements/runtime.txt ;;
  java) rank=1 lock=requirements/runtime.txt
        tools="$tools git:git mvn:maven javac:default-jdk-headless" ;;
  test) rank=2 lock=requirements/dev.txt
        tools="$tools git:git mvn:maven javac:default-jdk-headless mmdebstrap:mmdebstrap newuidmap:uidmap podman:podman runc:runc"
        tools="$tools chromium:chromium chromedriver:chromium-driver" ;;
  bench) rank=3 lock=requirements/bench.txt ;;
  *) echo "usage: $0 demo|java|test|bench" >&2; exit 2 ;;
esac

say() { echo "bootstrap: $*" >&2; }

# The stamp says how far .venv got, what from and where (its commands hold that path). It is removed before a change and written after it, so that an
# environment whose making was interrupted bears none and is made anew.
stamp=.venv/testmark.stamp
state=$(cat requirements/runtime.txt requirements/dev.txt requirements/bench.txt pyproject.toml | sha256sum)

version_of() { "$1" -c 'import platform; print(platform.python_implementation(), platform.python_version())'; }
read_stamp() { { read -r made_rank && read -r made_state && IFS= read -r made_place; } <"$stamp"; }
venv_works() {
  [ -f "$stamp" ] && read_stamp && [ "$made_place" = "$PWD" ] || return 1
  .venv/bin/python -m pip --version >/dev/null 2>&1 || return 1
  [ -z "${PYTHON:-}" ] || [ "$(version_of "$PYTHON")" = "$(version_of .venv/bin/python)" ]
}
venv_is_current() {
  [ -f "$stamp" ] && read_stamp || return 1
  [ "$made_rank" -ge "$rank" ] && [ "$made_state" = "$state" ] && [ "$made_place" = "$PWD" ] || return 1
  [ -z "${PYTHON:-}" ] || venv_works || return 1
  .venv/bin/python -c 'import testmark' 2>/dev/null
}
missing_tools() { # the folders of system programs need not be on a user's PATH
  for pair in $tools; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "${pair%%:*}" >/dev/null 2>&1 || printf ' %s' "${pair#*:}"
  done
}
new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

missing=$(missing_tools)
if [ -z "$missing" ] && venv_is_current; then
  exit 0
fi

# Two of us at once would spoil each other's work; the lock is let go when the process ends, however it ends.
exec 9>.bootstrap.lock
if command -v flock >/dev/null 2>&1; then
  flock 9
fi
missing=$(missing_tools)

python=
for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
  if command -v "$candidate" >/dev/null 2>&1 && new_enough "$candidate"; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  say "testmark needs Python 3.11 or newer and found none; install one, or name one: make ... PYTHON=/path/of/python3.11"
  exit 3
fi
# Debian's python3 comes without the parts that make virtual environments.
if ! venv_works && ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  missing="$missing python3-venv"
fi

if [ -n "$missing" ]; then
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    sudo=
    if command -v sudo >/dev/null 2>&1; then
      sudo="sudo "
    fi
    say "system packages are missing. Run this line as root, then the same command again:"
    echo "${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends$missing" >&2
    exit 3
  fi
  say "installing system packages:$missing"
  export DEBIAN_FRONTEND=noninteractive
  apt() { apt-get -qq -o DPkg::Lock::Timeout=600 -o APT::Lock::Timeout=600 -o Acquire::Retries=3 "$@"; }
  # shellcheck disable=SC2086 # the packages are words
  install() { apt install -y --no-install-recommends $missing; }
  # Package lists that are there save a download; lists that are absent or too old show by a failed installation.
  said=$(mktemp)
  if ! install </dev/null >"$said" 2>&1 && ! { apt update && install; } </dev/null >"$said" 2>&1; then
    cat "$said" >&2
    rm -f "$said"
    say "apt-get could not install$missing; its messages stand above"
    exit 3
  fi
  rm -f "$said"
  if [ -n "$(missing_tools)" ] || ! "$python" -c 'import ensurepip, venv' 2>/dev/null && ! venv_works; then
    say "still missing after the installation:$(missing_tools); the packages above should have brought it for $python"
    exit 3
  fi
fi

if venv_is_current; then
  exit 0
fi
if ! venv_works; then
  if [ -e .venv ]; then
    say "making .venv anew: what is there is unfinished, broken, moved here, or of another Python"
    rm -rf .venv
  fi
  "$python" -m venv .venv
fi
say "installing $lock into .venv"
rm -f "$stamp"
pip() { .venv/bin/python -m pip --quiet --disable-pip-version-check --no-input "$@" </dev/null >&2; }
pip install --require-hashes --only-binary :all: -r "$lock"
pip install --no-deps --no-build-isolation --editable .
printf '%s\n' "$rank" "$state" "$PWD" >"$stamp.new"
mv "$stamp.new" "$stamp"

#!/bin/sh
# The Java side of the demo on the shipped history: mine some of its commits, run four agents that ship, judge them,
# compare them. Where JDK, Maven or git are missing they are installed as root; for anybody else the line that installs
# them is printed, this part is left out, and the exit code is 0. Run again it works without network.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
out=${OUT:-build/demo}/java

has_java() {
  command -v git >/dev/null 2>&1 || return 1
  testevo doctor --json | python -c 'import json, sys; sys.exit(not json.load(sys.stdin)["java"]["ready"])'
}

echo
if ! has_java && ! scripts/bootstrap.sh java; then
  echo "The Java side of the demo is left out: it needs a JDK, Maven and git, as said above."
  exit 0
fi
echo "The Java side: tasks from the history of a Maven repository."
rm -rf "$out/units"
python examples/java-history/make_history.py "$out/units"
# Eight commits with a task of each track and most reasons why a test is none; all thirty-six take minutes more.
testevo mine "$out/units" --out "$out/bench" --since 2024-02-26 --until 2024-03-14 --report
# What an older version's benchmark got is of no use any more.
if [ -e "$out/judged.json" ] && ! cmp -s "$out/bench/bench.json" "$out/judged.json"; then
  rm -rf "$out/runs" "$out/results"
fi
cp "$out/bench/bench.json" "$out/judged.json"
for agent in reference unrefined always-pass empty; do
  testevo run "$out/bench" --agent "$agent" --out "$out/runs/$agent"
  testevo evaluate "$out/bench" "$out/runs/$agent" --out "$out/results/$agent"
done
set -- "$out/results/reference" "$out/results/unrefined" "$out/results/always-pass" "$out/results/empty"
testevo report "$@" --format html --out "$out/report.html"
echo
echo "The four agents on Java side by side (one page with every task and mutant: $out/report.html):"
testevo report "$@"

#!/bin/sh
# The main job on the shipped examples: build a benchmark, run four agents that ship, judge them, compare them; first in
# Python, then in Java.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
out=${OUT:-build/demo}

req2test build examples/behave-library/testmark.toml --out "$out/bench"
# What an older version's benchmark got is of no use any more.
if [ -e "$out/judged.json" ] && ! cmp -s "$out/bench/bench.json" "$out/judged.json"; then
  rm -rf "$out/runs" "$out/results"
fi
cp "$out/bench/bench.json" "$out/judged.json"
for agent in reference empty always-pass always-fail; do
  req2test run "$out/bench" --agent "$agent" --out "$out/runs/$agent"
  req2test evaluate "$out/bench" "$out/runs/$agent" --out "$out/results/$agent"
done
req2test report "$out/results/reference" "$out/results/always-pass" "$out/results/always-fail" "$out/results/empty" \
  --format html --out "$out/report.html"
echo
echo "The four agents side by side (one page with every instance and mutant: $out/report.html):"
req2test report "$out/results/reference" "$out/results/always-pass" "$out/results/always-fail" "$out/results/empty"
scripts/demo-java.sh

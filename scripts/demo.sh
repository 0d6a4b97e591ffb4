#!/bin/sh
# The main job on the shipped example: build its benchmark, run four agents that ship, judge them, compare them.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
out=${OUT:-build/demo}

req2test build examples/behave-library/testmark.toml --out "$out/bench"
for agent in reference empty always-pass always-fail; do
  req2test run "$out/bench" --agent "$agent" --out "$out/runs/$agent"
  req2test evaluate "$out/bench" "$out/runs/$agent" --out "$out/results/$agent"
done
req2test report "$out/results/reference" "$out/results/always-pass" "$out/results/always-fail" "$out/results/empty" \
  --format html --out "$out/report.html"
echo
echo "The four agents side by side (one page with every instance and mutant: $out/report.html):"
req2test report "$out/results/reference" "$out/results/always-pass" "$out/results/always-fail" "$out/results/empty"

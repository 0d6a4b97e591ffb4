/* Metrics with intervals, counts of verdicts, projects, and the paired comparison of runs. */

function estimate(found) {
  if (!found || !found.n) return el("td", { class: "n soft" }, "–");
  return el("td", { class: "n metric", title: `95 % interval ${fixed(found.low)} to ${fixed(found.high)}, n = ${found.n}` },
    el("b", {}, fixed(found.value)), " ", el("small", {}, `[${fixed(found.low, 2)}, ${fixed(found.high, 2)}]`),
    whisker(found));
}

function whisker(found) {
  const at = (value) => 100 * value;
  return svg("svg", { class: "whisker", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "track", x: 0, y: 2.5, width: 100, height: 1 }),
    svg("rect", { class: "range", x: at(found.low), y: 1.5, width: Math.max(1, at(found.high - found.low)), height: 3 }),
    svg("rect", { class: "point", x: Math.min(98.5, Math.max(0, at(found.value) - 0.75)), y: 0, width: 1.5, height: 6 }));
}

function metricsTable() {
  const head = [["run"], ["n", "n"], ...data.metrics.map((metric) => [metric.name, "n"])];
  const rows = data.runs.map((run) => el("tr", {}, el("th", { scope: "row" }, run.label),
    el("td", { class: "n" }, run.summary.metrics[data.metrics[0].key].n),
    data.metrics.map((metric) => estimate(run.summary.metrics[metric.key]))));
  return table(head, rows, { id: "metrics" });
}

function verdictTable() {
  const chips = (counts, pick) => Object.entries(counts).filter(([, count]) => count).map(([name, count]) => {
    const text = [el("b", {}, count), " ", words(name)];
    return pick ? el("button", { type: "button", class: `chip v-${name}`, onclick: () => pick(name) }, text)
      : el("span", { class: `chip v-${name}` }, text);
  });
  const rows = data.runs.map((run, index) => el("tr", {}, el("th", { scope: "row" }, run.label),
    el("td", {}, chips(run.summary.verdicts, (name) => showOnly(index, name))), el("td", {}, chips(run.summary.mutants))));
  return table([["run"], ["predictions"], ["mutants"]], rows, { id: "verdicts" });
}

function projectTable() {
  const names = [...new Set(data.runs.flatMap((run) => Object.keys(run.summary.by_project)))].sort();
  if (names.length < 2) return null;
  const several = data.runs.length > 1;
  const head = [["project"], ...(several ? [["run"]] : []), ["n", "n"], ...data.metrics.map((metric) => [metric.name, "n"])];
  const line = (name, run, n, cells) => el("tr", {}, el("th", { scope: "row" }, name),
    several ? el("td", {}, run.label) : null, el("td", { class: "n" }, n), cells);
  const rows = names.flatMap((name) => data.runs.filter((run) => run.summary.by_project[name]).map((run) => {
    const found = run.summary.by_project[name];
    return line(name, run, found[data.metrics[0].key].n, data.metrics.map((metric) => estimate(found[metric.key])));
  }));
  const macro = data.runs.map((run) => line("mean of projects", run, "", data.metrics.map((metric) =>
    el("td", { class: "n" }, el("b", {}, fixed(run.summary.macro[metric.key]))))));
  return el("details", {}, el("summary", {}, `By project (${names.length})`), table(head, [...rows, ...macro], { id: "projects" }));
}

function comparisonTable() {
  if (!data.comparisons.length) return null;
  const names = Object.fromEntries(data.metrics.map((metric) => [metric.key, metric.name]));
  const head = [["run"], ["metric"], ["n", "n"], ["difference", "n"], ["95 % interval", "n"], ["p", "n"], ["test"]];
  const rows = data.comparisons.map((found) => {
    const tone = found.p_value >= 0.05 ? "" : found.difference > 0 ? " better" : " worse";
    return el("tr", {}, el("th", { scope: "row" }, data.runs[found.run].label), el("td", {}, names[found.metric]),
      el("td", { class: "n" }, found.n), el("td", { class: `n${tone}` }, signed(found.difference)),
      el("td", { class: "n" }, `${signed(found.low)} … ${signed(found.high)}`),
      el("td", { class: `n${tone}` }, found.p_value < 0.001 ? "<0.001" : fixed(found.p_value)),
      el("td", { class: "soft" }, found.test === "mcnemar" ? "McNemar, exact" : "sign flips"));
  });
  return el("div", { class: "block" }, el("h2", {}, `Difference to ${data.runs[0].label}`,
    el("small", {}, " paired over the instances that both have")), table(head, rows, { id: "comparison" }));
}

function notes() {
  return data.runs.flatMap((run) => {
    const { audit } = run.summary;
    return [
      run.incomplete ? el("p", { class: "note" }, run.incomplete) : null,
      audit.disagreements ? el("p", { class: "note" },
        `${run.label}: ${audit.disagreements} of ${audit.sampled} audited warm verdicts differed from cold ones and were judged cold.`) : null,
    ];
  });
}

function showSummary() {
  const first = data.runs[0].summary;
  const name = { req2test: "Req2Test" }[first.benchmark] || first.benchmark;
  $("what").textContent = plain(`${name} · ${data.runs.length > 1 ? `${data.runs.length} runs` : data.runs[0].label} · benchmark ${first.bench_id.slice(0, 12)}`);
  const block = (heading, ...parts) => el("div", { class: "block" }, el("h2", {}, heading), parts);
  const parts = [notes(), el("div", { class: "blocks" },
    block(["Metrics ", el("small", {}, "means with 95 % bootstrap intervals")], metricsTable(), projectTable()),
    block("Verdicts", verdictTable()), comparisonTable())];
  $("summary").replaceChildren(...parts.flat(Infinity).filter(Boolean));
}

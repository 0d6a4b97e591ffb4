"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const PAGE = 300;
  const state = { run: 0, verdict: "", filter: "", sort: "id", down: false, shown: PAGE, open: "", mutant: "" };

  // Everything is made of elements and text nodes: what a prediction holds cannot become markup.
  function el(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "class") element.className = value;
      else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else element.setAttribute(key, value);
    }
    for (const child of children.flat()) element.append(child);
    return element;
  }
  const number = (value) => value.toFixed(3);

  function summary() {
    const head = el("tr", {}, el("th", {}, "run"), el("th", { class: "n" }, "n"),
      data.metrics.map((m) => el("th", { class: "n" }, m.name)), el("th", {}, "verdicts"), el("th", {}, "mutants"));
    const rows = data.runs.map((run) => {
      const s = run.summary;
      const counts = (found) => Object.entries(found).filter(([, n]) => n).map(([name, n]) =>
        el("span", { class: name }, `${n} ${name} `));
      return el("tr", {}, el("td", {}, run.label), el("td", { class: "n" }, String(s.metrics[data.metrics[0].key].n)),
        data.metrics.map((m) => { const f = s.metrics[m.key];
          return el("td", { class: "n" }, number(f.value), " ", el("small", {}, `[${f.low.toFixed(2)}, ${f.high.toFixed(2)}]`)); }),
        el("td", {}, counts(s.verdicts)), el("td", {}, counts(s.mutants)));
    });
    const parts = [el("h2", {}, "Metrics, with 95 % intervals"), el("div", { class: "scroll" }, el("table", {}, el("thead", {}, head), el("tbody", {}, rows)))];
    for (const run of data.runs) {
      if (!run.summary.complete) parts.push(el("p", { class: "warnbox" }, `${run.label} is incomplete: ${run.summary.verdicts.infra} could not be judged (infra).`));
      if (run.summary.audit.disagreements) parts.push(el("p", { class: "warnbox" }, `${run.label}: ${run.summary.audit.disagreements} warm verdicts differed from cold ones.`));
    }
    if (data.comparisons.length) {
      const names = Object.fromEntries(data.metrics.map((m) => [m.key, m.name]));
      const head2 = el("tr", {}, ["run", "metric", "n", "difference", "95 % interval", "p"].map((t, i) => el("th", { class: i > 1 ? "n" : "" }, t)));
      const signed = (v) => (v > 0 ? "+" : "") + number(v);
      const rows2 = data.comparisons.map((c) => el("tr", {}, el("td", {}, c.other), el("td", {}, names[c.metric]), el("td", { class: "n" }, String(c.paired.n)),
        el("td", { class: "n" }, signed(c.paired.difference)), el("td", { class: "n" }, `${signed(c.paired.low)} … ${signed(c.paired.high)}`),
        el("td", { class: "n" }, c.paired.p_value < 0.001 ? "<0.001" : number(c.paired.p_value))));
      parts.push(el("h2", {}, `Difference to ${data.runs[0].label}, paired over shared instances`), el("div", { class: "scroll" }, el("table", {}, el("thead", {}, head2), el("tbody", {}, rows2))));
    }
    $("summary").replaceChildren(...parts);
    $("runs-shown").textContent = data.runs.map((run) => run.label).join(", ");
  }

  const columns = [["id", "instance"], ["verdict", "verdict"], ["kills", "killed"]];
  const kills = (task) => task.mutants.filter((m) => m[2] && m[1].startsWith("killed")).length;
  const total = (task) => task.mutants.filter((m) => m[2]).length;
  const value = (task, key) => key === "kills" ? (total(task) ? kills(task) / total(task) : -1) : task[key];

  function visible() {
    const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const found = data.runs[state.run].tasks.filter((task) => {
      if (state.verdict && task.verdict !== state.verdict) return false;
      const text = `${task.id} ${task.reason} ${data.instances[task.id].title}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const key = state.sort;
    found.sort((a, b) => { const x = value(a, key), y = value(b, key); const order = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
      return (order || a.id.localeCompare(b.id, "en", { numeric: true })) * (state.down ? -1 : 1); });
    return found;
  }

  function list() {
    const found = visible();
    $("list").tHead.replaceChildren(el("tr", {}, columns.map(([key, name]) => el("th", { class: key === "kills" ? "n" : "", role: "columnheader", tabindex: "0",
      "aria-sort": state.sort === key ? (state.down ? "descending" : "ascending") : "none", onclick: () => sortBy(key), onkeydown: (e) => e.key === "Enter" && sortBy(key) }, name))));
    $("list").tBodies[0].replaceChildren(...found.slice(0, state.shown).map((task) => el("tr", { "data-id": task.id, "aria-selected": String(task.id === state.open), onclick: () => open(task.id) },
      el("td", {}, task.id, el("br"), el("small", { class: "soft" }, data.instances[task.id].title)), el("td", { class: `verdict ${task.verdict}` }, task.verdict),
      el("td", { class: "n" }, total(task) ? `${kills(task)}/${total(task)}` : "–"))));
    $("more").hidden = found.length <= state.shown;
    $("count").textContent = `${found.length} of ${data.runs[state.run].tasks.length}`;
  }
  function sortBy(key) { state.down = state.sort === key ? !state.down : false; state.sort = key; list(); }

  function diffLines(text) {
    return text.split("\n").map((line) => el("span", { class: line.startsWith("+") && !line.startsWith("+++") ? "add" : line.startsWith("-") && !line.startsWith("---") ? "del" : "ctx" }, line || " "));
  }
  function mutantRow(task, m) {
    const [id, verdict, member, detail] = m;
    const box = el("div", { class: "mutant", "data-mutant": id });
    const button = el("button", { type: "button", "aria-expanded": String(state.mutant === id), onclick: () => { state.mutant = state.mutant === id ? "" : id; hash(); detail_(); } },
      el("code", {}, id), el("span", { class: `verdict ${verdict}` }, verdict), member ? " · kill set " : " ", el("span", { class: "detail" }, detail));
    box.append(button);
    if (state.mutant === id) box.append(el("pre", { class: "diff" }, diffLines(data.diffs[id] || "")));
    return box;
  }
  function detail_() {
    const task = data.runs[state.run].tasks.find((t) => t.id === state.open);
    if (!task) { $("detail").replaceChildren(el("p", { class: "hint" }, "Choose an instance. Keys: / filter, j and k next and previous, Enter open, Esc back.")); return; }
    const row = data.instances[task.id];
    const parts = [el("h2", { class: "id" }, task.id), el("p", {}, el("span", { class: `verdict ${task.verdict}` }, task.verdict), task.reason ? `: ${task.reason}` : ""),
      el("p", { class: "soft" }, data.metrics.map((m) => `${m.name} ${number(task.metrics[m.key])}`).join(" · "), ` · judged ${task.how}`),
      el("h2", {}, "Requirement"), el("pre", {}, [[`Feature: ${row.feature}`, row.narrative].filter(Boolean).join("\n"), row.background, row.gherkin].filter(Boolean).join("\n\n")),
      el("p", { class: "soft" }, `Targets: ${row.targets.join(", ") || "none"}`)];
    if (task.files.length) parts.push(el("h2", {}, "Prediction"), ...task.files.flatMap((f) => [el("div", { class: "soft" }, f.path), el("pre", {}, f.content)]));
    if (task.pickles.length) parts.push(el("h2", {}, "Steps"), el("div", { class: "scroll" }, el("table", {}, el("tbody", {}, task.pickles.flatMap((p) => [
      el("tr", {}, el("th", { colspan: "3" }, `line ${p.line}: ${p.name}`)), ...p.steps.map((s) => el("tr", {}, el("td", { class: s.status }, s.status), el("td", {}, `${s.keyword} ${s.text}`), el("td", { class: "soft" }, s.message)))])))));
    if (task.mutants.length) parts.push(el("h2", {}, `Mutants: ${kills(task)} of ${total(task)} of the kill set killed`), ...task.mutants.map((m) => mutantRow(task, m)));
    $("detail").replaceChildren(...parts);
  }
  function open(id, focus) {
    state.open = id; state.mutant = ""; hash(); mark(); detail_();
    if (focus) $("detail").focus();
  }
  function mark() {
    for (const row of $("list").tBodies[0].rows) {
      const on = row.dataset.id === state.open;
      row.setAttribute("aria-selected", String(on));
      if (on) row.scrollIntoView({ block: "nearest" });
    }
  }
  function hash() { history.replaceState(null, "", state.open ? `#/i/${encodeURIComponent(state.open)}${state.mutant ? "/" + state.mutant : ""}` : "#"); }
  function fromHash() {
    const parts = location.hash.split("/");
    if (parts[1] === "i" && parts[2]) { state.open = decodeURIComponent(parts[2]); state.mutant = parts[3] || ""; }
  }
  function move(step) {
    const found = visible().slice(0, state.shown);
    const at = found.findIndex((task) => task.id === state.open);
    const next = found[Math.min(found.length - 1, Math.max(0, at + step))];
    if (next) open(next.id);
  }

  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "Escape") { if (typing) event.target.blur(); else { state.open = ""; state.mutant = ""; hash(); mark(); detail_(); } return; }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") { event.preventDefault(); $("filter").focus(); }
    else if (event.key === "j" || event.key === "ArrowDown" && document.activeElement.classList.contains("list")) { event.preventDefault(); move(1); }
    else if (event.key === "k" || event.key === "ArrowUp" && document.activeElement.classList.contains("list")) { event.preventDefault(); move(-1); }
    else if (event.key === "Enter" && state.open && event.target.tagName !== "BUTTON") $("detail").focus();
  });
  $("filter").addEventListener("input", (event) => { state.filter = event.target.value; state.shown = PAGE; list(); });
  $("run").addEventListener("change", (event) => { state.run = Number(event.target.value); verdicts(); list(); detail_(); });
  $("verdict").addEventListener("change", (event) => { state.verdict = event.target.value; state.shown = PAGE; list(); });
  $("more").addEventListener("click", () => { state.shown += PAGE; list(); });
  $("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  addEventListener("hashchange", () => { fromHash(); list(); detail_(); });

  function verdicts() {
    const counts = data.runs[state.run].summary.verdicts;
    $("verdict").replaceChildren(el("option", { value: "" }, "all"), ...Object.entries(counts).filter(([, n]) => n).map(([name, n]) => el("option", { value: name }, `${name} (${n})`)));
    state.verdict = "";
  }
  $("run").replaceChildren(...data.runs.map((run, i) => el("option", { value: String(i) }, run.label)));
  summary(); verdicts(); fromHash(); list(); detail_();
})();

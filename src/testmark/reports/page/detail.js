/* One instance: its Requirement, the prediction, its steps, and each mutant with its diff. */

const KEYWORD = /^(\s*)((?:Feature|Rule|Background|Scenario Outline|Scenario Template|Scenario|Example|Examples|Scenarios):|(?:Given|When|Then|And|But|\*) )/;

function gherkin(text) {
  return el("pre", { tabindex: "0", "aria-label": "Requirement" }, text.split("\n").flatMap((line, index) => {
    const found = KEYWORD.exec(line);
    const start = index ? "\n" : "";
    return found ? [start + found[1], el("b", {}, found[2]), line.slice(found[0].length)] : [start + line];
  }));
}

function source(path, text) {
  const lines = text.split("\n");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return el("details", { open: true, class: "file" },
    el("summary", {}, el("span", { class: "mono" }, path), el("small", {}, ` ${lines.length} line${lines.length === 1 ? "" : "s"}`)),
    el("div", { class: "source" }, el("pre", { class: "gutter", "aria-hidden": "true" }, lines.map((_, index) => index + 1).join("\n")),
      el("pre", { tabindex: "0", "aria-label": path }, lines.join("\n"))));
}

function steps(pickles) {
  const rows = pickles.flatMap(([line, name, found]) => [
    el("tr", { class: "pickle" }, el("td", { class: "n" }, line), el("th", { scope: "rowgroup", colspan: "2" }, name)),
    ...found.map(([at, keyword, text, status, message]) => el("tr", {}, el("td", { class: "n" }, at),
      el("td", {}, el("b", {}, keyword.trim()), " ", text, message ? el("div", { class: "message" }, message) : null),
      el("td", {}, badge(status)))),
  ]);
  return el("div", { class: "scroll" }, el("table", { class: "steps" }, el("tbody", {}, rows)));
}

function diff(text) {
  const kind = (line) => (/^(---|\+\+\+|@@)/.test(line) ? "head" : line[0] === "+" ? "add" : line[0] === "-" ? "del" : "ctx");
  const lines = text.replace(/\n$/, "").split("\n");
  return el("pre", { class: "diff", tabindex: "0", "aria-label": "Diff" }, lines.map((line) => el("span", { class: kind(line) }, line || " ")));
}

/* `path:line` of the first changed line of a diff, and that line's new text. */
function place(text) {
  const path = /^\+\+\+ (?:b\/)?(.*)$/m.exec(text);
  const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)/m.exec(text);
  if (!path || !hunk) return { where: "", change: "" };
  const body = text.slice(hunk.index).split("\n").slice(1);
  const first = body.findIndex((line) => line[0] === "-" || line[0] === "+");
  const added = body.find((line) => line[0] === "+");
  return { where: `${path[1]}:${Number(hunk[1]) + Math.max(0, first)}`, change: added ? added.slice(1).trim() : "" };
}

function mutantItem(mutant) {
  const [id, verdict, member, message, how, index] = mutant;
  const text = index === null ? "" : textAt(index);
  const { where, change } = place(text);
  const on = state.mutant === id;
  return el("li", { "data-mutant": id, class: on ? "open" : null },
    el("button", { type: "button", "aria-expanded": String(on), onclick: () => openMutant(on ? "" : id) },
      el("span", { class: `verdict ${member || isKill(verdict) ? `v-${verdict}` : "soft"}` }, words(verdict)), el("span", { class: "mono where" }, where || id), member ? el("span", { class: "member" }, "kill set") : null,
      el("span", { class: "mono change" }, change.slice(0, 200))),
    on ? el("div", { class: "body" }, message ? el("p", { class: "message" }, message) : null,
      el("p", { class: "soft" }, "mutant ", el("span", { class: "mono" }, id), `, ${member ? "in the kill set" : "the reference test does not kill it either"}, ${judged(how)}`),
      text ? diff(text) : el("p", { class: "soft" }, "Its diff is not among the results.")) : null);
}
const judged = (how) => (how === "not-run" ? "not run" : `judged ${how}`);

function shownMutants(task) {
  return task.mutants.filter((mutant) => !state.missed || (mutant[2] && !isKill(mutant[1])) || mutant[0] === state.mutant);
}

function mutants(task) {
  const missed = task.members - task.kills;
  const toggle = missed ? el("label", { class: "check" }, el("input", { type: "checkbox", id: "missed", checked: state.missed,
    onchange: (event) => { state.missed = event.target.checked; showDetail(); $("missed").focus(); } }), ` only the ${missed} missed`) : null;
  return [el("h3", {}, "Mutants ", el("small", {}, `${task.kills} of ${task.members} of the kill set killed, ${task.mutants.length} in all`), toggle),
    el("ol", { class: "mutants" }, shownMutants(task).map(mutantItem))];
}

function runTabs(id) {
  if (data.runs.length < 2) return null;
  return el("div", { class: "tabs", role: "group", "aria-label": "This instance in each run" }, data.runs.map((run, index) => {
    const found = run.byId.get(id);
    return found ? el("button", { type: "button", "aria-pressed": String(index === state.run), onclick: () => chooseRun(index, true) },
      run.label, " ", badge(found.verdict), found.members ? el("small", {}, ` ${found.kills}/${found.members}`) : null) : null;
  }));
}

function showDetail() {
  const run = data.runs[state.run];
  const task = run.byId.get(state.open);
  document.body.classList.toggle("reading", Boolean(state.open));
  const back = el("button", { type: "button", class: "back", onclick: () => openInstance("", false) }, "← all instances");
  if (!state.open) return void $("detail").replaceChildren(el("p", { class: "hint" }, "Choose an instance to read its Requirement, prediction, steps and mutants."));
  if (!task) {
    const elsewhere = runTabs(state.open);
    return void $("detail").replaceChildren(back, el("p", { class: "hint" }, `${run.label} has no instance ${state.open}.`), ...(elsewhere ? [elsewhere] : []));
  }
  const instance = data.instances[task.id];
  const parts = [
    back,
    el("h2", {}, instance.title || task.id), el("p", { class: "id" }, task.id),
    runTabs(task.id),
    el("p", { class: "outcome" }, badge(task.verdict), task.reason ? el("span", { class: "reason" }, task.reason) : null, el("span", { class: "soft" }, judged(task.how))),
    el("dl", { class: "metrics" }, data.metrics.map((metric, index) => el("div", {}, el("dt", {}, metric.name), el("dd", {}, fixed(task.metrics[index]))))),
    el("h3", {}, "Requirement"), gherkin(textAt(instance.requirement)),
    el("p", { class: "soft" }, "Targets: ", instance.targets.length ? instance.targets.map((target, index) => [index ? ", " : "", el("span", { class: "mono" }, target)]) : "none"),
    task.files.length ? [el("h3", {}, "Prediction"), task.files.map(([path, index]) => source(path, textAt(index)))] : null,
    task.pickles.length ? [el("h3", {}, "Steps"), steps(task.pickles)] : null,
    task.mutants.length ? mutants(task) : null,
  ];
  $("detail").replaceChildren(...parts.flat(Infinity).filter(Boolean));
}

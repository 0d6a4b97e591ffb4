/* What TestEvo's page shows otherwise: its functions take the place of those of the same name, which stand before. */

/* A figure that a task, or all tasks, do not have reads as a dash. */
const ABSENT = { toFixed: () => "–" };
for (const run of data.runs) {
  for (const task of run.tasks) task.metrics = task.metrics.map((value) => value ?? ABSENT);
  for (const [key, found] of Object.entries(run.summary.metrics)) if (!found.n) run.summary.macro[key] = ABSENT;
}

function sharesTable() {
  const names = Object.keys(data.runs[0].shares);
  const rows = data.runs.map((run) => el("tr", {}, el("th", { scope: "row" }, run.label),
    el("td", { class: "n" }, run.shares[names[0]].n), names.map((name) => estimate(run.shares[name]))));
  return table([["run"], ["n", "n"], ...names.map((name) => [name, "n"])], rows, { id: "shares" });
}

function tracksTable() {
  const head = [["track"], ["run"], ["n", "n"], ...data.metrics.map((metric) => [metric.name, "n"])];
  const tracks = [...new Set(data.runs.flatMap((run) => Object.keys(run.by_track)))];
  const rows = tracks.flatMap((track) => data.runs.filter((run) => run.by_track[track]).map((run) => {
    const found = run.by_track[track];
    return el("tr", {}, el("th", { scope: "row" }, track), el("td", {}, run.label),
      el("td", { class: "n" }, found[data.metrics[0].key].n), data.metrics.map((metric) => estimate(found[metric.key])));
  }));
  return table(head, rows, { id: "tracks" });
}

const commonSummary = showSummary;
showSummary = () => {
  commonSummary();
  $("what").textContent = $("what").textContent.replace(/^testevo/, "TestEvo");
  $("summary").querySelector(".blocks").append(
    el("div", { class: "block" }, el("h2", {}, "Target methods ", el("small", {}, "on the new revision, mean shares of the tasks")), sharesTable()),
    el("div", { class: "block" }, el("h2", {}, "By track"), tracksTable()));
  const compared = [...document.querySelectorAll("#comparison tbody tr")];
  data.comparisons.forEach((found, index) => {
    if (!found.n) for (const cell of [...compared[index].cells].slice(3)) cell.replaceChildren("–");
  });
};

mutantItem = (mutant) => {
  const [id, verdict, , message, how, index] = mutant;
  const text = index === null ? "" : textAt(index);
  const { where, change } = place(text);
  const on = state.mutant === id;
  return el("li", { "data-mutant": id, class: on ? "open" : null },
    el("button", { type: "button", "aria-expanded": String(on), onclick: () => openMutant(on ? "" : id) },
      badge(verdict), el("span", { class: "mono where" }, where || id), el("span", { class: "mono change" }, change.slice(0, 200))),
    on ? el("div", { class: "body" }, message ? el("p", { class: "message" }, message) : null,
      el("p", { class: "soft" }, "mutant ", el("span", { class: "mono" }, id), `, ${judged(how)}`),
      text ? diff(text) : el("p", { class: "soft" }, "Its diff is not among the results.")) : null);
};

/* Mutants are judged for each target by itself. */
mutants = (task) => {
  const missed = task.members - task.kills;
  const toggle = missed ? el("label", { class: "check" }, el("input", { type: "checkbox", id: "missed", checked: state.missed,
    onchange: (event) => { state.missed = event.target.checked; showDetail(); $("missed").focus(); } }), ` only the ${missed} missed`) : null;
  const shown = shownMutants(task);
  return [el("h3", {}, "Mutants ", el("small", {}, `${task.kills} of ${task.members} killed`), toggle),
    task.pickles.flatMap(([, name], group) => {
      const found = shown.filter((mutant) => mutant[6] === group);
      return found.length ? [el("p", { class: "mono" }, name), el("ol", { class: "mutants" }, found.map(mutantItem))] : [];
    })];
};

showDetail = () => {
  const run = data.runs[state.run];
  const task = run.byId.get(state.open);
  document.body.classList.toggle("reading", Boolean(state.open));
  const back = el("button", { type: "button", class: "back", onclick: () => openInstance("", false) }, "← all instances");
  if (!state.open) return void $("detail").replaceChildren(el("p", { class: "hint" }, "Choose an instance to read the task, the judged test file, its targets and mutants."));
  if (!task) {
    const elsewhere = runTabs(state.open);
    return void $("detail").replaceChildren(back, el("p", { class: "hint" }, `${run.label} has no instance ${state.open}.`), ...(elsewhere ? [elsewhere] : []));
  }
  const instance = data.instances[task.id];
  const parts = [
    back,
    el("h2", {}, instance.title || task.id), el("p", { class: "id" }, task.id),
    runTabs(task.id),
    el("p", { class: "outcome" }, badge(task.verdict), task.reason ? el("span", { class: "reason" }, task.reason) : null,
      [...task.facts, judged(task.how)].map((fact) => el("span", { class: "soft" }, fact))),
    el("dl", { class: "metrics" }, data.metrics.map((metric, index) => el("div", {}, el("dt", {}, metric.name), el("dd", {}, fixed(task.metrics[index]))))),
    el("h3", {}, "Task"), el("pre", { tabindex: "0", "aria-label": "Task" }, textAt(instance.requirement)),
    task.files.length ? [el("h3", {}, "Judged test file"), task.files.map(([path, index]) => source(path, textAt(index)))] : null,
    task.pickles.length ? [el("h3", {}, "Targets"), steps(task.pickles)] : null,
    task.mutants.length ? mutants(task) : null,
  ];
  $("detail").replaceChildren(...parts.flat(Infinity).filter(Boolean));
};

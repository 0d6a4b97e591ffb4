/* The list: filtered, sorted, and shown a page at a time. */

const PAGE = 200;
const order = new Intl.Collator("en", { numeric: true }).compare;
const others = (task) => data.runs.map((run) => run.byId.get(task.id));
const differs = (task) => new Set(others(task).map((found) => found && `${found.verdict} ${found.kills}`)).size > 1;
const share = (task) => (task.members ? task.kills / task.members : -1);

const SORTS = {
  order: (a, b) => a.order - b.order,
  verdict: (a, b) => order(a.verdict, b.verdict),
  kills: (a, b) => share(a) - share(b),
};
let visible = [];

function search(task) {
  task.text ??= `${task.id} ${task.reason} ${data.instances[task.id].title}`.toLowerCase();
  return task.text;
}

function find() {
  const wanted = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
  visible = data.runs[state.run].tasks.filter((task) =>
    (!state.verdict || task.verdict === state.verdict) &&
    (!state.project || data.instances[task.id].project === state.project) &&
    (!state.differs || differs(task)) &&
    wanted.every((word) => search(task).includes(word)));
  const sign = state.down ? -1 : 1;
  visible.sort((a, b) => sign * SORTS[state.sort](a, b) || a.order - b.order);
}

function columns() {
  const found = [["order", "instance", ""]];
  found.push(["verdict", data.runs.length > 1 ? data.runs[state.run].label : "verdict", ""]);
  found.push(["kills", "killed", "n"]);
  return found;
}

function headCell([key, name, kind]) {
  const sorted = state.sort === key ? (state.down ? "descending" : "ascending") : "none";
  return el("th", { scope: "col", class: kind || null, "aria-sort": sorted },
    el("button", { type: "button", "data-sort": key, title: `Sort by ${name}`, onclick: () => sortBy(key) }, name));
}

function listRow(task) {
  const instance = data.instances[task.id];
  const rest = data.runs.flatMap((run, index) => {
    const found = index === state.run ? null : run.byId.get(task.id);
    if (!found) return [];
    const text = `${run.label}: ${words(found.verdict)}`;
    return [el("small", { class: `other v-${found.verdict}`, title: text }, text)];
  });
  const ratio = task.members ? Math.round(100 * share(task)) : 0;
  return el("tr", { "data-id": task.id, class: task.id === state.open ? "open" : null, onclick: () => openInstance(task.id, true) },
    el("td", {}, el("a", { href: address(task.id, ""), "aria-current": task.id === state.open ? "true" : null,
      onclick: (event) => event.preventDefault() }, instance.title || task.id), el("span", { class: "id" }, task.id)),
    el("td", {}, badge(task.verdict), rest),
    el("td", { class: "n" }, task.members ? [`${task.kills}/${task.members}`,
      svg("svg", { class: "ratio", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "track", width: 100, height: 4 }), svg("rect", { class: "share", width: ratio, height: 4 }))] : "–"));
}

function showList() {
  find();
  state.shown = PAGE;
  const at = visible.findIndex((task) => task.id === state.open);
  while (state.shown <= at) state.shown += PAGE;
  $("list").tHead.replaceChildren(el("tr", {}, columns().map(headCell)));
  $("list").tBodies[0].replaceChildren(...visible.slice(0, state.shown).map(listRow));
  const all = data.runs[state.run].tasks.length;
  $("count").textContent = visible.length === all ? `${all} instances` : `${visible.length} of ${all} instances`;
  showEnds();
}
function showEnds() {
  $("more").hidden = visible.length <= state.shown;
  $("none").hidden = visible.length > 0;
}
function showMore() {
  $("list").tBodies[0].append(...visible.slice(state.shown, state.shown + PAGE).map(listRow));
  state.shown += PAGE;
  showEnds();
}

function sortBy(key) {
  state.down = state.sort === key && !state.down;
  state.sort = key;
  showList();
  document.querySelector(`[data-sort="${key}"]`).focus();
}

function markOpen(scroll) {
  for (const row of $("list").tBodies[0].rows) {
    const on = row.dataset.id === state.open;
    row.classList.toggle("open", on);
    const link = row.querySelector("a");
    if (on) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    if (on && scroll) row.scrollIntoView({ block: "nearest" });
  }
}

function options(select, all, entries) {
  select.replaceChildren(...(all ? [el("option", { value: "" }, all)] : []),
    ...entries.map(([value, text]) => el("option", { value }, text)));
}
function showChoices() {
  const run = data.runs[state.run];
  const count = (pick) => run.tasks.reduce((found, task) => found.set(pick(task), (found.get(pick(task)) || 0) + 1), new Map());
  const projects = [...count((task) => data.instances[task.id].project)].sort((a, b) => order(a[0], b[0]));
  const verdicts = [...count((task) => task.verdict)].sort((a, b) => b[1] - a[1]);
  const entry = ([name, n]) => [name, `${words(name)} (${n})`];
  options($("run"), "", data.runs.map((found, index) => [String(index), found.label]));
  options($("project"), "all", projects.map(([name, n]) => [name, `${name} (${n})`]));
  options($("verdict"), "all", verdicts.map(entry));
  if (!verdicts.some(([name]) => name === state.verdict)) state.verdict = "";
  if (!projects.some(([name]) => name === state.project)) state.project = "";
  $("run").value = String(state.run);
  $("project").value = state.project;
  $("verdict").value = state.verdict;
  $("filter").value = state.filter;
  $("differs").checked = state.differs;
  $("run").parentElement.hidden = $("differs").parentElement.hidden = data.runs.length < 2;
  $("project").parentElement.hidden = projects.length < 2;
}
function showOnly(run, verdict) {
  Object.assign(state, { run, verdict, filter: "", project: "", differs: false });
  showChoices(); showList(); showDetail(); remember(false);
  $("bar").scrollIntoView({ block: "start" });
}

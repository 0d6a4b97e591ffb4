/* Addresses, keys and controls. */

function address(id, mutant) {
  if (!id) return "#/";
  return `#/i/${encodeURIComponent(id)}${mutant ? `/${encodeURIComponent(mutant)}` : ""}${state.run ? `?run=${state.run + 1}` : ""}`;
}
function remember(step) {
  const target = address(state.open, state.mutant);
  if (target !== location.hash) history[step ? "pushState" : "replaceState"](null, "", target);
}
function fromAddress() {
  const [path, query] = location.hash.split("?");
  const run = Number(/^run=(\d+)$/.exec(query || "")?.[1] || 1) - 1;
  if (run >= 0 && run < data.runs.length) state.run = run;
  let parts = [];
  try { parts = path.split("/").map(decodeURIComponent); } catch (error) { if (!(error instanceof URIError)) throw error; }
  [state.open, state.mutant] = parts[1] === "i" ? [parts[2] || "", parts[3] || ""] : ["", ""];
}

function openInstance(id, focus) {
  const before = state.open;
  Object.assign(state, { open: id, mutant: "" });
  remember(focus);
  markOpen(true);
  showDetail();
  $("detail").scrollTop = 0;
  if (focus) $("detail").focus({ preventScroll: true });
  else if (!id && before) (document.querySelector(`#list tr[data-id="${CSS.escape(before)}"] a`) || $("scroller")).focus();
}
function openMutant(id) {
  const target = id || state.mutant;
  state.mutant = id;
  remember(false);
  showDetail();
  showMutant(target);
}
function showMutant(id) {
  const item = document.querySelector(`.mutants li[data-mutant="${CSS.escape(id)}"]`);
  item?.querySelector("button").focus({ preventScroll: true });
  item?.scrollIntoView({ block: "nearest" });
}
function chooseRun(index, keep) {
  state.run = index;
  if (keep) state.mutant = "";
  showChoices(); showList(); showDetail(); remember(false);
  if (keep) $("detail").focus({ preventScroll: true });
}

function moveInstance(step) {
  const at = visible.findIndex((task) => task.id === state.open);
  const next = visible[Math.min(visible.length - 1, Math.max(0, at + step))];
  if (!next) return;
  while (visible.indexOf(next) >= state.shown) showMore();
  openInstance(next.id, false);
}
function moveMutant(step) {
  const task = data.runs[state.run].byId.get(state.open);
  if (!task) return;
  const found = shownMutants(task);
  const at = found.findIndex((mutant) => mutant[0] === state.mutant);
  const next = found[at < 0 && step < 0 ? found.length - 1 : Math.min(found.length - 1, Math.max(0, at + step))];
  if (next) openMutant(next[0]);
}
function back() {
  if (state.mutant) openMutant("");
  else if (state.open) openInstance("", false);
  else if (state.filter || state.verdict || state.project || state.differs) clearFilters();
}
function clearFilters() {
  Object.assign(state, { filter: "", verdict: "", project: "", differs: false });
  showChoices(); showList();
}

const KEYS = { j: () => moveInstance(1), k: () => moveInstance(-1), n: () => moveMutant(1), p: () => moveMutant(-1), "/": () => $("filter").focus() };
const ARROWS = { ArrowDown: KEYS.j, ArrowUp: KEYS.k };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = event.target.matches("input[type=search], select");
  if (event.key === "Escape") {
    if (typing) $("scroller").focus(); else back();
    return;
  }
  if (typing) {
    if (event.key === "Enter" && event.target.id === "filter" && visible.length) { event.preventDefault(); openInstance(visible[0].id, true); }
    return;
  }
  const inList = $("scroller").contains(event.target);
  const action = KEYS[event.key] || (inList && ARROWS[event.key]);
  if (action) { event.preventDefault(); action(); }
  else if (event.key === "Enter" && event.target.matches("#list a")) { event.preventDefault(); openInstance(event.target.closest("tr").dataset.id, true); }
  else if (event.key === "Enter" && state.open && !event.target.closest("button, summary, input, article")) { event.preventDefault(); $("detail").focus(); }
});

$("bar").addEventListener("submit", (event) => event.preventDefault());
$("filter").addEventListener("input", (event) => { state.filter = event.target.value; showList(); });
$("project").addEventListener("change", (event) => { state.project = event.target.value; showList(); });
$("verdict").addEventListener("change", (event) => { state.verdict = event.target.value; showList(); });
$("differs").addEventListener("change", (event) => { state.differs = event.target.checked; showList(); });
$("run").addEventListener("change", (event) => chooseRun(Number(event.target.value), false));
$("more").addEventListener("click", showMore);
$("clear").addEventListener("click", () => { clearFilters(); $("filter").focus(); });
new IntersectionObserver((found) => { if (found.some((entry) => entry.isIntersecting) && !$("more").hidden) showMore(); }, { root: $("scroller"), rootMargin: "200px" }).observe($("more"));

const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : system.matches);
function showTheme() { $("theme").setAttribute("aria-pressed", String(isDark())); }
$("theme").addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; showTheme(); });
system.addEventListener("change", showTheme);

function showAll() {
  fromAddress();
  showChoices(); showList(); showDetail(); markOpen(true);
  if (state.mutant) showMutant(state.mutant);
}
addEventListener("popstate", showAll);
showTheme();
showSummary();
showAll();

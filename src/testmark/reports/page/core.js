"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);

/* Long texts (sources, diffs) are read when the first instance is opened: a list of thousands appears sooner. */
let texts = null;
function textAt(index) {
  texts ??= JSON.parse($("texts").textContent);
  return texts[index];
}

/* What is shown; `open` and `mutant` also stand in the address. */
const state = {
  run: 0, project: "", verdict: "", filter: "", differs: false,
  sort: "order", down: false, shown: 0,
  open: "", mutant: "", missed: false,
};

for (const run of data.runs) {
  run.byId = new Map(run.tasks.map((task, order) => [task.id, Object.assign(task, { order })]));
  for (const task of run.tasks) {
    const members = task.mutants.filter((mutant) => mutant[2]);
    task.members = members.length;
    task.kills = members.filter((mutant) => isKill(mutant[1])).length;
  }
}

function isKill(verdict) { return verdict.startsWith("killed"); }

/* Control characters and those that reorder or hide text are shown by a sign, so that text reads as what it is. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
function plain(text) {
  return text.replace(HIDDEN, (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/* Everything is made of elements and text nodes: what a prediction holds cannot become markup. */
function el(name, attributes, ...children) {
  const element = document.createElement(name);
  fill(element, attributes);
  for (const child of children.flat(Infinity)) {
    if (child === null || child === false) continue;
    element.append(child instanceof Node ? child : plain(String(child)));
  }
  return element;
}
function svg(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  fill(element, attributes);
  element.append(...children);
  return element;
}
function fill(element, attributes) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
}

const fixed = (value, digits = 3) => value.toFixed(digits);
const signed = (value) => (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(3);
const words = (verdict) => verdict.replaceAll("_", " ");
const badge = (verdict) => el("span", { class: `verdict v-${verdict}` }, words(verdict));

function table(head, rows, attributes = {}) {
  const cells = head.map(([text, kind]) => el("th", { scope: "col", class: kind || null }, text));
  return el("div", { class: "scroll" },
    el("table", attributes, el("thead", {}, el("tr", {}, cells)), el("tbody", {}, rows)));
}

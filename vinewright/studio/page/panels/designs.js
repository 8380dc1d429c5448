/** The result of a run in one line, its designs to choose from, and what can be done next. */

import { el } from "../dom.js";
import { set, state, subscribe } from "../store.js";
import { plural } from "../text.js";
import { trialsOf } from "./cloudlayer.js";
import { hasChanged, hasOtherTube } from "./changed.js";
import { setText } from "./parts.js";
import { chosenDesign, shownSuccess } from "./shown.js";
import { actuatorsWords, designWords, lengthWords, percent } from "./words.js";

/** @typedef {import("../types.js").Design} Design */

/** Choose the design that is shown. */
export function chooseDesign(/** @type {string} */ id) {
  const { design, other } = state;
  if (id !== design) set({ design: id, other: other === id ? null : other, time: Infinity });
}

/** Choose the first design with a number of actuators, if there is one. */
export function chooseByActuators(/** @type {number} */ actuators) {
  if (chosenDesign()?.actuators === actuators) return;
  const found = state.run?.designs.find((one) => one.actuators === actuators);
  if (found) chooseDesign(found.id);
}

/** The line of the result. */
export function resultLine() {
  const line = el("p", { id: "result", class: "result", role: "status" });
  subscribe(["run", "design"], () => {
    const design = chosenDesign();
    line.hidden = !design;
    line.classList.toggle("bad", Boolean(design?.missed));
    setText(line, design ? `${designWords(design)}.` : "");
  });
  return line;
}

/** List of the notes about the design that is shown. */
export function notesList(/** @type {string} */ id) {
  const list = el("ul", { id, class: "notes", "aria-label": "Room for inflated actuators" });
  subscribe(["run", "design"], () => {
    list.replaceChildren(...(chosenDesign()?.notes ?? []).map((note) => el("li", {}, note)));
  });
  return list;
}

/** Line that defines success: the number alone does not say when a trial counts. */
export function countsLine() {
  const line = el("p", { class: "quiet small counts" }, "A trial counts when the tip enters the goal while it grows; stop the growth there.");
  subscribe(["run", "design", "trials"], () => (line.hidden = !shownSuccess()));
  return line;
}

/** Line with the number of trials that are drawn, if not all are, and of those that could not begin, of which nothing else is seen. */
export function drawnLine(/** @type {string} */ panel) {
  const line = el("p", { id: `${panel}-drawn`, class: "quiet small" });
  subscribe(["run", "design", "trials", "panel", "plan", "doc"], () => {
    const [lines, made] = [trialsOf(panel)?.lines ?? [], shownSuccess()?.trials ?? 0];
    const some = lines.length > 0 && lines.length < made ? `${lines.length} of ${made} trials are drawn.` : "";
    const still = lines.filter((one) => !one.length).length;
    const words = `${plural(still, "trial")} could not begin: the base was outside the bounds or in an obstacle.`;
    setText(line, [some, still ? words : ""].filter(Boolean).join(" "));
    line.hidden = !line.textContent;
  });
  return line;
}

/** The designs of the run as radio buttons. */
export function designList() {
  const rows = el("div", { class: "designs" });
  const group = el("fieldset", { id: "designs" }, el("legend", {}, "Designs"), rows);
  subscribe(["run"], () => {
    const designs = state.run?.designs ?? [];
    group.hidden = designs.length < 2;
    rows.replaceChildren(...designs.map(rowOf));
  });
  subscribe(["run", "design"], () => {
    for (const input of rows.querySelectorAll("input")) input.checked = input.value === state.design;
  });
  return group;
}

function rowOf(/** @type {Design} */ { id, title, actuators, length, success, jumps, missed }) {
  const facts = [actuatorsWords(actuators), lengthWords(length)];
  if (success) facts.push(`${percent(success.reached / success.trials)} %`);
  const input = el("input", { type: "radio", name: "design", value: id, checked: id === state.design, onchange: () => chooseDesign(id) });
  const mark = jumps && el("span", { class: "tag", title: "The tube jumps to another side on its way: this is less certain" }, "after a jump");
  const miss = missed ? el("span", { class: "tag bad", title: "Even if everything is as planned" }, missed) : null;
  return el("label", { class: "design" }, input, el("span", { class: "name" }, title), el("span", { class: "quiet" }, facts.join(", ")), mark, miss);
}

/** Buttons that open the panels about the design. */
export function nextButtons() {
  const button = (/** @type {string} */ panel, /** @type {string} */ name, /** @type {string} */ title) =>
    el("button", { type: "button", id: `next-${panel}`, title, onclick: () => goTo(panel) }, name);
  const row = el(
    "div", { id: "next", class: "row next", role: "group", "aria-label": "What next" },
    button("look", "Look", "The growth as a film, pressures, contact forces"), button("trust", "Trust", "Trials with errors"),
    button("make", "Make", "Pattern, cut list and files"),
  );
  subscribe(["run"], () => (row.hidden = !state.run));
  return row;
}

function goTo(/** @type {string} */ panel) {
  set({ panel });
  document.getElementById(`tab-${panel}`)?.focus();
}

/** A quiet line if the drawing or the tube differs from the run. */
export function changedLine(/** @type {string} */ id) {
  const line = el("p", { id, class: "quiet changed" });
  subscribe(["run", "doc", "tube"], () => {
    const [drawing, tube] = [hasChanged(), hasOtherTube()];
    const what = drawing && tube ? "The drawing and the tube have" : drawing ? "The drawing has" : "The tube has";
    line.hidden = !drawing && !tube;
    setText(line, line.hidden ? "" : `${what} changed since this plan.`);
  });
  return line;
}

/** Notice that a panel shows instead of its content while there is no run. */
export function emptyNotice(/** @type {HTMLElement} */ content) {
  const line = el("p", { class: "quiet nothing" }, "Plan first, or open a run.");
  const go = el("button", { type: "button", onclick: () => goTo("plan") }, "Go to Plan");
  const empty = el("div", {}, line, go);
  subscribe(["run"], () => {
    empty.hidden = Boolean(state.run);
    content.hidden = !state.run;
  });
  return empty;
}

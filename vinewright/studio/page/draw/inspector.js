/** The panel of the drawing: numbers of what is selected, else of the environment. It is built again only when its fields change. */

import { byId, el } from "../dom.js";
import { set, state, subscribe } from "../store.js";
import { backgroundPart } from "./background_panel.js";
import { problemObject } from "./check.js";
import { boundsPart, environmentPart, goalPart, startPart } from "./environment_panel.js";
import { live, whenShown } from "./live.js";
import { filterExisting } from "./shapes.js";
import { arrangePart, lockedPart } from "./arrange_panel.js";
import { shapePart } from "./shape_panel.js";
import { nameOf, withoutAside } from "./words.js";

/** @typedef {import("./fields.js").Field} Field */
/** @typedef {import("./environment_panel.js").Part} Part */

/** @type {Record<string, () => Part>} */
const POSES = { start: startPart, goal: goalPart, bounds: boundsPart };

/** @type {Field[]} */
let fields = [];
let signature = "";

/** Fill the panel, and keep it up to date. */
export function mountInspector() {
  subscribe(["doc", "selection", "unit", "check", "tool", "background", "panel"], refresh);
  let { picks } = live;
  whenShown(() => {
    if (live.picks === picks) return;
    picks = live.picks;
    refresh();
  });
}

/** Put the focus on the first field of the panel. */
export function focusFirstField() {
  set({ panel: "draw" });
  // The panel is shown after this event.
  setTimeout(() => byId("panel-draw", HTMLElement).querySelector("input")?.select());
}

function refresh() {
  if (state.panel !== "draw") return;
  const ids = filterExisting(state.doc, state.selection);
  const next = signatureOf(ids);
  if (next !== signature) {
    signature = next;
    rebuild(ids);
  }
  for (const field of fields) field.update();
}

/** Return a text that changes when the panel needs other fields. */
function signatureOf(/** @type {(number | string)[]} */ ids) {
  const { doc, unit, tool, background } = state;
  const only = ids.length === 1 ? doc.shapes.find((shape) => shape.id === ids[0]) : null;
  const number = ids.length === 1 ? nameOf(doc, ids[0]) : ids.some((id) => typeof id === "string");
  const grouped = doc.shapes.some((shape) => shape.group !== null && ids.includes(shape.id));
  const picture = [tool === "background", background?.src, live.picks?.length];
  return JSON.stringify([ids.length === 1 ? ids : ids.length, number, only?.corners.length, Boolean(only?.row[4]) && only?.kind === "box", only?.locked, grouped, unit, picture]);
}

function rebuild(/** @type {(number | string)[]} */ ids) {
  const panel = byId("panel-draw", HTMLElement);
  const focused = focusKey(panel);
  const { nodes, fields: made } = partOf(ids);
  fields = made;
  panel.replaceChildren(...nodes);
  if (focused !== null) restore(panel, focused);
}

/** @returns {Part} */
function partOf(/** @type {(number | string)[]} */ ids) {
  if (state.tool === "background") return backgroundPart();
  const notes = noteField(ids);
  const { head, parts } = !ids.length ? buildEnvironment() : ids.length > 1 ? buildSeveral(ids) : buildSingle(ids[0]);
  return {
    fields: [notes, ...parts.flatMap((part) => part.fields)],
    nodes: [...(head ? [head] : []), notes.element, ...parts.flatMap((part) => part.nodes)],
  };
}

/** @returns {{head: Node | null, parts: Part[]}} */
function buildEnvironment() {
  return { head: null, parts: state.background ? [environmentPart(), backgroundPart()] : [environmentPart()] };
}

/** @returns {{head: Node, parts: Part[]}} */
function buildSeveral(/** @type {(number | string)[]} */ ids) {
  return { head: el("h2", {}, `${ids.length} objects`), parts: [arrangePart(ids.some((id) => typeof id === "number"))] };
}

/** @returns {{head: Node, parts: Part[]}} */
function buildSingle(/** @type {number | string} */ id) {
  const head = el("h2", { class: "object-name" }, nameOf(state.doc, id));
  const shape = state.doc.shapes.find((one) => one.id === id);
  if (!shape) return { head, parts: [POSES[id]()] };
  return { head, parts: shape.locked ? [lockedPart()] : [shapePart(shape), arrangePart(true)] };
}

/** Show the fault of the selected object, or of the environment, and the hints. @returns {Field} */
function noteField(/** @type {(number | string)[]} */ ids) {
  const element = el("div", { class: "notes" });
  let before = "";
  return {
    element,
    update() {
      const { check } = state;
      const wrong = problemObject();
      const message = check?.problem && wrong !== null && (!ids.length || ids.includes(wrong)) ? withoutAside(check.problem.message) : "";
      const hints = ids.length ? [] : check?.hints ?? [];
      if (before === JSON.stringify([message, hints])) return;
      before = JSON.stringify([message, hints]);
      element.replaceChildren(...hints.map((hint) => el("p", { class: "note" }, hint)));
      if (message) element.prepend(el("p", { class: "note error" }, message));
    },
  };
}

// ---- the focus survives that fields are built again ----

/** Return the name of the focused control of the panel, or null. */
function focusKey(/** @type {HTMLElement} */ panel) {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement) || !panel.contains(activeElement)) return null;
  return nameOfControl(activeElement);
}

function nameOfControl(/** @type {Element} */ control) {
  const label = control.closest("label")?.querySelector(".name")?.textContent;
  return control.getAttribute("aria-label") ?? label ?? control.textContent;
}

function restore(/** @type {HTMLElement} */ panel, /** @type {string | null} */ name) {
  const controls = [...panel.querySelectorAll("input, select, textarea, button")];
  const found = controls.find((control) => nameOfControl(control) === name && !control.hasAttribute("disabled"));
  if (found instanceof HTMLElement) found.focus();
  else byId("stage", HTMLElement).focus({ preventScroll: true });
}

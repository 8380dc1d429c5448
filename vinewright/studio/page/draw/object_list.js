/** The list of all objects; a click selects one, arrows go through it. Long lists show their beginning first. */

import { el } from "../dom.js";
import { set, state } from "../store.js";
import { problemObject } from "./check.js";
import { live, show } from "./live.js";
import { namesOf } from "./words.js";

/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("./fields.js").Field} Field */

const CHUNK = 100; // rows that are added at a time

let shown = CHUNK;

/** @returns {Field} */
export function objectList() {
  const list = el("div", { class: "objects", role: "group", "aria-label": "Objects", onkeydown: handleKey });
  /** @type {readonly Shape[] | null} */
  let before = null;
  /** @type {number | string | null} */
  let wrong = null;
  const update = () => {
    if (before === state.doc.shapes && wrong === problemObject()) return;
    before = state.doc.shapes;
    wrong = problemObject();
    fill(list);
  };
  list.addEventListener("pointerleave", () => show({ hover: null }));
  return { element: list, update };
}

function fill(/** @type {HTMLElement} */ list) {
  const { shapes } = state.doc;
  const names = namesOf(shapes);
  const wrong = problemObject();
  /** @type {[number | string, string][]} */
  const rows = [["start", "start"], ["goal", "goal"], ["bounds", "bounds"], ...[...names].slice(0, shown)];
  list.replaceChildren(
    ...rows.map(([id, name], k) => {
      const point = () => live.hover !== id && show({ hover: id });
      const choose = () => set({ tool: "select", selection: new Set([id]) });
      const row = el(
        "button",
        { type: "button", class: "object-row", "data-row": id, tabindex: k ? -1 : 0, onclick: choose },
        name,
      );
      row.addEventListener("pointerenter", point);
      row.addEventListener("focus", point);
      const shape = shapes[k - 3];
      if (shape?.hidden || shape?.locked) row.append(el("span", { class: "quiet" }, shape.hidden ? "hidden" : "locked"));
      if (id === wrong) row.append(el("span", { class: "wrong-mark" }, "wrong"));
      return row;
    }),
  );
  const more = shapes.length - shown;
  if (more > 0) {
    const grow = () => {
      shown += CHUNK;
      fill(list);
    };
    const text = `${Math.min(more, CHUNK)} more of ${more}`;
    list.append(el("button", { type: "button", class: "more", tabindex: -1, onclick: grow }, text));
  }
}

function handleKey(/** @type {KeyboardEvent} */ event) {
  const list = event.currentTarget;
  if (!(list instanceof HTMLElement)) return;
  const rows = [...list.querySelectorAll("button")];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (next === undefined || !rows[next]) return;
  rows[at].tabIndex = -1;
  rows[next].tabIndex = 0;
  rows[next].focus();
  event.preventDefault();
}

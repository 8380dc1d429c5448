/** The live checks: the drawing goes to the server shortly after each change, and its answer is shown at the thing that is wrong. */

import { addHandler, post } from "../api.js";
import { byId, el } from "../dom.js";
import { set, state, subscribe } from "../store.js";
import { besideNow } from "./beside.js";
import { keepDrawing } from "./keeping.js";
import { contentOf, LISTS, originsOf } from "./shapes.js";
import { shownName, withoutAside } from "./words.js";

/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("../types.js").Kind} Kind */
/** @typedef {{doc: Doc, tube: unknown, text: string, unit: string}} Asked */

const DELAY = 150; // after the last change [ms]

/** @type {Asked | null} */
let answered = null;
let asking = false;
let failed = false;
let notKept = false;
let timer = 0;
/** @type {(() => void)[]} */
let waiting = [];
/** @type {number | string | null} */
let problem = null;

/** Check the drawing after each change of it or of the tube. */
export function mountCheck() {
  // What was saved is asked about as well: the server remembers it for a page that is opened again.
  subscribe(["doc", "tube", "text", "saved", "file", "unit", "background", "options", "run", "design"], askSoon);
  subscribe(["check"], showProblem);
  // A check that failed is made up for.
  addHandler("connected", () => {
    if (!isFresh()) askSoon();
  });
}

function askSoon() {
  clearTimeout(timer);
  timer = setTimeout(ask, DELAY);
}

/** Object with the fault: the id of a shape, "start", "goal", "bounds", or otherwise "environment"; null without a fault. */
export function problemObject() {
  return state.check?.problem ? problem : null;
}

/** Return whether the answer that is shown is about the drawing as it is now. */
export function isFresh() {
  return Boolean(state.check && answered && isCurrent(answered));
}

/** Wait until the drawing as it is now has been checked; false if the server does not answer. */
export async function freshCheck() {
  for (let tries = 0; tries < 20 && !isFresh(); tries += 1) {
    clearTimeout(timer);
    const next = new Promise((resolve) => waiting.push(() => resolve(null)));
    ask();
    await next;
    if (failed) break;
  }
  return isFresh();
}

function isCurrent(/** @type {Asked} */ asked) {
  return asked.doc === state.doc && asked.tube === state.tube && asked.text === state.text && asked.unit === state.unit;
}

/** Ask, one request at a time: while one is under way, changes only make the next one newer. */
async function ask() {
  if (asking) return;
  asking = true;
  const { doc, tube, text, saved, file, id } = state;
  const asked = { doc, tube, text, unit: state.unit };
  const beside = besideNow();
  keepDrawing();
  try {
    const [content, origins, name] = [contentOf(doc), originsOf(doc), shownName()];
    const request = { text, content, origins, tube: tube?.content ?? {}, saved, file, name, id, unit: state.unit, beside };
    const check = await post("/api/check", request);
    failed = false;
    if (isCurrent(asked)) {
      answered = asked;
      problem = check.problem ? objectOf(check.problem.key, doc) : null;
      // While something is wrong the marks of passages stay as they were.
      set({ check: check.problem ? { ...check, passages: state.check?.passages ?? [] } : check });
      if (check.not_kept && !notKept) set({ message: check.not_kept });
      notKept = Boolean(check.not_kept);
    }
  } catch (error) {
    failed = true;
    set({ message: error instanceof Error ? error.message : String(error) });
  }
  asking = false;
  const told = waiting;
  waiting = [];
  for (const tell of told) tell();
  if (!isCurrent(asked) || JSON.stringify(besideNow()) !== JSON.stringify(beside)) askSoon();
}

/** The object that a key of the file belongs to. */
function objectOf(/** @type {string} */ key, /** @type {Doc} */ doc) {
  const list = /^obstacles\.(\w+)\[(\d+)\]/.exec(key);
  if (list) {
    const kind = /** @type {Kind[]} */ (Object.keys(LISTS)).find((one) => LISTS[one] === list[1]);
    const shape = doc.shapes.filter((one) => one.kind === kind)[Number(list[2])];
    return shape?.id ?? "environment";
  }
  const table = key.split(".")[0];
  return ["start", "goal", "bounds"].includes(table) ? table : "environment";
}

function showProblem() {
  const place = byId("problem", HTMLElement);
  const message = withoutAside(state.check?.problem?.message ?? "");
  if (place.textContent === message) return;
  place.replaceChildren();
  if (!message) return;
  const title = `${message} (click: show it)`;
  place.append(el("button", { type: "button", class: "problem-line", title, onclick: showObject }, message));
}

function showObject() {
  const id = problemObject();
  set({ panel: "draw", tool: "select", selection: new Set(id === null || id === "environment" ? [] : [id]) });
}

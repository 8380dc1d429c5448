/** The runs: their list, opening one, and showing the one that a plan has made. */

import { attempt, get, post } from "../api.js";
import { fetchRun } from "../draw/beside.js";
import { openShipped, recent } from "../draw/files.js";
import { byId, el } from "../dom.js";
import { set, state, subscribe } from "../store.js";
import { messageOf } from "./parts.js";
import { focusOn, runRow } from "./runrow.js";
import { stateOfRun, WITHOUT_RUN } from "./shown.js";

/** @typedef {import("./runrow.js").Row} Row */

const list = el("div", { id: "runs", class: "runs" });
const unfinished = el("div", { id: "unfinished", hidden: true });
let opening = "";
let redraw = () => {};

/** The list of runs. */
export function runList() {
  subscribe(["run"], () => redraw());
  subscribe(["panel"], () => {
    if (state.panel === "plan") refreshRuns();
  });
  return el("div", {}, list, unfinished);
}

/** Ask for the list again. */
export async function refreshRuns() {
  try {
    const [rows, commands] = await Promise.all([get("/api/runs"), get("/api/unfinished")]);
    showList(rows);
    showUnfinished(commands);
  } catch (error) {
    list.replaceChildren(el("p", { class: "error" }, messageOf(error)));
  }
}

/** Show the list; what had the focus keeps it. */
function showList(/** @type {Row[]} */ rows) {
  const focused = list.contains(document.activeElement) ? document.activeElement?.getAttribute("data-focus") : null;
  redraw = () => showList(rows);
  const made = rows.map((row) => runRow(row, { open: () => openRun(row.name), redraw, refresh: refreshRuns }));
  list.replaceChildren(...(rows.length ? made : [el("p", { class: "quiet" }, "None yet. Those of the command line appear here, too.")]));
  markShownRun();
  if (focused) focusOn(focused);
}

/** Show the commands that go on with plans that were killed. */
function showUnfinished(/** @type {string[]} */ commands) {
  unfinished.hidden = !commands.length;
  const lines = commands.map((command) => el("li", {}, el("code", {}, command)));
  unfinished.replaceChildren(el("p", { class: "quiet" }, "Ended without a design; in a terminal, these go on with them:"), el("ul", {}, ...lines));
}

/** Follow a run that was renamed, or deleted: `now` is then null. */
export function followRun(/** @type {{gone: string, now: string | null}} */ { gone, now }) {
  const { run, design, compared } = state;
  for (const one of recent) if (one.run?.name === gone) one.run = now === null ? null : { ...one.run, name: now };
  if (run?.name === gone) set(now === null ? WITHOUT_RUN : { ...stateOfRun({ ...run, name: now }), design });
  if (compared?.name === gone) set({ compared: now === null ? null : { ...compared, name: now } });
  if (state.panel === "plan") refreshRuns();
}

function markShownRun() {
  for (const button of list.querySelectorAll("[data-run]")) {
    const name = button.getAttribute("data-run");
    if (name === state.run?.name) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    button.toggleAttribute("aria-busy", name === opening);
  }
}

/** Open a run from the list, with its drawing and its tube. */
export function openRun(/** @type {string} */ name) {
  opening = name;
  markShownRun();
  return attempt(async () => {
    try {
      const run = await fetchRun(name);
      const tube = await post("/api/tube", { content: run.tube });
      if (opening !== name) return; // another one was chosen in the meantime
      // It keeps a drawing that was not saved, as with a shipped environment.
      openShipped({ name: run.content.name || name, content: run.content, text: run.text }, { ...stateOfRun(run), options: run.again, tube });
      // After its options are shown above the result: the browser would scroll by their height.
      queueMicrotask(() => (byId("panel-plan", HTMLElement).scrollTop = 0));
    } finally {
      if (opening === name) opening = "";
      markShownRun();
    }
  });
}

/** Show the run that a plan of this drawing has made; the drawing stays as it is. */
export function showRun(/** @type {string} */ name) {
  const { id } = state;
  return attempt(async () => {
    const run = await fetchRun(name);
    if (state.id === id) set(stateOfRun(run));
    await refreshRuns();
  });
}

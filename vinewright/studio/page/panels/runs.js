/** The runs: their list, opening one, and showing the one that a plan has made. */

import { attempt, get, post } from "../api.js";
import { fetchRun } from "../draw/beside.js";
import { openShipped } from "../draw/files.js";
import { byId, el } from "../dom.js";
import { set, state, subscribe } from "../store.js";
import { messageOf } from "./parts.js";
import { stateOfRun } from "./shown.js";
import { actuatorsWords, dateWords, lengthWords, percent } from "./words.js";

/** @typedef {import("../types.js").Success} Success */
/** @typedef {{name: string, environment: string, actuators: number, length: number, success: Success | null, changed: string}} Row */

const list = el("div", { id: "runs", class: "runs" });
let opening = "";

/** The list of runs. */
export function runList() {
  subscribe(["run"], markShownRun);
  subscribe(["panel"], () => {
    if (state.panel === "plan") refreshRuns();
  });
  return list;
}

/** Ask for the list again. */
export async function refreshRuns() {
  try {
    const rows = /** @type {Row[]} */ (await get("/api/runs"));
    const focused = document.activeElement?.getAttribute("data-run");
    list.replaceChildren(...(rows.length ? rows.map(rowOf) : [el("p", { class: "quiet" }, "None yet. Those of the command line appear here, too.")]));
    markShownRun();
    if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[data-run="${CSS.escape(focused)}"]`))?.focus();
  } catch (error) {
    list.replaceChildren(el("p", { class: "error" }, messageOf(error)));
  }
}

function rowOf(/** @type {Row} */ { name, environment, actuators, length, success, changed }) {
  const facts = `${actuatorsWords(actuators)}, ${lengthWords(length)}${success ? `, ${percent(success.reached / success.trials)} %` : ""}`;
  return el(
    "button",
    { type: "button", class: "run", "data-run": name, title: `Open ${name}, a plan in ${environment}`, onclick: () => openRun(name) },
    el("span", { class: "name" }, name),
    el("span", { class: "quiet" }, dateWords(changed)),
    el("span", { class: "facts-line" }, facts),
  );
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
      openShipped({ name: run.content.name || name, content: run.content, text: run.text }, { ...stateOfRun(run), options: run.options, tube });
      byId("panel-plan", HTMLElement).scrollTop = 0; // where the result is
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

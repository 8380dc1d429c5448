/** What was measured of the design that was built, what is learnt from it, and how it is adapted: requests, and what the server sends. */

import { get, post } from "../api.js";
import { set, state, subscribe } from "../store.js";
import { askJob, endJob } from "./jobs.js";
import { messageOf } from "./parts.js";

/** @typedef {import("../types.js").BuiltView} BuiltView */
/** @typedef {import("../types.js").Learning} Learning */
/** @typedef {import("../types.js").Adapting} Adapting */
/** @typedef {import("./trials.js").Errors} Errors */
/** @typedef {"learn" | "adapt"} Kind */
/** @typedef {{reached: boolean | null, tip_mm: import("../types.js").Point | null, length_mm: number | null, note: string}} GrowthMeasured */
/** @typedef {{section: number, pressure_kpa: number, bend_deg: number}} BendMeasured */

/** Jobs that were asked for and whose first event has not come, and why the last ones failed. */
export const asked = { learn: false, adapt: false, keep: false, faults: { learn: "", adapt: "", keep: "" }, stopping: { learn: false, adapt: false } };

/** Ask for what was measured of each run that is shown. */
export function mountBuilt() {
  let name = /** @type {string | undefined} */ (undefined);
  subscribe(["run"], () => {
    if (state.run?.name === name) return;
    name = state.run?.name;
    Object.assign(asked.faults, { learn: "", adapt: "", keep: "" });
    refreshBuilt();
  });
}

/** Ask for what was measured of the run that is shown. */
export async function refreshBuilt() {
  const name = state.run?.name;
  if (name === undefined) return;
  const found = await get(`/api/runs/${encodeURIComponent(name)}/built`).catch(() => null);
  if (state.run?.name === name) set({ built: found });
}

/** Refresh the view if an event is about the run that is shown. */
export function noteMeasured(/** @type {string} */ run) {
  if (state.run?.name === run) refreshBuilt();
}

/** What was measured, if it is of the design that is shown. @returns {BuiltView | null} */
export function builtOf() {
  const { built, design } = state;
  return built?.designs.includes(design) ? built : null;
}

/** What is or was learnt of the design that is shown. */
export function shownLearning() {
  return ofShown(state.learning);
}

/** The search of changes of the design that is shown. */
export function shownAdapting() {
  return ofShown(state.adapting);
}

/**
 * @template {{run: string, design: string}} Part
 * @param {Part | null} part
 */
function ofShown(part) {
  return part && part.run === state.run?.name && part.design === state.design ? part : null;
}

/** Add a measurement; returns notes on what is unlikely. @returns {Promise<string[]>} */
export async function addMeasured(/** @type {{growth?: GrowthMeasured, bend?: BendMeasured}} */ measured) {
  const { run, design } = state;
  const { notes } = await post("/api/measured", { run: run?.name, design, ...measured });
  await refreshBuilt();
  return notes;
}

/** Remove a measurement, by its place in the list from 0. */
export async function removeMeasured(/** @type {number} */ place) {
  const { run, design, built } = state;
  const item = built?.items[place];
  if (!item) return;
  await post("/api/measured/remove", { run: run?.name, design, number: place + 1, item: `${item.what}: ${item.words}` });
  await refreshBuilt();
}

// ---- jobs ----

/** Return whether a job is under way. */
export function isWorking(/** @type {Kind} */ kind) {
  const part = kind === "learn" ? shownLearning() : shownAdapting();
  return asked[kind] || part?.busy === true;
}

/** Ask for a job about the design that is shown. */
export async function startBuilt(/** @type {Kind | "keep"} */ kind, /** @type {object} */ content) {
  const { run, design } = state;
  if (!run || asked[kind]) return;
  asked[kind] = true;
  asked.faults[kind] = "";
  if (kind === "learn") set({ learning: null });
  if (kind === "adapt") set({ adapting: null });
  notifyChange();
  try {
    await askJob(kind === "keep" ? "adapt/keep" : kind, { run: run.name, design, ...content }, (message) => noteFailure(kind, message));
  } catch (error) {
    noteFailure(kind, messageOf(error));
  }
}

/** Stop a job. */
export async function stopBuilt(/** @type {Kind} */ kind) {
  asked.stopping[kind] = true;
  notifyChange();
  try {
    await post("/api/stop", { what: kind });
  } catch (error) {
    noteFailure(kind, messageOf(error));
  }
}

function noteFailure(/** @type {Kind | "keep"} */ kind, /** @type {string} */ message) {
  asked[kind] = false;
  asked.faults[kind] = message;
  if (kind !== "keep") asked.stopping[kind] = false;
  if (kind === "learn" && state.learning?.busy) set({ learning: null });
  if (kind === "adapt" && state.adapting?.busy) set({ adapting: { ...state.adapting, busy: false, stopped: true } });
  notifyChange();
}

/** Stop waiting for jobs: the connection was lost. */
export function forgetBuilt() {
  for (const kind of /** @type {const} */ (["learn", "adapt", "keep"])) if (asked[kind]) noteFailure(kind, "");
}

/** Receive what is learnt. */
export function receiveLearning(/** @type {{job: number, learning: Learning}} */ { job, learning }) {
  asked.learn = false;
  if (!learning.busy) {
    endJob(job);
    asked.stopping.learn = false;
  }
  set({ learning });
}

/** Receive proposals; one that was chosen stays chosen, else the best so far is. */
export function receiveAdapting(/** @type {{job: number, adapting: Omit<Adapting, "chosen" | "picked" | "kept">}} */ { job, adapting }) {
  asked.adapt = false;
  if (!adapting.busy) {
    endJob(job);
    asked.stopping.adapt = false;
  }
  const before = state.adapting?.search === adapting.search ? state.adapting : null;
  const chosen = before?.picked ? before.chosen : adapting.proposals.length ? adapting.best : null;
  set({ adapting: { ...adapting, chosen, picked: before?.picked ?? false, kept: before?.kept ?? null } });
}

/** Receive the folder of a proposal. */
export function receiveKept(/** @type {{job: number, kept: {search: number, folder: string, path: string}}} */ { job, kept }) {
  asked.keep = false;
  endJob(job);
  if (state.adapting?.search === kept.search) set({ adapting: { ...state.adapting, kept } });
  notifyChange();
}

/** Choose a proposal. */
export function chooseProposal(/** @type {number} */ chosen) {
  if (state.adapting) set({ adapting: { ...state.adapting, chosen, picked: true, kept: null } });
}

function notifyChange() {
  for (const listener of listeners) listener();
}

/** @type {(() => void)[]} */
const listeners = [];

/** Call a listener after each change of `asked`. */
export function whenBuilt(/** @type {() => void} */ listener) {
  listeners.push(listener);
}

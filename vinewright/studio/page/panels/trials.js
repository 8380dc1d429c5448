/** Trials with errors: asking the server for them, and what it sends. */

import { post, Refused } from "../api.js";
import { set, state } from "../store.js";
import { askJob, endJob } from "./jobs.js";
import { messageOf } from "./parts.js";
import { shownTrials } from "./shown.js";

/** @typedef {{preset: string, numbers: Record<string, number | [number, number]>, learnt: boolean}} Errors */

const DELAY = 250; // after the last move of a slider [ms]
const AGAIN = 500; // when the server still works on earlier trials [ms]
const SEED = 0; // the same errors each time, so that only the sliders change the result

/** State of the request for trials. @type {{message: string, waiting: boolean}} */
export const request = { message: "", waiting: false };

let timer = 0;
/** The trials that were asked for last: earlier ones are replaced. */
let newest = 0;
/** @type {{errors: () => Errors, count: () => number}} */
let source = { errors: () => ({ preset: "workshop", numbers: {}, learnt: false }), count: () => 200 };

/** Take the errors and the number of trials from the panel. */
export function setSource(/** @type {typeof source} */ given) {
  source = given;
}

/** Make trials with the errors of the panel, once they have not changed for a moment. */
export function trySoon(delay = DELAY) {
  clearTimeout(timer);
  request.waiting = true;
  timer = setTimeout(tryNow, delay);
  notifyChange();
}

async function tryNow() {
  const { run, design } = state;
  timer = 0;
  if (!run) return;
  request.message = "";
  const content = { run: run.name, design, errors: source.errors(), trials: source.count(), seed: SEED };
  let mine = 0;
  try {
    await askJob("trials", content, (message) => void (mine === newest && noteFailure(message)), (job) => (newest = mine = job));
  } catch (error) {
    if (error instanceof Refused && error.status === 409) return trySoon(AGAIN);
    noteFailure(messageOf(error));
  }
}

/** Stop the trials under way; trials that were made stay. */
export async function stopTrials() {
  forgetTrials();
  try {
    await post("/api/stop", { what: "look" });
  } catch (error) {
    noteFailure(messageOf(error));
  }
}

/** Stop waiting for trials; trials that were made stay. */
export function forgetTrials() {
  clearTimeout(timer);
  timer = 0;
  request.waiting = false;
  if (state.trials?.busy) set({ trials: { ...state.trials, busy: false } });
  notifyChange();
}

function noteFailure(/** @type {string} */ message) {
  request.message = message;
  forgetTrials();
}

function notifyChange() {
  set({ trials: state.trials ? { ...state.trials } : null });
  for (const listener of listeners) listener();
}

/** @type {(() => void)[]} */
const listeners = [];

/** Call a listener after each change of `request`. */
export function whenRequested(/** @type {() => void} */ listener) {
  listeners.push(listener);
}

/** Receive trials of an event; they follow the trials of earlier events. */
export function receiveTrials(/** @type {any} */ { job, first, run, design, busy, reached, lines, success, asked, weakest, influences }) {
  if (!busy) endJob(job);
  if (job < newest) return; // they were replaced
  newest = job;
  const before = state.trials;
  if (!first && (before?.run !== run || before?.design !== design)) return;
  if (first && !timer) request.waiting = false;
  set({ trials: { run, design, busy, reached, lines: [...(first || !before ? [] : before.lines), ...lines], success, asked, weakest, influences } });
}

/** Numbers of the trials that are shown. */
export function countsOf() {
  const reached = shownTrials()?.reached ?? [];
  const good = reached.filter(Boolean).length;
  return { good, bad: reached.length - good };
}

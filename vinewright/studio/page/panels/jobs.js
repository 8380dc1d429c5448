/**
 * Requests of this tab to the server's processes for all but plans. The server answers each request with the number of a job, and puts the number
 * into every event about it: events about the jobs of other tabs are left out here. An event may come before the answer with its
 * number; it waits for that.
 */

import { post } from "../api.js";
import { loadStored, store } from "../kept.js";

/** @typedef {{job: number, [key: string]: any}} JobEvent */
/** @typedef {{event: JobEvent, handle: (event: any) => void}} Early */

const KEY = "jobs";
const MOST = 200; // numbers that are kept

/** The jobs that this tab asked for, also before the page was loaded again. @type {Set<number>} */
const own = new Set(loadStored(KEY) ?? []);
/** Callbacks for failed jobs, by the number of the job. @type {Map<number, (message: string) => void>} */
const waiting = new Map();
/** Events of jobs that may be ours: a request is under way. @type {Early[]} */
let early = [];
let asking = 0;

/**
 * Ask for a job.
 * @param {"look" | "trials" | "pack" | "learn" | "adapt" | "adapt/keep"} kind
 * @param {unknown} content
 * @param {(message: string) => void} failed called if the job fails, not if the request is refused
 * @param {(job: number) => void} [begun] called with its number, before its first event is handled
 */
export async function askJob(kind, content, failed, begun) {
  asking += 1;
  let job = /** @type {number | null} */ (null);
  try {
    job = /** @type {number} */ ((await post(`/api/${kind}`, content)).job);
    own.add(job);
    store(KEY, [...own].slice(-MOST));
    waiting.set(job, failed);
    begun?.(job);
  } finally {
    asking -= 1;
    const held = early.filter(({ event }) => event.job === job);
    early = asking ? early.filter(({ event }) => event.job !== job) : [];
    for (const { event, handle } of held) handle(event);
  }
}

/** Handle an event if it is about a job that this tab asked for. */
export function whenOwn(/** @type {JobEvent} */ event, /** @type {(event: any) => void} */ handle) {
  if (own.has(event.job)) handle(event);
  else if (asking) early.push({ event, handle });
}

/** Note that a job has ended: it cannot fail any more. */
export function endJob(/** @type {number} */ job) {
  waiting.delete(job);
}

/** Pass a failure on; returns whether the job has a callback. */
export function failJob(/** @type {number} */ job, /** @type {string} */ message) {
  const failed = waiting.get(job);
  waiting.delete(job);
  failed?.(message);
  return failed !== undefined;
}

/** Stop waiting for all jobs: the connection was lost, and with it perhaps the messages that they ended. */
export function forget() {
  waiting.clear();
}

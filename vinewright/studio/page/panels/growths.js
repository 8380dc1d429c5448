/** Growths of the shown designs: the wanted growths, the growths so far, and the requests for missing growths, one at a time. */

import { distance } from "../draw/geometry.js";
import { set, state } from "../store.js";
import { askJob } from "./jobs.js";
import { messageOf } from "./parts.js";
import { live } from "./shown.js";

/** @typedef {import("../types.js").Growth} Growth */
/** @typedef {import("../types.js").Point} Point */

/** @type {{propagators: string[], busy: string | null, failed: Map<string, string>}} */
export const looks = {
  propagators: ["quasistatic"], // in the order of the server's list
  busy: null, // key of the growth under way
  failed: new Map(), // messages of growths that failed, by their keys
};

/** Unique key of a growth. */
export function keyOf(/** @type {{run: string, design: string, propagator: string}} */ { run, design, propagator }) {
  return `${run}/${design}/${propagator}`;
}

/** The growths that are to be shown, the main one first. */
export function wantedGrowths() {
  const { run, design, other } = state;
  if (!run) return [];
  const designs = other && other !== design ? [design, other] : [design];
  return designs.flatMap((id) => looks.propagators.map((propagator) => ({ run: run.name, design: id, propagator })));
}

/** Growth of a design with a propagator, or null. */
export function growthOf(/** @type {{run: string, design: string, propagator: string}} */ one) {
  return state.growths.find((growth) => keyOf(growth) === keyOf(one)) ?? null;
}

/** The growths that are shown, the main one first. @returns {Growth[]} */
export function shownGrowths() {
  if (state.panel !== "look") return [];
  return wantedGrowths().map(growthOf).filter((growth) => growth !== null && growth.joints.length > 0).map((growth) => /** @type {Growth} */ (growth));
}

/** Grown length at the end of the longest growth that is shown [mm]. */
export function longestGrowth() {
  return Math.max(0, ...shownGrowths().map(({ lengths }) => lengths[lengths.length - 1]));
}

/** Index of the record that a growth has at the time of the film. */
export function recordOf(/** @type {Growth} */ { lengths, joints }) {
  const most = Math.min(lengths.length, joints.length) - 1;
  if (state.time >= lengths[most]) return most;
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (lengths[middle] <= state.time) low = middle;
    else high = middle;
  }
  return low;
}

/** Grown length at the middle of a segment: all segments are equally long on the film, however they are bent. */
export function lengthAt(/** @type {Point[]} */ joints, /** @type {number} */ segment) {
  const long = Number(state.run?.tube.segment_length_mm);
  if (long > 0) return (segment + 0.5) * long;
  let sum = distance(joints[segment], joints[segment + 1]) / 2;
  for (let k = 0; k < segment; k += 1) sum += distance(joints[k], joints[k + 1]);
  return sum;
}

/** Ask for the next growth that is missing. */
export async function askNext() {
  if (state.panel !== "look" || looks.busy || live.lost) return;
  const next = wantedGrowths().find((one) => !growthOf(one) && !looks.failed.has(keyOf(one)));
  if (!next) return;
  const key = keyOf(next);
  looks.busy = key;
  notifyChange();
  try {
    await askJob("look", next, (message) => noteRefusal(key, message));
  } catch (error) {
    noteRefusal(key, messageOf(error));
  }
}

function noteRefusal(/** @type {string} */ key, /** @type {string} */ message) {
  looks.failed.set(key, message);
  if (looks.busy === key) looks.busy = null;
  notifyChange();
}

/** Receive a growth. */
export function receiveGrowth(/** @type {Growth} */ growth) {
  looks.failed.delete(keyOf(growth));
  if (looks.busy === keyOf(growth)) looks.busy = null;
  const others = state.growths.filter((one) => keyOf(one) !== keyOf(growth));
  // Those of other runs are of no use.
  set({ growths: [...others, ...(growth.run === state.run?.name ? [growth] : [])] });
}

/** Ask again for growths that failed or may be lost. */
export function askAgain() {
  looks.busy = null;
  looks.failed.clear();
  notifyChange();
}

function notifyChange() {
  set({ growths: [...state.growths] });
}

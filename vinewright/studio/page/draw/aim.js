/** Convert pointer events to points of the drawing, snapped if snapping is on. */

import { state } from "../store.js";
import { size, stage, toDrawing } from "../view.js";
import { distance, minus, roundTo, plus } from "./geometry.js";
import { stayingBoxes } from "./guides.js";
import { live, show } from "./live.js";
import { fineStep, gridStep, snapPoint, targetsOf } from "./snap.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./snap.js").Target} Target */

/**
 * @typedef {object} Press
 * @property {Point} screen on the stage [px]
 * @property {Point} at in the drawing [mm]
 * @property {boolean} shift
 * @property {boolean} alt
 * @property {boolean} free whether the key is held that suspends snapping
 * @property {string | null} handle name of the handle under the pointer when it was pressed
 */

/**
 * @typedef {object} Gesture
 * Actions between pressing and releasing the pointer.
 * @property {(press: Press) => void} move
 * @property {(press: Press, dragged: boolean) => void} done
 * @property {() => void} cancel
 */

/**
 * @typedef {object} Tool
 * @property {string} title
 * @property {string} hotkey
 * @property {string} hint
 * @property {string} cursor
 * @property {(press: Press) => Gesture | null} press
 * @property {(press: Press) => void} [hover]
 * @property {(key: string) => boolean} [typed] a key; returns whether it is used
 * @property {() => void} [finish] a double click
 * @property {() => boolean} [leave] ends what is under way; returns whether it ended anything
 * @property {() => void} [place] make an object of default size in the middle of the view
 */

/** @returns {Press} */
export function pressOf(/** @type {MouseEvent} */ event) {
  const { left, top } = stage.getBoundingClientRect();
  const screen = /** @type {Point} */ ([event.clientX - left, event.clientY - top]);
  const handle = event.target instanceof Element ? event.target.closest("[data-handle]") : null;
  return {
    screen, at: toDrawing(...screen), shift: event.shiftKey, alt: event.altKey, free: event.ctrlKey || event.metaKey,
    handle: handle?.getAttribute("data-handle") ?? null,
  };
}

/** Return whether a press snaps. */
export function snaps(/** @type {Press} */ { free }) {
  return state.snap && !free;
}

/** Points to snap to, without the points of excluded objects. */
export function targets(/** @type {Iterable<number | string>} */ excluded = []) {
  return state.snap ? targetsOf(state.doc, new Set(excluded)) : [];
}

/** The boxes of the objects in view that stay where they are while those of a selection move. */
export function stayingNow(/** @type {Iterable<number | string>} */ moved = []) {
  const { x, y, scale } = state.view;
  const half = /** @type {Point} */ ([size.width / 2 / scale, size.height / 2 / scale]);
  return stayingBoxes(state.doc, new Set(moved), { min: minus([x, y], half), max: plus([x, y], half) });
}

/** Return the point of the drawing that a press means, and mark the target to which it snapped. */
export function snapPress(/** @type {Press} */ press, /** @type {readonly Target[]} */ points = targets()) {
  const snapped = snapPoint(press.at, points, state.view.scale, snaps(press));
  if (snapped.kind !== live.snapped?.kind || String(snapped.at) !== String(live.snapped?.at)) show({ snapped });
  return snapped.at;
}

/** Return a point at the radius that a press means; the radius is rounded unless the press is at another object. @returns {Point} */
export function snapRadius(/** @type {Point} */ centre, /** @type {Press} */ press, /** @type {readonly Target[]} */ points) {
  const at = snapPress(press, points);
  const kind = live.snapped?.kind;
  if (kind !== "grid" && kind !== "none") return at;
  const step = kind === "grid" ? gridStep(state.view.scale) : fineStep(state.view.scale);
  return plus(centre, [roundTo(distance(centre, press.at), step), 0]);
}

let count = 0;

/** A word that no other gesture has: the edits of one gesture are one step of undo. */
export function newWord(/** @type {string} */ name) {
  count += 1;
  return `${name} ${count}`;
}

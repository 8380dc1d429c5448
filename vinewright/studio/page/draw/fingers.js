/** Two fingers on the stage move and zoom the view. */

import { set, state } from "../store.js";
import { movedView } from "../view.js";
import { distance, middle } from "./geometry.js";

/** @typedef {import("../types.js").Point} Point */

/** Positions of the fingers on the stage [px], by pointer. @type {Map<number, Point>} */
const fingers = new Map();
/** The view and the two fingers when the second one was put down. @type {{view: typeof state.view, from: [Point, Point]} | null} */
let pinch = null;

/** Note a finger that is put down; returns whether it is not the only one, so that nothing is dragged. */
export function fingerDown(/** @type {PointerEvent} */ { pointerId, isPrimary }, /** @type {Point} */ at) {
  if (isPrimary) fingers.clear(); // the first one: no other is down, even if it was lifted elsewhere
  fingers.set(pointerId, at);
  const [one, other] = fingers.values();
  pinch = fingers.size === 2 ? { view: state.view, from: [one, other] } : null;
  return fingers.size > 1;
}

/** Note a finger that moves; two of them move and zoom the view. Returns whether there are two. */
export function fingerMove(/** @type {number} */ pointer, /** @type {Point} */ at) {
  if (!fingers.has(pointer)) return false;
  fingers.set(pointer, at);
  if (!pinch) return false;
  const [from, to] = [pinch.from, [...fingers.values()]];
  const factor = distance(to[0], to[1]) / Math.max(distance(from[0], from[1]), 1);
  set({ view: movedView(pinch.view, middle(from[0], from[1]), middle(to[0], to[1]), factor) });
  return true;
}

/** Note a finger that is lifted; the other one drags nothing. */
export function fingerUp(/** @type {number} */ pointer) {
  fingers.delete(pointer);
  pinch = null;
}

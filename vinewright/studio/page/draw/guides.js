/** Alignment with other objects: a movement snaps where edges or centre lines of the selection come onto those of others. Pure. */

import { boxesMeet, joinBoxes, plus } from "./geometry.js";
import { boxOf } from "./outline.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./shapes.js").Ids} Ids */

/**
 * @typedef {object} Guide
 * A line along which two objects are aligned.
 * @property {Point} from
 * @property {Point} to
 * @property {boolean} centre whether it is a centre line
 */

/** @typedef {Box & {isBounds?: boolean}} Staying */

const MOST = 400; // objects in view with which a movement is compared

/** The boxes of the objects in view that stay where they are, the bounds and the goal first. @returns {Staying[]} */
export function stayingBoxes(/** @type {Doc} */ doc, /** @type {Ids} */ moved, /** @type {Box} */ seen) {
  const { goal, bounds } = doc;
  /** @type {Staying[]} */
  const boxes = moved.has("bounds") ? [] : [{ min: bounds.min, max: bounds.max, isBounds: true }];
  const [x, y] = goal.position;
  if (!moved.has("goal")) boxes.push({ min: [x - goal.radius, y - goal.radius], max: [x + goal.radius, y + goal.radius] });
  if (!moved.has("start")) boxes.push({ min: doc.start.position, max: doc.start.position });
  for (const shape of doc.shapes) {
    if (boxes.length >= MOST) break;
    if (!shape.hidden && !moved.has(shape.id) && boxesMeet(boxOf(shape), seen)) boxes.push(boxOf(shape));
  }
  return boxes;
}

/**
 * Align a box with others: along each axis the nearest edge or centre line within reach.
 * @param {Box} box where it would be
 * @param {readonly Box[]} others
 * @param {number} reach
 * @param {readonly [boolean, boolean]} axes whether it may be shifted along x and y
 * @returns {{by: [number | null, number | null], guides: Guide[]}} the shift along each axis that aligns it, and the lines on which it then lies
 */
export function alignBox(box, others, reach, axes) {
  const found = /** @type {const} */ ([0, 1]).map((axis) => (axes[axis] ? nearestLine(box, others, axis, reach) : null));
  const shift = /** @type {Point} */ (found.map((one) => one?.by ?? 0));
  const moved = { min: plus(box.min, shift), max: plus(box.max, shift) };
  const guides = found.flatMap((one, axis) => (one ? [guideOf(moved, one, axis)] : []));
  return { by: [found[0]?.by ?? null, found[1]?.by ?? null], guides };
}

/** @typedef {{by: number, at: number, other: Box, centre: boolean}} Line */

/** @returns {Line | null} */
function nearestLine(/** @type {Box} */ box, /** @type {readonly Box[]} */ others, /** @type {number} */ axis, /** @type {number} */ reach) {
  const own = linesOf(box, axis);
  let best = /** @type {Line | null} */ (null);
  for (const other of others) {
    for (const [k, at] of linesOf(other, axis).entries()) {
      for (const [n, from] of own.entries()) {
        // Centre lines are aligned with centre lines, and edges with edges.
        if ((k === 1) !== (n === 1)) continue;
        const by = at - from;
        if (Math.abs(by) <= reach && (!best || Math.abs(by) < Math.abs(best.by))) best = { by, at, other, centre: k === 1 };
      }
    }
  }
  return best;
}

function linesOf(/** @type {Box} */ { min, max }, /** @type {number} */ axis) {
  return [min[axis], (min[axis] + max[axis]) / 2, max[axis]];
}

/** @returns {Guide} */
function guideOf(/** @type {Box} */ box, /** @type {Line} */ { at, other, centre }, /** @type {number} */ axis) {
  const { min, max } = joinBoxes(box, other);
  const end = (/** @type {number} */ across) => /** @type {Point} */ (axis ? [across, at] : [at, across]);
  return { from: end(min[1 - axis]), to: end(max[1 - axis]), centre };
}

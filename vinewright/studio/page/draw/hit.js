/** Search for objects at a point or in a rectangle of the drawing. */

import {
  boxContains, boxCorners, boxesMeet, crossing, direction, distance, edges, isInside, plus, times, toOutline, toSegment,
} from "./geometry.js";
import { boxOf, distanceTo, outlineOf } from "./outline.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("./geometry.js").Box} Box */

/**
 * The object at a point, or near it; the start lies above the shapes, the goal and the bounds beneath them.
 * @param {Doc} doc
 * @param {Point} point
 * @param {number} near distance that is still a hit
 * @param {number} radius of the tube
 * @returns {number | string | null}
 */
export function objectAt(doc, point, near, radius) {
  if (isAtStart(doc, point, near, radius)) return "start";
  const shape = shapeAt(doc, point, 0) ?? shapeAt(doc, point, near);
  if (shape) return shape.id;
  if (distance(point, doc.goal.position) <= Math.max(doc.goal.radius, near)) return "goal";
  return toOutline(point, boxCorners(doc.bounds)) <= near ? "bounds" : null;
}

/** Return whether a point is on the first diameter of the tube, or near its base. */
function isAtStart(/** @type {Doc} */ { start }, /** @type {Point} */ point, /** @type {number} */ near, /** @type {number} */ radius) {
  const { position, heading_deg } = start;
  const tip = plus(position, times(direction(heading_deg), 2 * radius));
  return distance(point, position) <= 2 * near || toSegment(point, position, tip) <= radius;
}

/** The uppermost shape at a point that is neither locked nor hidden. @returns {Shape | null} */
function shapeAt(/** @type {Doc} */ { shapes, ends }, /** @type {Point} */ point, /** @type {number} */ near) {
  for (let k = shapes.length - 1; k >= 0; k -= 1) {
    if (isFree(shapes[k]) && boxContains(boxOf(shapes[k]), point, near) && distanceTo(shapes[k], ends, point) <= near) return shapes[k];
  }
  return null;
}

/** Return whether the pointer meets a shape. */
export function isFree(/** @type {Shape} */ { locked, hidden }) {
  return !locked && !hidden;
}

/** Return whether a disc would overlap an obstacle, or bounds that it must not cross. */
export function discHits(/** @type {Doc} */ doc, /** @type {Point} */ centre, /** @type {number} */ radius) {
  const { min, max } = doc.bounds;
  const margin = doc.bounds.edge === "open" ? 0 : -radius;
  if (!boxContains({ min, max }, centre, margin)) return true;
  return doc.shapes.some(
    (shape) => boxContains(boxOf(shape), centre, radius) && distanceTo(shape, doc.ends, centre) < radius - 1e-6,
  );
}

/**
 * The objects wholly inside a rectangle, or all those that it touches; never the bounds.
 * @returns {(number | string)[]}
 */
export function objectsIn(/** @type {Doc} */ doc, /** @type {Box} */ area, /** @type {boolean} */ touching) {
  /** @type {(number | string)[]} */
  const found = doc.shapes.filter((shape) => isFree(shape) && (touching ? touches(shape, area) : isWithin(boxOf(shape), area))).map(({ id }) => id);
  if (boxContains(area, doc.start.position)) found.push("start");
  const { position, radius } = doc.goal;
  const disc = { min: plus(position, [-radius, -radius]), max: plus(position, [radius, radius]) };
  if (touching ? boxContains(area, position) : isWithin(disc, area)) found.push("goal");
  return found;
}

function isWithin(/** @type {Box} */ box, /** @type {Box} */ area) {
  return boxContains(area, box.min) && boxContains(area, box.max);
}

function touches(/** @type {Shape} */ shape, /** @type {Box} */ area) {
  if (!boxesMeet(boxOf(shape), area)) return false;
  const corners = outlineOf(shape);
  if (corners.some((corner) => boxContains(area, corner)) || isInside(area.min, corners)) return true;
  let found = false;
  const frame = boxCorners(area);
  edges(corners, (a, b) => edges(frame, (c, d) => (found ||= crossing(a, b, c, d))));
  return found;
}

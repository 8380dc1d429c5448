/** Contact forces as arrows from the wall into the tube, at the segments with contact. */

import { state } from "../store.js";
import { pixels } from "../view.js";
import { lengthAt, recordOf, shownGrowths } from "./growths.js";
import { contains, solidsOf } from "./obstacles.js";
import { canvasColour } from "./palette.js";
import { designOf } from "./shown.js";
import { reachAt } from "./tubeshape.js";

/** @typedef {import("../types.js").Content} Content */
/** @typedef {import("../types.js").Design} Design */
/** @typedef {import("../types.js").Growth} Growth */
/** @typedef {import("../types.js").Point} Point */

const [SHORTEST, LONGEST] = [9, 40]; // arrows [px]
const LEAST = 0.005; // forces below this are none [N]
const REACHES = [1.03, 1.25, 0.85]; // where the wall is looked for, from the centreline in radii: tubes are squeezed, records are rounded
const SHARES = [0.25, 0.5, 0.75, 1.03, 1.5]; // where it is looked for then, in thicknesses of an inflated actuator from the edge of the tube

/** @type {WeakMap<Content, import("./obstacles.js").Solid[]>} */
const solids = new WeakMap();

/** The contacts of a growth at the time of the film: number of the segment and force [N]. */
export function contactsOf(/** @type {Growth} */ growth) {
  const forces = growth.forces[recordOf(growth)] ?? [];
  return forces.map((force, segment) => ({ force, segment })).filter(({ force }) => force > LEAST);
}

/** The largest force in all of a growth [N]. */
export function largestForce(/** @type {Growth} */ growth) {
  let most = 0;
  for (const record of growth.forces) for (const force of record) if (force > most) most = force;
  return most;
}

/** Paint the forces of the main growth. */
export function paintForces(/** @type {CanvasRenderingContext2D} */ context) {
  const [growth] = shownGrowths();
  const design = growth && designOf(growth.design);
  if (!growth || !design) return;
  const { radius } = design;
  const most = largestForce(growth);
  const joints = growth.joints[recordOf(growth)];
  for (const { force, segment } of contactsOf(growth)) {
    if (segment + 1 >= joints.length) continue;
    const { at, normal } = placeOf(joints, segment);
    const length = Math.min(pixels(SHORTEST + (LONGEST - SHORTEST) * Math.sqrt(force / most)), 1.8 * radius);
    for (const side of sidesOf(joints, segment, design)) paintArrow(context, at, [normal[0] * side, normal[1] * side], radius, length);
  }
}

/** The middle of a segment, and the normal to its left. @returns {{at: Point, normal: Point}} */
function placeOf(/** @type {Point[]} */ joints, /** @type {number} */ segment) {
  const [from, to] = [joints[segment], joints[segment + 1]];
  const long = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  return { at: [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], normal: [-(to[1] - from[1]) / long, (to[0] - from[0]) / long] };
}

/**
 * The sides of a segment on which there is a wall, 1 the left: at the tube or else at its inflated actuator, beside the middle or else
 * beside the ends, where a corner may touch it; both if none is found.
 */
export function sidesOf(/** @type {Point[]} */ joints, /** @type {number} */ segment, /** @type {Design} */ { radius, sections }) {
  const content = state.run?.content;
  if (!content) return [1, -1];
  const { at: middle, normal: [u, v] } = placeOf(joints, segment);
  const length = lengthAt(joints, segment);
  const thick = (/** @type {number} */ share) => (/** @type {number} */ side) => radius + share * (reachAt(sections, radius, length, side) - radius);
  const reaches = [...REACHES.map((reach) => () => reach * radius), ...SHARES.map(thick)];
  for (const places of [[middle], [joints[segment], joints[segment + 1]]]) {
    for (const reach of reaches) {
      const isTouched = (/** @type {number} */ side) =>
        places.some(([x, y]) => isSolid(content, [x + side * reach(side) * u, y + side * reach(side) * v]));
      const found = [1, -1].filter(isTouched);
      if (found.length) return found;
    }
  }
  return [1, -1];
}

/** Return whether a point is in an obstacle or beyond bounds that end something. */
function isSolid(/** @type {Content} */ content, /** @type {Point} */ at) {
  const all = solids.get(content) ?? solidsOf(content);
  solids.set(content, all);
  const { min, max } = content.bounds;
  const beyond = at[0] < min[0] || at[1] < min[1] || at[0] > max[0] || at[1] > max[1];
  return (beyond && content.bounds.edge !== "open") || all.some((solid) => contains(solid, at));
}

/** An arrow from the edge of the tube inwards. */
function paintArrow(
  /** @type {CanvasRenderingContext2D} */ context, /** @type {Point} */ [x, y], /** @type {Point} */ [u, v], /** @type {number} */ radius,
  /** @type {number} */ length,
) {
  const [tail, head] = [radius, radius - length];
  const [back, half] = [head + pixels(5), pixels(3)];
  context.beginPath();
  context.moveTo(x + u * tail, y + v * tail);
  context.lineTo(x + u * back, y + v * back);
  context.strokeStyle = context.fillStyle = canvasColour("dimension");
  context.lineWidth = pixels(1.6);
  context.stroke();
  context.beginPath();
  context.moveTo(x + u * head, y + v * head);
  context.lineTo(x + u * back - v * half, y + v * back + u * half);
  context.lineTo(x + u * back + v * half, y + v * back - u * half);
  context.fill();
}

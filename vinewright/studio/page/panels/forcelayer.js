/** Contact forces as arrows from the wall into the tube, at the segments with contact. */

import { state } from "../store.js";
import { pixels } from "../view.js";
import { recordOf, shownGrowths } from "./growths.js";
import { contains, solidsOf } from "./obstacles.js";
import { canvasColour } from "./palette.js";
import { designOf } from "./shown.js";

/** @typedef {import("../types.js").Content} Content */
/** @typedef {import("../types.js").Growth} Growth */
/** @typedef {import("../types.js").Point} Point */

const [SHORTEST, LONGEST] = [9, 40]; // arrows [px]
const LEAST = 0.005; // forces below this are none [N]
const REACHES = [1.03, 1.25, 0.85]; // where the wall is looked for, from the centreline in radii: tubes are squeezed, records are rounded

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
  const radius = growth && designOf(growth.design)?.radius;
  if (!growth || !radius) return;
  const most = largestForce(growth);
  const joints = growth.joints[recordOf(growth)];
  for (const { force, segment } of contactsOf(growth)) {
    if (segment + 1 >= joints.length) continue;
    const [from, to] = [joints[segment], joints[segment + 1]];
    const middle = /** @type {Point} */ ([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]);
    const long = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
    const normal = /** @type {Point} */ ([-(to[1] - from[1]) / long, (to[0] - from[0]) / long]);
    const length = Math.min(pixels(SHORTEST + (LONGEST - SHORTEST) * Math.sqrt(force / most)), 1.8 * radius);
    for (const side of sidesOf(middle, normal, radius)) paintArrow(context, middle, [normal[0] * side, normal[1] * side], radius, length);
  }
}

/** The sides of the tube on which there is a wall; both if none is found. */
function sidesOf(/** @type {Point} */ [x, y], /** @type {Point} */ [u, v], /** @type {number} */ radius) {
  const content = state.run?.content;
  if (!content) return [1, -1];
  let all = solids.get(content);
  if (!all) {
    all = solidsOf(content);
    solids.set(content, all);
  }
  const { min, max } = content.bounds;
  for (const reach of REACHES) {
    const found = [1, -1].filter((side) => {
      const at = /** @type {Point} */ ([x + side * reach * radius * u, y + side * reach * radius * v]);
      const beyond = at[0] < min[0] || at[1] < min[1] || at[0] > max[0] || at[1] > max[1];
      return (beyond && content.bounds.edge !== "open") || all.some((solid) => contains(solid, at));
    });
    if (found.length) return found;
  }
  return [1, -1];
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

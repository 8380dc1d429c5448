/** Distances between the centre line of an object and those of others, as dimensions beside the object. */

import { distance, middle } from "./geometry.js";
import { lengthWithUnit } from "./measures.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./guides.js").Guide} Guide */
/** @typedef {import("./guides.js").Staying} Staying */
/** @typedef {import("./live.js").Dimension} Dimension */

const ASIDE = 40; // distance of the dimension lines from the object, beyond those of its size [px]
const LEAST = 1e-6; // centre lines closer than this are the same [mm]

/** Distances along both axes from a box to the nearest neighbour, and to the bounds. @returns {Dimension[]} */
export function centreMeasures(/** @type {Box} */ box, /** @type {readonly Staying[]} */ others) {
  const bounds = others.filter((other) => other.isBounds);
  const rest = others.filter((other) => !other.isBounds);
  return [0, 1].flatMap((axis) => {
    const beside = rest.filter((other) => isBeside(box, other, axis));
    const neighbour = nearest(box, beside, axis) ?? nearest(box, rest, axis);
    return [neighbour, nearest(box, bounds, axis)].flatMap((other) => (other ? [between(box, other, axis)] : []));
  });
}

/** Distances along the centre lines on which a box lies with others: on each to the nearest of them. @returns {Dimension[]} */
export function alignedMeasures(/** @type {Box} */ box, /** @type {readonly Staying[]} */ others, /** @type {readonly Guide[]} */ guides) {
  return guides.flatMap(({ from, to, centre }) => {
    if (!centre) return [];
    const across = from[0] === to[0] ? 0 : 1;
    const same = others.filter((other) => Math.abs(centreOf(other)[across] - from[across]) < LEAST);
    const other = nearest(box, same, 1 - across);
    return other ? [between(box, other, 1 - across)] : [];
  });
}

function centreOf(/** @type {Box} */ { min, max }) {
  return middle(min, max);
}

/** Return whether a movement along an axis would lead one box to another. */
function isBeside(/** @type {Box} */ box, /** @type {Box} */ other, /** @type {number} */ axis) {
  const cross = 1 - axis;
  return other.min[cross] < box.max[cross] && other.max[cross] > box.min[cross];
}

/** The box with the nearest centre among those whose centre line across an axis is elsewhere. @returns {Staying | null} */
function nearest(/** @type {Box} */ box, /** @type {readonly Staying[]} */ others, /** @type {number} */ axis) {
  const own = centreOf(box);
  let [found, least] = [/** @type {Staying | null} */ (null), Infinity];
  for (const other of others) {
    const there = centreOf(other);
    if (Math.abs(there[axis] - own[axis]) < LEAST || distance(own, there) >= least) continue;
    [found, least] = [other, distance(own, there)];
  }
  return found;
}

/** @returns {Dimension} */
function between(/** @type {Box} */ box, /** @type {Staying} */ other, /** @type {number} */ axis) {
  const [own, there] = [centreOf(box), centreOf(other)];
  const text = `${other.isBounds ? "centre of bounds" : "centres"} ${lengthWithUnit(Math.abs(there[axis] - own[axis]))}`;
  // The line lies above the box or to its right; that of the bounds beneath it or to its left, so that they do not cross.
  const way = (axis ? -1 : 1) * (other.isBounds ? -1 : 1);
  const centres = /** @type {[Point, Point]} */ ([own, there].sort((one, two) => way * (one[axis] - two[axis])));
  const side = (other.isBounds ? box.min : box.max)[1 - axis];
  const [from, to] = centres.map((centre) => /** @type {Point} */ (axis ? [side, centre[1]] : [centre[0], side]));
  return { from, to, text, aside: ASIDE, centres };
}

/** The figures that are shown in the drawing during a drag. */

import { state } from "../store.js";
import { lengthText } from "../text.js";
import { angle, boxAround, direction, distance, edges, plus, times } from "./geometry.js";
import { boxOf, centreOf, cornersOf, outlineOf, wallEnds } from "./outline.js";
import { tubeRadius } from "./scene.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./live.js").Dimension} Dimension */

const ASIDE = 16; // distance of a dimension line from its object [px]

/** A length with its unit. */
export function lengthWithUnit(/** @type {number} */ mm) {
  return `${lengthText(Math.round(mm * 100) / 100, state.unit)} ${state.unit}`;
}

/** An angle with its unit. */
export function angleText(/** @type {number} */ degrees) {
  return `${Math.round(degrees * 10) / 10}°`.replace("-", "−");
}

/** @returns {Dimension} */
function dimensionBetween(/** @type {Point} */ from, /** @type {Point} */ to, aside = 0) {
  return { from, to, text: lengthWithUnit(distance(from, to)), aside };
}

/** Width and height of a box. @returns {Dimension[]} */
export function boxMeasures(/** @type {Box} */ { min, max }) {
  return [dimensionBetween([max[0], min[1]], min, ASIDE), dimensionBetween(min, [min[0], max[1]], ASIDE)];
}

/** @returns {Dimension[]} */
export function radiusMeasures(/** @type {Point} */ centre, /** @type {number} */ radius) {
  return [{ from: centre, to: [centre[0] + radius, centre[1]], text: `R ${lengthWithUnit(radius)}` }];
}

/** @returns {Dimension[]} */
export function headingMeasures(/** @type {Point} */ position, /** @type {number} */ heading) {
  const tip = plus(position, times(direction(heading), 2 * tubeRadius()));
  return [{ from: tip, to: tip, text: angleText(heading) }];
}

/** Width and height of a box that may be turned, with its angle. @returns {Dimension[]} */
function boxSides(/** @type {Shape} */ shape) {
  const [a, b, , d] = cornersOf(shape);
  const turned = shape.row[4];
  const sides = [dimensionBetween(b, a, ASIDE), dimensionBetween(a, d, ASIDE)];
  return turned ? [...sides, { from: centreOf(shape), to: centreOf(shape), text: angleText(turned) }] : sides;
}

/** The size of a shape; of a polygon the edges at one corner. @returns {Dimension[]} */
export function shapeMeasures(/** @type {Shape} */ shape, /** @type {number | null} */ corner = null) {
  const { kind, row, corners } = shape;
  if (kind === "box") return boxSides(shape);
  if (kind === "circle") return radiusMeasures([row[0], row[1]], row[2]);
  if (kind === "wall") {
    const [from, to] = wallEnds(shape);
    const text = `${lengthWithUnit(distance(from, to))}  ${angleText(angle(from, to))}`;
    return [{ from, to, text, aside: ASIDE }];
  }
  if (corner === null || corner >= corners.length) return [];
  const count = corners.length;
  return [dimensionBetween(corners[(corner + count - 1) % count], corners[corner]), dimensionBetween(corners[corner], corners[(corner + 1) % count])];
}

/** The last two edges of the polygon that is being drawn. @returns {Dimension[]} */
export function chainMeasures(/** @type {Point[]} */ chain) {
  const [from, to] = chain.slice(-2);
  if (!to || !distance(from, to)) return [];
  return [{ from, to, text: `${lengthWithUnit(distance(from, to))}  ${angleText(angle(from, to))}` }];
}

/** Distance by which a selection was moved. @returns {Dimension} */
export function moveMeasure(/** @type {Box} */ box, /** @type {Point} */ by) {
  const [dx, dy] = by.map((value) => lengthText(Math.round(value * 100) / 100, state.unit));
  return { from: box.max, to: box.max, text: `x ${withSign(dx)}  y ${withSign(dy)} ${state.unit}` };
}

function withSign(/** @type {string} */ number) {
  return number.startsWith("-") ? number.replace("-", "−") : `+${number}`;
}

// ---- gaps to neighbours ----

/** The free distances of a box to the left, right, down and up: to the nearest other obstacle, else to the bounds. */
export function gapMeasures(/** @type {Doc} */ doc, /** @type {ReadonlySet<number | string>} */ ids, /** @type {Box} */ box) {
  const others = doc.shapes.filter((shape) => !shape.hidden && !ids.has(shape.id));
  const found = [];
  for (const axis of [0, 1]) {
    for (const way of [-1, 1]) {
      const gap = gapTowards(doc, others, box, axis, way);
      if (gap) found.push(gap);
    }
  }
  return found;
}

/** @returns {Dimension | null} */
function gapTowards(
  /** @type {Doc} */ { bounds }, /** @type {Shape[]} */ others, /** @type {Box} */ box, /** @type {number} */ axis, /** @type {number} */ way,
) {
  const side = way > 0 ? box.max[axis] : box.min[axis];
  const cross = 1 - axis;
  const edge = way > 0 ? bounds.max[axis] : bounds.min[axis];
  let best = { far: (edge - side) * way, across: (box.min[cross] + box.max[cross]) / 2 };
  for (const shape of others) {
    const around = boxOf(shape);
    if (around.min[cross] >= box.max[cross] || around.max[cross] <= box.min[cross]) continue;
    if ((way > 0 ? around.max[axis] - side : side - around.min[axis]) < 0) continue;
    const near = nearestIn(outlineOf(shape), [box.min[cross], box.max[cross]], axis, way);
    const far = (near.at - side) * way;
    if (far >= 0 && (far < best.far || best.far < 0)) best = { far, across: near.across };
  }
  if (!(best.far > 1e-6)) return null;
  const point = (/** @type {number} */ value) => /** @type {Point} */ (axis ? [best.across, value] : [value, best.across]);
  return dimensionBetween(point(side), point(side + way * best.far));
}

/** Find the nearest point of the part of an outline in a strip across an axis, looking along the axis. */
function nearestIn(
  /** @type {Point[]} */ outline, /** @type {[number, number]} */ strip, /** @type {number} */ axis, /** @type {number} */ way,
) {
  const cross = 1 - axis;
  let [at, low, high] = [way * Infinity, 0, 0];
  const meet = (/** @type {number} */ value, /** @type {number} */ across) => {
    if (value === at) [low, high] = [Math.min(low, across), Math.max(high, across)];
    else if ((value - at) * way < 0) [at, low, high] = [value, across, across];
  };
  edges(outline, (from, to) => {
    const { min, max } = boxAround([from, to]);
    const [enter, leave] = [Math.max(min[cross], strip[0]), Math.min(max[cross], strip[1])];
    if (enter > leave) return;
    for (const across of [enter, leave]) {
      const share = to[cross] === from[cross] ? 0 : (across - from[cross]) / (to[cross] - from[cross]);
      meet(from[axis] + share * (to[axis] - from[axis]), across);
    }
    if (to[cross] === from[cross]) meet(to[axis], enter);
  });
  return { at, across: (low + high) / 2 };
}


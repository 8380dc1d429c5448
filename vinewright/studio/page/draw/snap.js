/** Targets to which the points of a drag snap: corners, middles of edges and centres of other objects first, then the grid. Pure. */

import { boxCorners, distance, edges, middle, minus, roundTo, plus } from "./geometry.js";
import { centreOf, cornersOf, wallEnds } from "./outline.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {{at: Point, kind: "corner" | "middle" | "centre"}} Target */
/** @typedef {{at: Point, kind: "corner" | "middle" | "centre" | "grid" | "none"}} Snapped */

const GRID_PIXELS = 8; // least distance of grid lines
export const NEAR_PIXELS = 8; // distance within which a point snaps to another one

/** Distance of the lines of the grid [mm]: 1, 2 or 5 times a power of ten. */
export function gridStep(/** @type {number} */ scale) {
  const least = GRID_PIXELS / scale;
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((one) => one * power >= least * (1 - 1e-9)) ?? 10;
  return Number((factor * power).toPrecision(1));
}

/** The power of ten below the size of a pixel [mm]: what is drawn without snapping is rounded to it. */
export function fineStep(/** @type {number} */ scale) {
  return Number((10 ** Math.floor(Math.log10(1 / scale) + 1e-9)).toPrecision(1));
}

/** Points of all objects but the excluded, as targets of snapping. */
export function targetsOf(/** @type {Doc} */ doc, /** @type {ReadonlySet<number | string>} */ excluded) {
  /** @type {Target[]} */
  const targets = [];
  for (const shape of doc.shapes) if (!excluded.has(shape.id)) targets.push(...shapeTargets(shape));
  if (!excluded.has("start")) targets.push({ at: doc.start.position, kind: "centre" });
  if (!excluded.has("goal")) targets.push({ at: doc.goal.position, kind: "centre" });
  if (!excluded.has("bounds")) outlineTargets(boxCorners(doc.bounds), targets);
  return targets;
}

/** @type {WeakMap<Shape, Target[]>} */
const known = new WeakMap();

function shapeTargets(/** @type {Shape} */ shape) {
  let targets = known.get(shape);
  if (targets) return targets;
  /** @type {Target[]} */
  targets = [{ at: centreOf(shape), kind: "centre" }];
  outlineTargets(cornersOf(shape), targets);
  if (shape.kind === "wall" && shape.row[4]) for (const at of wallEnds(shape)) targets.push({ at, kind: "corner" });
  known.set(shape, targets);
  return targets;
}

function outlineTargets(/** @type {Point[]} */ corners, /** @type {Target[]} */ targets) {
  edges(corners, (from, to) => targets.push({ at: from, kind: "corner" }, { at: middle(from, to), kind: "middle" }));
}

/** @returns {Target | null} */
function nearest(/** @type {Point} */ point, /** @type {readonly Target[]} */ targets, /** @type {number} */ near) {
  let [found, least] = [/** @type {Target | null} */ (null), near];
  for (const target of targets) {
    // Most targets are far away: two subtractions rule them out.
    if (Math.abs(target.at[0] - point[0]) > least || Math.abs(target.at[1] - point[1]) > least) continue;
    const gap = distance(point, target.at);
    if (gap <= least) [found, least] = [target, gap];
  }
  return found;
}

/**
 * Snap a point.
 * @param {Point} point
 * @param {readonly Target[]} targets
 * @param {number} scale pixels per mm
 * @param {boolean} on whether it snaps; otherwise it is only rounded
 * @returns {Snapped}
 */
export function snapPoint(point, targets, scale, on) {
  const found = on ? nearest(point, targets, NEAR_PIXELS / scale) : null;
  if (found) return found;
  const step = on ? gridStep(scale) : fineStep(scale);
  return { at: [roundTo(point[0], step), roundTo(point[1], step)], kind: on ? "grid" : "none" };
}

/**
 * Snap a movement: one of the moved points comes to a target, or the first one to the grid.
 * @param {readonly Point[]} points before the movement
 * @param {Point} by
 * @param {readonly Target[]} targets
 * @param {number} scale
 * @param {boolean} on
 * @returns {{by: Point, mark: Snapped | null}}
 */
export function snapMove(points, by, targets, scale, on) {
  const fine = fineStep(scale);
  if (!on) return { by: [roundTo(by[0], fine), roundTo(by[1], fine)], mark: null };
  let [best, least] = [/** @type {{by: Point, mark: Snapped} | null} */ (null), Infinity];
  for (const point of points) {
    const there = plus(point, by);
    const target = nearest(there, targets, NEAR_PIXELS / scale);
    const gap = target ? distance(there, target.at) : Infinity;
    if (target && gap < least) [best, least] = [{ by: minus(target.at, point), mark: target }, gap];
  }
  if (best) return best;
  const step = gridStep(scale);
  // A movement along one axis leaves the other coordinate where it is, though it may be beside the grid.
  const along = (/** @type {0 | 1} */ k) =>
    Math.abs(by[k]) < step / 2 ? 0 : roundTo(points[0][k] + by[k], step) - points[0][k];
  return { by: [along(0), along(1)], mark: null };
}

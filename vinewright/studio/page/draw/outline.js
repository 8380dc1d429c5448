/** The outlines of obstacles: as points for distances, and as the paths of SVG. Shapes never change, so each is computed once. */

import {
  angle, boxAround, centroid, direction, distance, isInside, middle, plus, times, toOutline, toSegment, turnedCorners,
} from "./geometry.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("./geometry.js").Box} Box */

const ROUND = 48; // corners of the polygon that stands for a circle where only its surroundings matter

/** @type {WeakMap<Shape, Point[]>} */
const outlines = new WeakMap();
/** @type {WeakMap<Shape, Box>} */
const boxes = new WeakMap();

/** The two ends of a wall. @returns {[Point, Point]} */
export function wallEnds(/** @type {Shape} */ { row }) {
  return [[row[0], row[1]], [row[2], row[3]]];
}

/** The corners of a shape in order; a circle has none, and a wall has the corners of its flat ends. @returns {Point[]} */
export function cornersOf(/** @type {Shape} */ shape) {
  const { kind, row } = shape;
  if (kind === "polygon") return shape.corners;
  if (kind === "circle") return [];
  if (kind === "box") return turnedCorners(row);
  return wallCorners(row);
}

/** The corners of a wall with flat ends. @returns {Point[]} */
export function wallCorners(/** @type {number[]} */ [x1, y1, x2, y2, thickness]) {
  const [from, to] = /** @type {[Point, Point]} */ ([[x1, y1], [x2, y2]]);
  const side = times(direction(angle(from, to) + 90), thickness / 2);
  const back = times(side, -1);
  return [plus(from, back), plus(to, back), plus(to, side), plus(from, side)];
}

/** Closed outline; circles are approximated, and the round ends of walls are left out. */
export function outlineOf(/** @type {Shape} */ shape) {
  let found = outlines.get(shape);
  if (!found) {
    found = shape.kind === "circle" ? circleOutline(shape.row) : cornersOf(shape);
    outlines.set(shape, found);
  }
  return found;
}

/** @returns {Point[]} */
function circleOutline(/** @type {number[]} */ [x, y, radius]) {
  return Array.from({ length: ROUND }, (_, k) => plus([x, y], times(direction((360 * k) / ROUND), radius)));
}

/** The box around a shape, round ends included. */
export function boxOf(/** @type {Shape} */ shape) {
  let found = boxes.get(shape);
  if (!found) {
    found = boxAround(outlineOf(shape));
    if (shape.kind === "wall") {
      const half = shape.row[4] / 2;
      for (const end of wallEnds(shape)) {
        const around = [plus(end, [half, half]), plus(end, [-half, -half])];
        found = boxAround([found.min, found.max, ...around]);
      }
    }
    boxes.set(shape, found);
  }
  return found;
}

/** The point about which a shape turns, which turning does not move. @returns {Point} */
export function centreOf(/** @type {Shape} */ shape) {
  if (shape.kind === "circle") return [shape.row[0], shape.row[1]];
  if (shape.kind === "wall") return middle(...wallEnds(shape));
  return centroid(cornersOf(shape));
}

/** The distance from a point to a shape; 0 inside it. */
export function distanceTo(/** @type {Shape} */ shape, /** @type {string} */ ends, /** @type {Point} */ point) {
  const { kind, row } = shape;
  if (kind === "circle") return Math.max(distance(point, [row[0], row[1]]) - row[2], 0);
  if (kind === "wall" && (ends === "round" || !row[4])) {
    return Math.max(toSegment(point, ...wallEnds(shape)) - row[4] / 2, 0);
  }
  const corners = outlineOf(shape);
  return isInside(point, corners) ? 0 : toOutline(point, corners);
}

/** The path of a shape in SVG. */
export function pathOf(/** @type {Shape} */ shape, /** @type {string} */ ends) {
  const { kind, row } = shape;
  if (kind === "circle") {
    const [x, y, r] = row;
    return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }
  const corners = cornersOf(shape);
  if (kind !== "wall") return closedPath(corners);
  if (!row[4]) return `M${row[0]} ${row[1]}L${row[2]} ${row[3]}`;
  if (ends !== "round") return closedPath(corners);
  const arc = `A${row[4] / 2} ${row[4] / 2} 0 0 1 `;
  const [a, b, c, d] = corners.map((corner) => corner.join(" "));
  return `M${a}L${b}${arc}${c}L${d}${arc}${a}Z`;
}

/** The path of a closed outline. */
function closedPath(/** @type {readonly Point[]} */ corners) {
  return corners.length ? `M${corners.map((point) => point.join(" ")).join("L")}Z` : "";
}

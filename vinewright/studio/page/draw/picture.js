/** The place of a picture beneath the drawing: from its pixels to the drawing and back. Pure. */

import { boxCorners, normaliseAngle, tidy, times, turnPoint } from "./geometry.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Background} Background */
/** @typedef {Pick<Background, "width" | "height" | "x" | "y" | "scale" | "turn">} Place */

/** The corners of a picture in the drawing, anticlockwise from its lower left one. @returns {Point[]} */
export function pictureCorners(/** @type {Place} */ { width, height, x, y, scale, turn }) {
  const size = times([width, height], scale);
  return boxCorners({ min: [x, y], max: [x + size[0], y + size[1]] }).map((corner) => turnPoint(corner, [x, y], turn));
}

/** The centre of a picture in the drawing. @returns {Point} */
export function pictureCentre(/** @type {Place} */ place) {
  const [from, , to] = pictureCorners(place);
  return [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
}

/** The pixel at a point of the drawing, from the upper left corner of the picture, y down. @returns {Point} */
export function pixelAt(/** @type {Place} */ { height, x, y, scale, turn }, /** @type {Point} */ at) {
  const level = turnPoint(at, [x, y], -turn);
  return [(level[0] - x) / scale, height - (level[1] - y) / scale];
}

/** What a turn about a point changes in the place of a picture. @returns {Pick<Place, "x" | "y" | "turn">} */
export function turnedPlace(/** @type {Place} */ place, /** @type {number} */ degrees, /** @type {Point} */ about) {
  const [x, y] = turnPoint([place.x, place.y], about, degrees);
  return { x: tidy(x), y: tidy(y), turn: normaliseAngle(place.turn + degrees) };
}

/** Corners anticlockwise, whatever their order, the first one at the left end of the lowest side. @returns {Point[]} */
export function sortCorners(/** @type {readonly Point[]} */ corners) {
  const count = corners.length;
  const middle = times(corners.reduce((sum, one) => [sum[0] + one[0], sum[1] + one[1]], /** @type {Point} */ ([0, 0])), 1 / count);
  const round = (/** @type {Point} */ one) => Math.atan2(one[1] - middle[1], one[0] - middle[0]);
  const sorted = [...corners].sort((one, other) => round(one) - round(other));
  const rightwards = sorted.map((one, k) => {
    const next = sorted[(k + 1) % count];
    return (next[0] - one[0]) / (Math.hypot(next[0] - one[0], next[1] - one[1]) || 1);
  });
  const first = rightwards.indexOf(Math.max(...rightwards));
  return [...sorted.slice(first), ...sorted.slice(0, first)];
}

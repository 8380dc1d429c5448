/** Plane geometry, without any state. Lengths in millimetres, angles in degrees anticlockwise, y up. */

/** @typedef {import("../types.js").Point} Point */
/** @typedef {{min: Point, max: Point}} Box */

const QUARTERS = /** @type {Point[]} */ ([[1, 0], [0, 1], [-1, 0], [0, -1]]);

/** A length without the noise of floating point: to a tenth of a micrometre, and never -0. */
export function tidy(/** @type {number} */ value) {
  return Math.round(value * 1e4) / 1e4 || 0;
}

/** Round a length to a multiple of a step. */
export function roundTo(/** @type {number} */ value, /** @type {number} */ step) {
  return tidy(Math.round(value / step) * step);
}

/** @returns {Point} */
export function plus(/** @type {Point} */ one, /** @type {Point} */ other) {
  return [one[0] + other[0], one[1] + other[1]];
}

/** @returns {Point} */
export function minus(/** @type {Point} */ one, /** @type {Point} */ other) {
  return [one[0] - other[0], one[1] - other[1]];
}

/** @returns {Point} */
export function times(/** @type {Point} */ one, /** @type {number} */ factor) {
  return [one[0] * factor, one[1] * factor];
}

/** @returns {Point} */
export function middle(/** @type {Point} */ one, /** @type {Point} */ other) {
  return [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2];
}

export function distance(/** @type {Point} */ one, /** @type {Point} */ other) {
  return Math.hypot(one[0] - other[0], one[1] - other[1]);
}

/** The unit vector of an angle; exact for right angles, so that turned boxes stay boxes. @returns {Point} */
export function direction(/** @type {number} */ degrees) {
  const quarter = degrees / 90;
  if (Number.isInteger(quarter)) return QUARTERS[((quarter % 4) + 4) % 4];
  return [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
}

/** The angle from one point to another, above -180 and up to 180. */
export function angle(/** @type {Point} */ from, /** @type {Point} */ to) {
  return (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
}

/** Return an angle above -180 and up to 180 degrees. */
export function normaliseAngle(/** @type {number} */ degrees) {
  const turned = ((degrees % 360) + 360) % 360;
  return tidy(turned > 180 ? turned - 360 : turned);
}

/** Turn a point about a centre. @returns {Point} */
export function turnPoint(/** @type {Point} */ point, /** @type {Point} */ centre, /** @type {number} */ degrees) {
  const [c, s] = direction(degrees);
  const [x, y] = minus(point, centre);
  return [tidy(centre[0] + c * x - s * y), tidy(centre[1] + s * x + c * y)];
}

/** The box around points. @returns {Box} */
export function boxAround(/** @type {readonly Point[]} */ points) {
  /** @type {Box} */
  const box = { min: [Infinity, Infinity], max: [-Infinity, -Infinity] };
  for (const [x, y] of points) {
    box.min[0] = Math.min(box.min[0], x);
    box.min[1] = Math.min(box.min[1], y);
    box.max[0] = Math.max(box.max[0], x);
    box.max[1] = Math.max(box.max[1], y);
  }
  return box;
}

/** Return the box around two boxes. @returns {Box} */
export function joinBoxes(/** @type {Box} */ one, /** @type {Box} */ other) {
  return boxAround([one.min, one.max, other.min, other.max]);
}

/** The box with two opposite corners, as x_min, y_min, x_max, y_max. */
export function rowBetween(/** @type {Point} */ one, /** @type {Point} */ other) {
  const { min, max } = boxAround([one, other]);
  return [...min, ...max];
}

/** The corners of a box whose row may have an angle, anticlockwise from the one that is the lower left one without it. @returns {Point[]} */
export function turnedCorners(/** @type {number[]} */ [x0, y0, x1, y1, degrees = 0]) {
  const corners = boxCorners({ min: [x0, y0], max: [x1, y1] });
  if (!degrees) return corners;
  const centre = middle(corners[0], corners[2]);
  return corners.map((corner) => turnPoint(corner, centre, degrees));
}

/** The row of a box by centre, size and angle; a turn by a right angle changes width and height instead. */
export function turnedRow(/** @type {Point} */ [x, y], /** @type {Point} */ size, /** @type {number} */ degrees) {
  const turned = ((degrees % 180) + 180) % 180;
  const quarter = turned === 90;
  const [width, height] = quarter ? [size[1], size[0]] : size;
  const row = [x - width / 2, y - height / 2, x + width / 2, y + height / 2].map(tidy);
  return turned && !quarter ? [...row, tidy(turned > 90 ? turned - 180 : turned)] : row;
}

/** The corners of a box, anticlockwise from the lower left one. @returns {Point[]} */
export function boxCorners(/** @type {Box} */ { min, max }) {
  return [[min[0], min[1]], [max[0], min[1]], [max[0], max[1]], [min[0], max[1]]];
}

export function boxContains(/** @type {Box} */ { min, max }, /** @type {Point} */ [x, y], margin = 0) {
  return x >= min[0] - margin && x <= max[0] + margin && y >= min[1] - margin && y <= max[1] + margin;
}

export function boxesMeet(/** @type {Box} */ one, /** @type {Box} */ other) {
  const apart = (/** @type {number} */ k) => one.min[k] > other.max[k] || one.max[k] < other.min[k];
  return !apart(0) && !apart(1);
}

/** Return whether a point is inside a closed outline. */
export function isInside(/** @type {Point} */ [x, y], /** @type {readonly Point[]} */ corners) {
  let found = false;
  let [x0, y0] = corners[corners.length - 1] ?? [0, 0];
  for (const [x1, y1] of corners) {
    if (y0 > y !== y1 > y && x < x0 + ((y - y0) * (x1 - x0)) / (y1 - y0)) found = !found;
    [x0, y0] = [x1, y1];
  }
  return found;
}

/** The point of a segment that is nearest to another point. @returns {Point} */
export function nearestOn(/** @type {Point} */ point, /** @type {Point} */ from, /** @type {Point} */ to) {
  const [x, y] = minus(to, from);
  const square = x * x + y * y;
  const along = square ? ((point[0] - from[0]) * x + (point[1] - from[1]) * y) / square : 0;
  const share = Math.min(Math.max(along, 0), 1);
  return [from[0] + share * x, from[1] + share * y];
}

/** The distance from a point to a segment. */
export function toSegment(/** @type {Point} */ point, /** @type {Point} */ from, /** @type {Point} */ to) {
  return distance(point, nearestOn(point, from, to));
}

/** The distance from a point to a closed outline. */
export function toOutline(/** @type {Point} */ point, /** @type {readonly Point[]} */ corners) {
  let least = Infinity;
  edges(corners, (from, to) => (least = Math.min(least, toSegment(point, from, to))));
  return least;
}

/** Call a function with each edge of a closed outline. */
export function edges(
  /** @type {readonly Point[]} */ corners,
  /** @type {(from: Point, to: Point, index: number) => void} */ visit,
) {
  for (let k = 0; k < corners.length; k += 1) visit(corners[k], corners[(k + 1) % corners.length], k);
}

/** Return whether two segments cross or touch. */
export function crossing(
  /** @type {Point} */ a, /** @type {Point} */ b, /** @type {Point} */ c, /** @type {Point} */ d,
) {
  const side = (/** @type {Point} */ p, /** @type {Point} */ q, /** @type {Point} */ r) =>
    Math.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
  return side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
}

/** The centre of the area of an outline; the mean of its corners if it has no area. @returns {Point} */
export function centroid(/** @type {readonly Point[]} */ corners) {
  let [area, x, y] = [0, 0, 0];
  const [ox, oy] = corners[0];
  edges(corners, ([x0, y0], [x1, y1]) => {
    const part = (x0 - ox) * (y1 - oy) - (x1 - ox) * (y0 - oy);
    area += part;
    x += part * (x0 + x1 - 2 * ox);
    y += part * (y0 + y1 - 2 * oy);
  });
  if (Math.abs(area) > 1e-9) return [ox + x / (3 * area), oy + y / (3 * area)];
  const { min, max } = boxAround(corners);
  return middle(min, max);
}

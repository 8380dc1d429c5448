/**
 * The shape of a tube along its joints, as in `planner/drawing/tube.py`: a rounded centreline, cut by length of film. Pure geometry
 * in millimetres.
 */

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Profile} Profile */
/** @typedef {import("../types.js").Section} Section */

/**
 * @typedef {object} Course
 * A centreline whose joints are rounded.
 * @property {Point[]} points
 * @property {number[]} along length of film from the base at each point, increasing
 * @property {number[]} heading direction at each point [rad], continuous
 */

/**
 * @typedef {object} Part
 * A part of a course within one section and one strand.
 * @property {number} section index of its section
 * @property {Course} course
 * @property {boolean} begins whether a section other than the first begins with it
 */

const ROUNDED = 0.03; // maximum distance between a joint and the curve that rounds it, in radii of the tube
const STEP = (4 * Math.PI) / 180; // maximum bend between two points of a rounded joint [rad]
const NEAR = 3.2; // two places of a tube, so many radii apart along it, overlap if they are less than two radii apart

/** Round the joints of a centreline. @returns {Course | null} null if it has no length */
export function courseOf(/** @type {Point[]} */ line, /** @type {number[]} */ film, /** @type {number} */ radius) {
  const kept = line.map((_, k) => k).filter((k) => k === 0 || line[k][0] !== line[k - 1][0] || line[k][1] !== line[k - 1][1]);
  if (kept.length < 2) return null;
  const joints = kept.map((k) => line[k]);
  const along = kept.map((k) => film[Math.min(k, film.length - 1)]);
  const moves = joints.slice(1).map((joint, k) => [joint[0] - joints[k][0], joint[1] - joints[k][1]]);
  const lengths = moves.map(([x, y]) => Math.hypot(x, y));
  const headings = unwrapAngles(moves.map(([x, y]) => Math.atan2(y, x)));
  /** @type {Course} */
  const course = { points: [], along: [], heading: [] };
  addPoint(course, joints[0], along[0], headings[0]);
  for (let k = 1; k < joints.length - 1; k += 1) {
    const bend = headings[k] - headings[k - 1];
    const deepest = (2 * ROUNDED * radius) / Math.max(Math.abs(Math.sin(bend / 2)), 1e-9);
    const reach = Math.min(lengths[k - 1] / 2, lengths[k] / 2, deepest);
    roundJoint(course, joints[k], along[k], headings[k - 1], headings[k], reach);
  }
  addPoint(course, joints[joints.length - 1], along[along.length - 1], headings[headings.length - 1]);
  return course;
}

function addPoint(/** @type {Course} */ course, /** @type {Point} */ point, /** @type {number} */ along, /** @type {number} */ heading) {
  const last = course.along.length - 1;
  if (last >= 0 && along <= course.along[last] + 1e-9) return;
  course.points.push(point);
  course.along.push(along);
  course.heading.push(heading);
}

/** Add a parabola from `reach` before a joint to `reach` after it. */
function roundJoint(
  /** @type {Course} */ course, /** @type {Point} */ [x, y], /** @type {number} */ along, /** @type {number} */ before,
  /** @type {number} */ after, /** @type {number} */ reach,
) {
  const bend = after - before;
  const count = 2 * Math.ceil(Math.abs(bend) / STEP / 2) + 1;
  for (let k = 0; k < count; k += 1) {
    const t = count > 1 ? k / (count - 1) : 0.5;
    const [behind, beyond] = [-reach * (1 - t) ** 2, reach * t ** 2];
    const point = /** @type {Point} */ ([
      x + behind * Math.cos(before) + beyond * Math.cos(after), y + behind * Math.sin(before) + beyond * Math.sin(after),
    ]);
    // Direction of a parabola between two tangents of equal length, relative to the first.
    const turned = Math.atan2(t * Math.sin(bend), 1 - t + t * Math.cos(bend));
    addPoint(course, point, along + reach * (2 * t - 1), before + turned);
  }
}

function unwrapAngles(/** @type {number[]} */ angles) {
  let last = angles[0];
  return angles.map((angle) => {
    last += Math.atan2(Math.sin(angle - last), Math.cos(angle - last));
    return last;
  });
}

/** The length of a course. */
export function lengthOf(/** @type {Course} */ { along }) {
  return along[along.length - 1];
}

/** The place at a length from the base: its point and its heading. */
export function placeAt(/** @type {Course} */ { points, along, heading }, /** @type {number} */ length) {
  let [low, high] = [0, along.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (along[middle] <= length) low = middle;
    else high = middle;
  }
  const t = Math.min(Math.max((length - along[low]) / (along[high] - along[low] || 1), 0), 1);
  const mix = (/** @type {number} */ one, /** @type {number} */ other) => one + t * (other - one);
  const point = /** @type {Point} */ ([mix(points[low][0], points[high][0]), mix(points[low][1], points[high][1])]);
  return { point, heading: mix(heading[low], heading[high]) };
}

/** The course from one length to another. @returns {Course} */
export function cutCourse(/** @type {Course} */ course, /** @type {number} */ first, /** @type {number} */ last) {
  const [start, end] = [placeAt(course, first), placeAt(course, last)];
  /** @type {Course} */
  const cut = { points: [start.point], along: [first], heading: [start.heading] };
  for (let k = 0; k < course.along.length; k += 1) {
    if (course.along[k] > first + 1e-6 && course.along[k] < last - 1e-6) addPoint(cut, course.points[k], course.along[k], course.heading[k]);
  }
  addPoint(cut, end.point, last, end.heading);
  return cut;
}

/** The lengths at which the tube begins to lie over an earlier part of itself, and its two ends. */
export function strandEnds(/** @type {Course} */ { points, along }, /** @type {number} */ radius) {
  const ends = [along[0]];
  let first = 0;
  for (let k = 1; k < points.length; k += 1) {
    for (let j = first; along[k] - along[j] > NEAR * radius; j += 1) {
      if (Math.hypot(points[k][0] - points[j][0], points[k][1] - points[j][1]) >= 2 * radius) continue;
      ends.push(along[k]);
      first = k;
      break;
    }
  }
  ends.push(along[along.length - 1]);
  return ends;
}

/** The parts of a course between two lengths by section. @returns {Part[]} */
export function partsOf(
  /** @type {Course} */ course, /** @type {readonly Section[]} */ sections, /** @type {number} */ from, /** @type {number} */ to,
) {
  const parts = /** @type {Part[]} */ ([]);
  const whole = lengthOf(course);
  sections.forEach((section, index) => {
    const first = Math.max(section.start_mm, from);
    // What is beyond the last section, by rounding, belongs to it.
    const last = Math.min(index === sections.length - 1 ? whole : section.end_mm, to);
    if (last <= first + 1e-6) return;
    parts.push({ section: index, course: cutCourse(course, first, last), begins: index > 0 && first === section.start_mm });
  });
  return parts;
}

/** Outline of what lies along a part: the edges of its profile, from the part's beginning to its end. @returns {Point[]} */
export function cellsOf(/** @type {Course} */ part, /** @type {Profile} */ profile) {
  const [outer, inner] = [/** @type {Point[]} */ ([]), /** @type {Point[]} */ ([])];
  for (const [length, near, far] of cutProfile(profile, part.along[0], lengthOf(part))) {
    const { point, heading } = placeAt(part, length);
    const [x, y] = [-Math.sin(heading), Math.cos(heading)];
    outer.push([point[0] + far * x, point[1] + far * y]);
    inner.push([point[0] + near * x, point[1] + near * y]);
  }
  return [...outer, ...inner.reverse()];
}

/** How far a tube reaches to its left, or to its right if the side is -1, at a length of film: its edge, or that of an inflated actuator. */
export function reachAt(
  /** @type {readonly Section[]} */ sections, /** @type {number} */ radius, /** @type {number} */ length, /** @type {number} */ side,
) {
  const { profile } = sections.find((one) => length < one.end_mm) ?? sections[sections.length - 1];
  return Math.max(radius, ...(profile ?? []).map(([, , far]) => side * far));
}

/** The profile from one length to another; beyond its ends it is as at them. @returns {Profile} */
function cutProfile(/** @type {Profile} */ profile, /** @type {number} */ first, /** @type {number} */ last) {
  const inside = profile.filter(([length]) => length > first + 1e-6 && length < last - 1e-6);
  return [edgesAt(profile, first), ...inside, edgesAt(profile, last)];
}

/** @returns {Profile[number]} */
function edgesAt(/** @type {Profile} */ profile, /** @type {number} */ length) {
  const next = profile.findIndex((row) => row[0] > length);
  const after = profile[next < 0 ? profile.length - 1 : next];
  const before = next > 0 ? profile[next - 1] : after;
  const share = (length - before[0]) / (after[0] - before[0] || 1);
  const mix = (/** @type {1 | 2} */ edge) => before[edge] + share * (after[edge] - before[edge]);
  return [length, mix(1), mix(2)];
}

/** The place of a course that is nearest to a point: its length from the base and the distance. */
export function nearest(/** @type {Course} */ { points, along }, /** @type {Point} */ [x, y]) {
  let found = { along: 0, distance: Infinity };
  for (let k = 1; k < points.length; k += 1) {
    const [ax, ay] = points[k - 1];
    const [dx, dy] = [points[k][0] - ax, points[k][1] - ay];
    const t = Math.min(Math.max(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1), 0), 1);
    const distance = Math.hypot(x - ax - t * dx, y - ay - t * dy);
    if (distance < found.distance) found = { along: along[k - 1] + t * (along[k] - along[k - 1]), distance };
  }
  return found;
}

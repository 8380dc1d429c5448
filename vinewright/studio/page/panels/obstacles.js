/** Obstacles of an environment as the server describes it: their outlines in the order of their numbers, and whether two are the same. */

import { isInside, middle, turnedCorners } from "../draw/geometry.js";
import { wallCorners } from "../draw/outline.js";

/** @typedef {import("../types.js").Content} Content */
/** @typedef {import("../types.js").Point} Point */
/** @typedef {{corners: Point[], circle: number[] | null, round: number}} Solid `round`: radius of the round ends of a wall, or 0 */

/** The obstacles in the order of a file: boxes, polygons, circles, walls. @returns {Solid[]} */
export function solidsOf(/** @type {Content} */ { obstacles }) {
  const { boxes, polygons, circles, walls, ends } = obstacles;
  return [
    ...boxes.map((box) => polygonSolid(turnedCorners(box))),
    ...polygons.map(polygonSolid),
    ...circles.map((circle) => ({ corners: [], circle, round: 0 })),
    ...walls.map((wall) => ({ ...polygonSolid(wallCorners(wall)), round: ends === "round" ? wall[4] / 2 : 0 })),
  ];
}

/** Names of the obstacles in the editor and in all messages, in the same order. */
export function obstacleNames(/** @type {Content} */ { obstacles }) {
  const { boxes, polygons, circles, walls, names = {} } = obstacles;
  const named = (/** @type {string} */ kind, /** @type {unknown[]} */ list) => list.map((_, k) => {
    const label = `${kind} ${k + 1}`;
    return names[label] ? `${label} (${names[label]})` : label;
  });
  return [...named("box", boxes), ...named("polygon", polygons), ...named("circle", circles), ...named("wall", walls)];
}

/** @returns {Solid} */
function polygonSolid(/** @type {Point[]} */ corners) {
  return { corners, circle: null, round: 0 };
}

/** The outline of a solid as a path. */
export function outlinePath(/** @type {Solid} */ { corners, circle, round }) {
  const path = new Path2D();
  if (circle) {
    path.arc(circle[0], circle[1], circle[2], 0, 2 * Math.PI);
    return path;
  }
  corners.forEach(([x, y], k) => {
    if (k === 0) path.moveTo(x, y);
    else if (round && k === 2) path.arc(...middle(corners[1], corners[2]), round, ...arc(corners[1], corners[2]));
    else path.lineTo(x, y);
  });
  if (round) path.arc(...middle(corners[3], corners[0]), round, ...arc(corners[3], corners[0]));
  path.closePath();
  return path;
}

/** First and last angle of the half circle from one point to another. @returns {[number, number]} */
function arc(/** @type {Point} */ from, /** @type {Point} */ to) {
  const [x, y] = middle(from, to);
  const angle = Math.atan2(from[1] - y, from[0] - x);
  return [angle, angle + Math.PI];
}

/** Return whether a point is inside a solid. */
export function contains(/** @type {Solid} */ { corners, circle }, /** @type {Point} */ [x, y]) {
  if (circle) return Math.hypot(x - circle[0], y - circle[1]) < circle[2];
  return isInside([x, y], corners);
}

/**
 * Return a text that is equal for equal environments, however they are written: the order of obstacles and of their corners does
 * not count, nor whether a wall with flat ends is written as a polygon.
 */
export function environmentText(/** @type {Content} */ content) {
  const { bounds, start, goal, obstacles } = content;
  const near = (/** @type {number} */ value) => Math.round(100 * value) / 100 + 0;
  const solids = solidsOf(content).map(({ corners, circle, round }) => {
    if (circle) return `circle ${circle.map(near).join()}`;
    return `${near(round)} ${corners.map((corner) => corner.map(near).join()).sort().join(" ")}`;
  });
  const numbers = [...bounds.min, ...bounds.max, ...start.position, start.heading_deg, ...goal.position, goal.radius].map(near);
  return JSON.stringify([numbers, bounds.edge, bounds.stacked, start.mount, obstacles.friction, solids.sort()]);
}

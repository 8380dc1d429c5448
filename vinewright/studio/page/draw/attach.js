/** The start at a wall: on its face, square to it, and mounted there. Pure. */

import { angle, boxCorners, direction, distance, edges, isInside, middle, minus, nearestOn, normaliseAngle, plus, roundTo, tidy, times } from "./geometry.js";
import { boxOf, centreOf, outlineOf } from "./outline.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Doc} Doc */

/**
 * Put the start onto the face of the obstacle, or of solid bounds, that it is near to: heading away from it, and mounted in it.
 * @param {Doc} doc
 * @param {number} near largest distance from the face
 * @returns {Doc} the drawing itself if there is no face near
 */
export function attachStart(doc, near) {
  const point = doc.start.position;
  let best = { gap: near, at: point, away: /** @type {number | null} */ (null) };
  const look = (/** @type {Point[]} */ corners, /** @type {boolean} */ inward) =>
    edges(corners, (from, to) => {
      const at = nearestOn(point, from, to);
      const gap = distance(point, at);
      if (gap > best.gap) return;
      const square = angle(from, to) + 90;
      // One of the two normals leads out of the solid: a small step along it ends outside.
      const beside = isInside(plus(middle(from, to), times(direction(square), 1e-3 + 1e-6 * distance(from, to))), corners);
      best = { gap, at, away: beside === inward ? square : square + 180 };
    });
  for (const shape of doc.shapes) {
    const { min, max } = boxOf(shape);
    if (point[0] < min[0] - near || point[0] > max[0] + near || point[1] < min[1] - near || point[1] > max[1] + near) continue;
    if (shape.kind === "circle") {
      const [centre, radius] = [centreOf(shape), shape.row[2]];
      const gap = Math.abs(distance(point, centre) - radius);
      const away = angle(centre, point);
      if (gap <= best.gap) best = { gap, at: plus(centre, times(minus(point, centre), radius / (distance(point, centre) || 1))), away };
    } else if (shape.kind !== "wall" || shape.row[4]) look(outlineOf(shape), false);
  }
  if (doc.bounds.edge === "wall") look(boxCorners(doc.bounds), true);
  if (best.away === null) return doc;
  const position = /** @type {Point} */ (best.at.map(tidy));
  return { ...doc, start: { position, heading_deg: normaliseAngle(roundTo(best.away, 0.01)), mount: "wall" } };
}

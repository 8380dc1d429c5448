/** The handles of a selection: where they are, and what dragging one makes of the drawing. Pure. */

import { angle, distance, middle, roundTo, normaliseAngle, plus, rowBetween, tidy, times, direction, turnedRow, turnPoint } from "./geometry.js";
import { cornersOf, wallEnds } from "./outline.js";
import { extentOf, hasExtent, replaceShape, shapesIn, withCorner, withNewCorner } from "./shapes.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("./geometry.js").Box} Box */

/**
 * @typedef {object} Handle
 * @property {string} name unique among the handles of the selection
 * @property {"corner" | "side" | "insert" | "radius" | "end" | "heading" | "turn"} kind
 * @property {Point} at in the drawing [mm]
 * @property {Point} [away] shift on the stage [px]
 * @property {string} cursor
 * @property {string} title
 * @property {Point} [centre] from which a radius is measured
 * @property {number} [corner] index of a polygon's corner; for "insert" the index of the new corner
 * @property {(doc: Doc, to: Point, steps: boolean) => Doc} drag what the drawing becomes; `steps`: angles in steps of 15 degrees
 */

const SIDES = /** @type {const} */ ([
  ["sw", 0, 0], ["s", 0.5, 0], ["se", 1, 0], ["e", 1, 0.5], ["ne", 1, 1], ["n", 0.5, 1], ["nw", 0, 1], ["w", 0, 0.5],
]);
const LEAST_EDGE = 28; // edges shorter than this on the stage get no handle that inserts a corner [px]

/**
 * The handles of a selection; only one object has handles of its own.
 * @param {Doc} doc
 * @param {ReadonlySet<number | string>} selection
 * @param {number} scale pixels per mm
 * @param {number} radius of the tube
 * @returns {Handle[]}
 */
export function handlesOf(doc, selection, scale, radius) {
  const shapes = shapesIn(doc, selection).filter((shape) => !shape.locked && !shape.hidden);
  const turning = turnHandle(doc, selection, shapes);
  if (selection.size !== 1) return turning;
  if (selection.has("start")) return [headingHandle(doc, scale, radius)];
  if (selection.has("goal")) return goalHandles(doc);
  if (selection.has("bounds")) return boundsHandles(doc);
  return shapes.length ? [...shapeHandles(shapes[0], scale), ...turning] : [];
}

/** @returns {Handle[]} */
function turnHandle(/** @type {Doc} */ doc, /** @type {ReadonlySet<number | string>} */ selection, /** @type {Shape[]} */ shapes) {
  const extent = extentOf(doc, selection);
  const pointless = !shapes.length || (selection.size === 1 && shapes[0].kind === "circle");
  if (!extent || pointless || selection.has("bounds")) return [];
  const at = /** @type {Point} */ ([(extent.min[0] + extent.max[0]) / 2, extent.max[1]]);
  const title = "Turn (Shift: steps of 15°; keys: [ ] or comma and period)";
  // What it drags is the whole selection: see `turn` of the select tool.
  return [{ name: "turn", kind: "turn", at, away: [0, -30], cursor: "grab", title, drag: (same) => same }];
}

/** @returns {Handle} */
function headingHandle(/** @type {Doc} */ { start }, /** @type {number} */ scale, /** @type {number} */ radius) {
  const reach = 2 * radius + 26 / scale;
  return {
    name: "heading", kind: "heading", at: plus(start.position, times(direction(start.heading_deg), reach)), cursor: "grab",
    title: "Heading (Shift: steps of 15°)",
    drag: (doc, to, steps) => ({ ...doc, start: { ...doc.start, heading_deg: headingTo(doc.start.position, to, steps) } }),
  };
}

/** The heading towards a point, in whole degrees or in steps of 15. */
export function headingTo(/** @type {Point} */ position, /** @type {Point} */ to, /** @type {boolean} */ steps) {
  return normaliseAngle(roundTo(angle(position, to), steps ? 15 : 1));
}

/** @returns {Handle[]} */
function goalHandles(/** @type {Doc} */ { goal }) {
  return radiusHandles(goal.position, goal.radius, (doc, radius) => ({ ...doc, goal: { ...doc.goal, radius } }));
}

/** @returns {Handle[]} */
function radiusHandles(
  /** @type {Point} */ centre, /** @type {number} */ radius, /** @type {(doc: Doc, radius: number) => Doc} */ change,
) {
  return [0, 90, 180, 270].map((degrees) => ({
    name: `radius ${degrees}`, kind: "radius", centre, at: plus(centre, times(direction(degrees), radius)),
    cursor: degrees % 180 ? "ns-resize" : "ew-resize", title: "Radius",
    drag: (doc, to) => {
      const length = tidy(distance(centre, to));
      return length > 0 ? change(doc, length) : doc;
    },
  }));
}

/** @returns {Handle[]} */
function boundsHandles(/** @type {Doc} */ { bounds }) {
  return boxHandles(bounds, (doc, [x0, y0, x1, y1]) => ({ ...doc, bounds: { ...doc.bounds, min: [x0, y0], max: [x1, y1] } }));
}

/** The eight handles of a rectangle that may be turned: the opposite corner or side stays where it is. @returns {Handle[]} */
function boxHandles(/** @type {Box} */ { min, max }, /** @type {(doc: Doc, row: number[]) => Doc} */ change, degrees = 0) {
  const centre = middle(min, max);
  return SIDES.map(([name, u, v]) => {
    const side = u === 0.5 || v === 0.5;
    const at = /** @type {Point} */ ([min[0] + u * (max[0] - min[0]), min[1] + v * (max[1] - min[1])]);
    return {
      name, kind: side ? "side" : "corner", cursor: `${cursorTowards(u, v, degrees)}-resize`, title: side ? "Side" : "Corner",
      at: degrees ? turnPoint(at, centre, degrees) : at,
      drag(doc, point) {
        const to = degrees ? turnPoint(point, centre, -degrees) : point;
        const moving = /** @type {Point} */ ([u === 0.5 ? max[0] : to[0], v === 0.5 ? max[1] : to[1]]);
        const fixed = /** @type {Point} */ ([u ? min[0] : max[0], v ? min[1] : max[1]]);
        const [x0, y0, x1, y1] = rowBetween(moving, fixed);
        if (x1 <= x0 || y1 <= y0) return doc;
        const row = degrees ? turnedRow(turnPoint([(x0 + x1) / 2, (y0 + y1) / 2], centre, degrees), [x1 - x0, y1 - y0], degrees) : [x0, y0, x1, y1];
        return change(doc, row.map(tidy));
      },
    };
  });
}

/** The name of the direction on the stage from the centre of a turned rectangle to one of its handles. */
function cursorTowards(/** @type {number} */ u, /** @type {number} */ v, /** @type {number} */ degrees) {
  const names = ["e", "ne", "n", "nw", "w", "sw", "s", "se"];
  return names[(((Math.round((angle([0.5, 0.5], [u, v]) + degrees) / 45) % 8) + 8) % 8)];
}

/** @returns {Handle[]} */
function shapeHandles(/** @type {Shape} */ shape, /** @type {number} */ scale) {
  const { kind, row } = shape;
  const change = (/** @type {Doc} */ doc, /** @type {Shape} */ next) => (hasExtent(next) ? replaceShape(doc, next) : doc);
  if (kind === "box") {
    const box = /** @type {Box} */ ({ min: [row[0], row[1]], max: [row[2], row[3]] });
    return boxHandles(box, (doc, next) => change(doc, { ...shape, row: next }), row[4]);
  }
  if (kind === "circle") {
    return radiusHandles([row[0], row[1]], row[2], (doc, radius) => change(doc, { ...shape, row: [row[0], row[1], radius] }));
  }
  if (kind === "wall") {
    return wallEnds(shape).map((at, k) => ({
      name: `end ${k + 1}`, kind: "end", at, cursor: "move", title: "End (Shift: angles of 15°)",
      drag: (doc, to, steps) => {
        const fixed = wallEnds(shape)[1 - k];
        const [x, y] = (steps ? snapDirection(fixed, to) : to).map(tidy);
        const next = k ? [...fixed, x, y, row[4]] : [x, y, ...fixed, row[4]];
        return change(doc, { ...shape, row: next });
      },
    }));
  }
  return polygonHandles(shape, scale);
}

/** Move a point to the nearest point in a direction of a multiple of 15 degrees. @returns {Point} */
export function snapDirection(/** @type {Point} */ from, /** @type {Point} */ to) {
  const way = direction(roundTo(angle(from, to), 15));
  const length = (to[0] - from[0]) * way[0] + (to[1] - from[1]) * way[1];
  return plus(from, times(way, length));
}

/** @returns {Handle[]} */
function polygonHandles(/** @type {Shape} */ shape, /** @type {number} */ scale) {
  const corners = cornersOf(shape);
  /** @type {Handle[]} */
  const handles = corners.map((at, k) => ({
    name: `corner ${k + 1}`, kind: "corner", at, corner: k, cursor: "move", title: "Corner (Alt-click or Delete: remove)",
    drag: (doc, to) => replaceShape(doc, withCorner(shape, k, to)),
  }));
  corners.forEach((from, k) => {
    const to = corners[(k + 1) % corners.length];
    if (distance(from, to) * scale < LEAST_EDGE) return;
    handles.push({
      name: `insert ${k + 2}`, kind: "insert", at: middle(from, to), corner: k + 1, cursor: "copy", title: "Insert a corner",
      drag: (doc, at) => replaceShape(doc, withNewCorner(shape, k + 1, at)),
    });
  });
  return handles;
}

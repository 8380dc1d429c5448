/** Arrangement of several objects: align, distribute, mirror, repeat, group. Pure; a group moves as one object, and locked shapes stay. */

import { newId } from "../store.js";
import { joinBoxes, normaliseAngle, tidy, turnedRow } from "./geometry.js";
import { boxOf } from "./outline.js";
import { addShapes, changeShapes, copyShapes, extentOf, moveObjects, shapesIn } from "./shapes.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./shapes.js").Ids} Ids */
/** @typedef {{ids: Set<number | string>, box: Box}} Unit */
/** @typedef {"left" | "centre" | "right" | "bottom" | "middle" | "top"} Side */

/** Lines of a box on which objects are aligned: the axis, and the share of the way from its minimum to its maximum. @type {Record<Side, [0 | 1, number]>} */
const SIDES = { left: [0, 0], centre: [0, 0.5], right: [0, 1], bottom: [1, 0], middle: [1, 0.5], top: [1, 1] };

/** The objects of a selection that move as one: single objects, and groups. @returns {Unit[]} */
export function unitsIn(/** @type {Doc} */ doc, /** @type {Ids} */ ids) {
  /** @type {Map<number | string, Unit>} */
  const units = new Map();
  for (const shape of shapesIn(doc, ids)) {
    if (shape.locked) continue;
    const key = shape.group === null ? shape.id : `group ${shape.group}`;
    const unit = units.get(key);
    if (unit) Object.assign(unit, { ids: unit.ids.add(shape.id), box: joinBoxes(unit.box, boxOf(shape)) });
    else units.set(key, { ids: new Set([shape.id]), box: boxOf(shape) });
  }
  for (const id of ["start", "goal"]) {
    const box = ids.has(id) && extentOf(doc, new Set([id]));
    if (box) units.set(id, { ids: new Set([id]), box });
  }
  return [...units.values()];
}

function placeOn(/** @type {Box} */ { min, max }, /** @type {0 | 1} */ axis, /** @type {number} */ share) {
  return min[axis] + share * (max[axis] - min[axis]);
}

/** @returns {Point} */
function along(/** @type {0 | 1} */ axis, /** @type {number} */ by) {
  return axis ? [0, tidy(by)] : [tidy(by), 0];
}

/** Align objects at a side of the box around all of them; a single one in the bounds. @returns {Doc} */
export function alignObjects(/** @type {Doc} */ doc, /** @type {Ids} */ ids, /** @type {Side} */ side) {
  const units = unitsIn(doc, ids);
  if (!units.length) return doc;
  const [axis, share] = SIDES[side];
  const frame = units.length > 1 ? units.map(({ box }) => box).reduce(joinBoxes) : doc.bounds;
  const wanted = placeOn(frame, axis, share);
  return units.reduce((changed, unit) => moveObjects(changed, unit.ids, along(axis, wanted - placeOn(unit.box, axis, share))), doc);
}

/** Make the gaps between three or more objects equal along an axis; the first and the last one stay. @returns {Doc} */
export function distributeObjects(/** @type {Doc} */ doc, /** @type {Ids} */ ids, /** @type {0 | 1} */ axis) {
  const units = unitsIn(doc, ids).sort((one, other) => placeOn(one.box, axis, 0.5) - placeOn(other.box, axis, 0.5));
  if (units.length < 3) return doc;
  const [first, last] = [units[0].box, units[units.length - 1].box];
  const size = (/** @type {Unit} */ { box }) => box.max[axis] - box.min[axis];
  const free = last.max[axis] - first.min[axis] - units.map(size).reduce((sum, one) => sum + one, 0);
  let at = first.min[axis];
  return units.reduce((changed, unit) => {
    const moved = moveObjects(changed, unit.ids, along(axis, at - unit.box.min[axis]));
    at += size(unit) + free / (units.length - 1);
    return moved;
  }, doc);
}

/** Mirror objects about the middle of the box around them: along x (0), left becomes right. @returns {Doc} */
export function mirrorObjects(/** @type {Doc} */ doc, /** @type {Ids} */ ids, /** @type {0 | 1} */ axis) {
  const units = unitsIn(doc, ids);
  if (!units.length) return doc;
  const { min, max } = units.map(({ box }) => box).reduce(joinBoxes);
  const twice = min[axis] + max[axis];
  const over = (/** @type {Point} */ point) => /** @type {Point} */ (point.map((value, k) => (k === axis ? tidy(twice - value) : value)));
  const heading = (/** @type {number} */ degrees) => normaliseAngle(axis ? -degrees : 180 - degrees);
  const mirrored = changeShapes(doc, ids, (shape) => (shape.locked ? shape : mirrorShape(shape, over)));
  let { start, goal } = doc;
  if (ids.has("start")) start = { ...start, position: over(start.position), heading_deg: heading(start.heading_deg) };
  if (ids.has("goal")) goal = { ...goal, position: over(goal.position) };
  return { ...mirrored, start, goal };
}

/** @returns {Shape} */
function mirrorShape(/** @type {Shape} */ shape, /** @type {(point: Point) => Point} */ over) {
  const { kind, row } = shape;
  // In the other direction the corners go around in the same sense as before.
  if (kind === "polygon") return { ...shape, corners: shape.corners.map(over).reverse() };
  if (kind === "circle") return { ...shape, row: [...over([row[0], row[1]]), row[2]] };
  if (kind === "wall") return { ...shape, row: [...over([row[0], row[1]]), ...over([row[2], row[3]]), row[4]] };
  const centre = over([(row[0] + row[2]) / 2, (row[1] + row[3]) / 2]);
  return { ...shape, row: turnedRow(centre, [row[2] - row[0], row[3] - row[1]], -(row[4] ?? 0)) };
}

/**
 * Repeat the shapes of a selection in columns and rows.
 * @param {Doc} doc
 * @param {Ids} ids
 * @param {[number, number]} counts columns and rows, the selection included
 * @param {Point} spacing from one to the next
 * @returns {{doc: Doc, made: Shape[]}}
 */
export function repeatShapes(doc, ids, counts, spacing) {
  const shapes = shapesIn(doc, ids);
  const made = [];
  for (let row = 0; row < counts[1]; row += 1) {
    for (let column = 0; column < counts[0]; column += 1) {
      if (row || column) made.push(...copyShapes(shapes, [column * spacing[0], row * spacing[1]]));
    }
  }
  return { doc: made.length ? addShapes(doc, made) : doc, made };
}

// ---- groups ----

/** Make a group of shapes. @returns {Doc} */
export function groupShapes(/** @type {Doc} */ doc, /** @type {Ids} */ ids) {
  const group = newId();
  return changeShapes(doc, ids, (shape) => ({ ...shape, group }));
}

/** Dissolve the groups of shapes. @returns {Doc} */
export function ungroupShapes(/** @type {Doc} */ doc, /** @type {Ids} */ ids) {
  return changeShapes(doc, ids, (shape) => (shape.group === null ? shape : { ...shape, group: null }));
}

/** An object with all of its group. @returns {(number | string)[]} */
export function withGroup(/** @type {Doc} */ doc, /** @type {number | string} */ id) {
  const group = doc.shapes.find((shape) => shape.id === id)?.group ?? null;
  return group === null ? [id] : doc.shapes.filter((shape) => shape.group === group).map((shape) => shape.id);
}


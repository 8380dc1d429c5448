/** Operations on drawings. All are pure: a new document is returned, in which everything that did not change is the same object. */

import { newId } from "../store.js";
import { boxAround, joinBoxes, minus, normaliseAngle, plus, tidy, turnedRow, turnPoint } from "./geometry.js";
import { boxOf, centreOf, cornersOf } from "./outline.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("../types.js").Kind} Kind */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("../types.js").Content} Content */
/** @typedef {import("../types.js").Origins} Origins */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {ReadonlySet<number | string>} Ids */
/** @typedef {"boxes" | "polygons" | "circles" | "walls"} List */

/** The list of each kind in files. @type {Record<Kind, List>} */
export const LISTS = { box: "boxes", polygon: "polygons", circle: "circles", wall: "walls" };

const LEAST = 0.001; // extents below this [mm] are none: such an object could be neither seen nor cut

/** Properties of a shape that nothing was said of. */
const BLANK = { row: [], corners: [], origin: null, name: "", group: null, locked: false, hidden: false };

/** A new shape. @returns {Shape} */
export function newShape(/** @type {Kind} */ kind, /** @type {number[]} */ row, /** @type {Point[]} */ corners = []) {
  return { ...BLANK, id: newId(), kind, row: row.map(tidy), corners: corners.map(tidyPoint) };
}

/** @returns {Point} */
function tidyPoint(/** @type {Point} */ [x, y]) {
  return [tidy(x), tidy(y)];
}

/** Return whether a shape has an extent. */
export function hasExtent(/** @type {Shape} */ { kind, row, corners }) {
  if (kind === "box") return row[2] - row[0] > LEAST && row[3] - row[1] > LEAST;
  if (kind === "circle") return row[2] > LEAST;
  if (kind === "wall") return Math.hypot(row[2] - row[0], row[3] - row[1]) > LEAST;
  return new Set(corners.map(String)).size > 2;
}

// ---- to and from what the server exchanges ----

/** Make the drawing of a content; without origins, the content is the content of the file. @returns {Doc} */
export function docOf(/** @type {Content} */ content, /** @type {Origins | undefined} */ origins = undefined) {
  const { name, description, tube, bounds, start, goal, obstacles } = content;
  const { boxes, polygons, circles, walls, ends, friction } = obstacles;
  const originOf = (/** @type {Kind} */ kind, /** @type {number} */ k) => (origins ? (origins[LISTS[kind]]?.[k] ?? null) : k);
  const made = (/** @type {Kind} */ kind, /** @type {number} */ k) => {
    const name = obstacles.names?.[`${kind} ${k + 1}`] ?? "";
    return /** @type {Shape} */ ({ ...BLANK, id: newId(), kind, name, origin: originOf(kind, k) });
  };
  const rows = (/** @type {Kind} */ kind, /** @type {number[][]} */ list) => list.map((row, k) => ({ ...made(kind, k), row }));
  const shapes = [
    ...rows("box", boxes), ...polygons.map((corners, k) => ({ ...made("polygon", k), corners })), ...rows("circle", circles), ...rows("wall", walls),
  ];
  return { name, description, tube, bounds, start, goal, shapes, ends, friction };
}

/** The content of a drawing. @returns {Content} */
export function contentOf(/** @type {Doc} */ doc) {
  const { name, description, tube, bounds, start, goal, shapes, ends, friction } = doc;
  const rows = (/** @type {Kind} */ kind) => shapes.filter((shape) => shape.kind === kind).map((shape) => shape.row);
  const polygons = shapes.filter((shape) => shape.kind === "polygon").map((shape) => shape.corners);
  const obstacles = { boxes: rows("box"), polygons, circles: rows("circle"), walls: rows("wall"), ends, friction, names: givenNames(shapes) };
  return { name, description, tube, bounds, start, goal, obstacles };
}

/** The names that shapes were given, by their kind and number. */
function givenNames(/** @type {readonly Shape[]} */ shapes) {
  const labels = labelsOf(shapes);
  return Object.fromEntries(shapes.filter(({ name }) => name).map(({ id, name }) => [labels.get(id) ?? "", name]));
}

/** The kind and number of each shape, as "wall 6". @returns {Map<number, string>} */
export function labelsOf(/** @type {readonly Shape[]} */ shapes) {
  /** @type {Record<string, number>} */
  const counts = {};
  return new Map(
    shapes.map(({ id, kind }) => {
      counts[kind] = (counts[kind] ?? 0) + 1;
      return [id, `${kind} ${counts[kind]}`];
    }),
  );
}

/** Index of each row of the content in the file that was opened, for each list. @returns {Origins} */
export function originsOf(/** @type {Doc} */ { shapes }) {
  const of = (/** @type {Kind} */ kind) => shapes.filter((shape) => shape.kind === kind).map((shape) => shape.origin);
  return { boxes: of("box"), polygons: of("polygon"), circles: of("circle"), walls: of("wall") };
}

/** Index of a shape among the shapes of its kind, from 0. */
export function indexOf(/** @type {Doc} */ doc, /** @type {Shape} */ shape) {
  return doc.shapes.filter((one) => one.kind === shape.kind).findIndex((one) => one.id === shape.id);
}

// ---- what a selection is ----

/** The shapes of a selection. */
export function shapesIn(/** @type {Doc} */ doc, /** @type {Ids} */ ids) {
  return doc.shapes.filter((shape) => ids.has(shape.id));
}

/** The objects of a selection that exist. */
export function filterExisting(/** @type {Doc} */ doc, /** @type {Ids} */ ids) {
  const known = new Set(["start", "goal", "bounds", ...doc.shapes.map((shape) => shape.id)]);
  return [...ids].filter((id) => known.has(id));
}

/** The box around a selection; null if it is empty. @returns {Box | null} */
export function extentOf(/** @type {Doc} */ doc, /** @type {Ids} */ ids) {
  const { start, goal, bounds } = doc;
  const boxes = shapesIn(doc, ids).map(boxOf);
  if (ids.has("start")) boxes.push(boxAround([start.position]));
  if (ids.has("goal")) {
    const radius = /** @type {Point} */ ([goal.radius, goal.radius]);
    boxes.push({ min: minus(goal.position, radius), max: plus(goal.position, radius) });
  }
  if (ids.has("bounds")) boxes.push(bounds);
  return boxes.length ? boxes.reduce(joinBoxes) : null;
}

/** The point about which a selection turns. @returns {Point} */
export function pivotOf(/** @type {Doc} */ doc, /** @type {Ids} */ ids) {
  const points = shapesIn(doc, ids).map(centreOf);
  if (ids.has("start")) points.push(doc.start.position);
  if (ids.has("goal")) points.push(doc.goal.position);
  const sum = points.reduce(plus, [0, 0]);
  return points.length ? [tidy(sum[0] / points.length), tidy(sum[1] / points.length)] : [0, 0];
}

// ---- changes of shapes ----

/** Change the shapes of a selection. @returns {Doc} */
export function changeShapes(/** @type {Doc} */ doc, /** @type {Ids} */ ids, /** @type {(shape: Shape) => Shape} */ change) {
  return { ...doc, shapes: doc.shapes.map((shape) => (ids.has(shape.id) ? change(shape) : shape)) };
}

/** Put a shape in the place of the one with its id. @returns {Doc} */
export function replaceShape(/** @type {Doc} */ doc, /** @type {Shape} */ shape) {
  return changeShapes(doc, new Set([shape.id]), () => shape);
}

/** @returns {Doc} */
export function addShapes(/** @type {Doc} */ doc, /** @type {Shape[]} */ shapes) {
  return { ...doc, shapes: [...doc.shapes, ...shapes] };
}

/** Remove the shapes of a selection that are not locked; start, goal and bounds always exist. @returns {Doc} */
export function removeShapes(/** @type {Doc} */ doc, /** @type {Ids} */ ids) {
  const shapes = doc.shapes.filter((shape) => shape.locked || !ids.has(shape.id));
  return shapes.length === doc.shapes.length ? doc : { ...doc, shapes };
}

/** Copies of shapes, with ids and groups of their own. @returns {Shape[]} */
export function copyShapes(/** @type {readonly Shape[]} */ shapes, /** @type {Point} */ by) {
  /** @type {Map<number, number>} */
  const groups = new Map();
  return shapes.map((shape) => {
    const { group } = shape;
    if (group !== null && !groups.has(group)) groups.set(group, newId());
    const copied = group === null ? null : (groups.get(group) ?? null);
    return { ...moveShape(shape, by), id: newId(), origin: null, group: copied, locked: false };
  });
}

/** @returns {Shape} */
function moveShape(/** @type {Shape} */ shape, /** @type {Point} */ [dx, dy]) {
  const { kind, row } = shape;
  if (kind === "polygon") return { ...shape, corners: shape.corners.map(([x, y]) => tidyPoint([x + dx, y + dy])) };
  const pairs = kind === "circle" ? 2 : 4; // what follows is a radius, a thickness or an angle
  return { ...shape, row: row.map((value, k) => (k < pairs ? tidy(value + (k % 2 ? dy : dx)) : value)) };
}

/** A shape turned about a point. @returns {Shape} */
function turnShape(/** @type {Shape} */ shape, /** @type {Point} */ centre, /** @type {number} */ degrees) {
  const { kind, row } = shape;
  const turn = (/** @type {number} */ x, /** @type {number} */ y) => turnPoint([x, y], centre, degrees);
  if (kind === "circle") return { ...shape, row: [...turn(row[0], row[1]), row[2]] };
  if (kind === "wall") return { ...shape, row: [...turn(row[0], row[1]), ...turn(row[2], row[3]), row[4]] };
  if (kind === "polygon") return { ...shape, corners: shape.corners.map(([x, y]) => turn(x, y)) };
  const size = /** @type {Point} */ ([row[2] - row[0], row[3] - row[1]]);
  return { ...shape, row: turnedRow(turn((row[0] + row[2]) / 2, (row[1] + row[3]) / 2), size, (row[4] ?? 0) + degrees) };
}

/** Move a selection; locked shapes stay. @returns {Doc} */
export function moveObjects(/** @type {Doc} */ doc, /** @type {Ids} */ ids, /** @type {Point} */ by) {
  if (!by[0] && !by[1]) return doc;
  let { start, goal, bounds } = doc;
  const shift = (/** @type {Point} */ point) => tidyPoint(plus(point, by));
  if (ids.has("start")) start = { ...start, position: shift(start.position) };
  if (ids.has("goal")) goal = { ...goal, position: shift(goal.position) };
  if (ids.has("bounds")) bounds = { ...bounds, min: shift(bounds.min), max: shift(bounds.max) };
  return { ...changeShapes(doc, ids, (shape) => (shape.locked ? shape : moveShape(shape, by))), start, goal, bounds };
}

/** Turn a selection about a point; bounds and locked shapes do not turn. @returns {Doc} */
export function rotateObjects(/** @type {Doc} */ doc, /** @type {Ids} */ ids, /** @type {Point} */ centre, /** @type {number} */ degrees) {
  if (!(degrees % 360)) return doc;
  let { start, goal } = doc;
  if (ids.has("start")) {
    const heading = normaliseAngle(start.heading_deg + degrees);
    start = { ...start, position: turnPoint(start.position, centre, degrees), heading_deg: heading };
  }
  if (ids.has("goal")) goal = { ...goal, position: turnPoint(goal.position, centre, degrees) };
  return { ...changeShapes(doc, ids, (shape) => (shape.locked ? shape : turnShape(shape, centre, degrees))), start, goal };
}

// ---- corners of polygons ----

/** A polygon with the corners of a box, whose corners can then be moved. @returns {Shape} */
export function makePolygon(/** @type {Shape} */ shape) {
  return { ...shape, kind: "polygon", row: [], corners: cornersOf(shape).map(tidyPoint), origin: null };
}

/** @returns {Shape} */
export function withCorner(/** @type {Shape} */ shape, /** @type {number} */ index, /** @type {Point} */ at) {
  return { ...shape, corners: shape.corners.map((corner, k) => (k === index ? tidyPoint(at) : corner)) };
}

/** A polygon with another corner, which gets an index. @returns {Shape} */
export function withNewCorner(/** @type {Shape} */ shape, /** @type {number} */ index, /** @type {Point} */ at) {
  return { ...shape, corners: [...shape.corners.slice(0, index), tidyPoint(at), ...shape.corners.slice(index)] };
}

/** A polygon without a corner; a triangle stays as it is. @returns {Shape} */
export function withoutCorner(/** @type {Shape} */ shape, /** @type {number} */ index) {
  return shape.corners.length > 3 ? { ...shape, corners: shape.corners.filter((_, k) => k !== index) } : shape;
}

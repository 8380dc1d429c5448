/** Selecting, moving, and dragging handles. */

import { beginGesture, edit, set, state } from "../store.js";
import { pixels } from "../view.js";
import { snapPress, snapRadius, newWord, snaps, targets } from "./aim.js";
import { isEditable } from "./editing.js";
import { angle, boxAround, middle, minus, roundTo, normaliseAngle, plus } from "./geometry.js";
import { objectAt, objectsIn } from "./hit.js";
import { clearGesture, live, show } from "./live.js";
import { angleText, boxMeasures, headingMeasures, moveMeasures, radiusMeasures, shapeMeasures } from "./measures.js";
import { centreOf, cornersOf, wallEnds } from "./outline.js";
import { currentHandles } from "./overlay.js";
import { tubeRadius } from "./scene.js";
import { changeShapes, extentOf, moveObjects, pivotOf, rotateObjects, shapesIn, withNewCorner, withoutCorner } from "./shapes.js";
import { snapMove } from "./snap.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("./aim.js").Press} Press */
/** @typedef {import("./aim.js").Gesture} Gesture */
/** @typedef {import("./handles.js").Handle} Handle */
/** @typedef {import("./snap.js").Target} Target */

const NEAR = 5; // distance at which an object is still hit [px]
const MOST_POINTS = 24; // of a selection that snap; larger ones snap with their box

/** @type {import("./aim.js").Tool} */
export const selectTool = {
  title: "Select", hotkey: "V", hint: "", cursor: "default",
  press(press) {
    if (!isEditable()) return null;
    const handle = press.handle && currentHandles().find((one) => one.name === press.handle);
    if (handle && press.alt && handle.kind === "corner" && handle.corner !== undefined) return deleteCorner(handle.corner);
    if (handle) return dragHandle(handle, press);
    const id = objectUnder(press);
    show({ corner: null, hover: null });
    if (id === null) return marquee(press);
    const wasSelected = state.selection.has(id);
    if (press.shift) {
      set({ selection: new Set(wasSelected ? [...state.selection].filter((one) => one !== id) : [...state.selection, id]) });
      return wasSelected ? null : move(press, null);
    }
    if (!wasSelected) set({ selection: new Set([id]) });
    return move(press, wasSelected ? id : null);
  },
  hover(press) {
    const hover = press.handle || !isEditable() ? null : objectUnder(press);
    if (hover !== live.hover) show({ hover });
  },
  leave() {
    show({ hover: null });
    return false;
  },
};

function objectUnder(/** @type {Press} */ press) {
  return objectAt(state.doc, press.at, pixels(NEAR), tubeRadius());
}

/** Return a function that cancels the gesture which begins now and takes its changes back. */
function beginCancellable() {
  const goBack = beginGesture();
  return () => {
    goBack();
    clearGesture();
  };
}

// ---- moving ----

/** Move the selection; a click on one of several selected objects selects it alone. @returns {Gesture} */
function move(/** @type {Press} */ from, /** @type {number | string | null} */ clicked) {
  const [before, cancel] = [state.doc, beginCancellable()];
  const ids = state.selection;
  const word = newWord("move");
  const points = snappingPoints(before, from.at);
  const near = targets(ids);
  return {
    move(press) {
      const wanted = press.shift ? alignToAxis(minus(press.at, from.at)) : minus(press.at, from.at);
      const { by, mark } = snapMove(points, wanted, near, state.view.scale, snaps(press));
      const doc = moveObjects(before, ids, by);
      edit(() => doc, word);
      const extent = extentOf(doc, ids);
      const dimensions = extent ? moveMeasures(doc, ids, extent, by) : [];
      show({ snapped: mark, dimensions, moving: true });
    },
    done(_, dragged) {
      if (!dragged && clicked !== null) set({ selection: new Set([clicked]) });
      clearGesture();
    },
    cancel,
  };
}

/** A movement along the axis that it is nearer to. @returns {Point} */
function alignToAxis(/** @type {Point} */ [dx, dy]) {
  return Math.abs(dx) < Math.abs(dy) ? [0, dy] : [dx, 0];
}

/** The points of the selection that snap: the first one snaps to the grid. @returns {Point[]} */
function snappingPoints(/** @type {Doc} */ doc, /** @type {Point} */ grabbed) {
  const ids = state.selection;
  const shapes = shapesIn(doc, ids);
  const extent = extentOf(doc, ids);
  const points = shapes.length > MOST_POINTS ? [] : shapes.flatMap((shape) => pointsOf(shape));
  if (ids.has("start")) points.unshift(doc.start.position);
  if (ids.has("goal")) points.unshift(doc.goal.position);
  if (ids.has("bounds")) points.push(doc.bounds.min, doc.bounds.max);
  if (points.length <= 4 * MOST_POINTS && points.length) return points;
  return extent ? [extent.min, extent.max, middle(extent.min, extent.max)] : [grabbed];
}

function pointsOf(/** @type {Shape} */ shape) {
  if (shape.kind === "circle") return [centreOf(shape)];
  if (shape.kind === "wall") return [...wallEnds(shape), ...cornersOf(shape)];
  return [...cornersOf(shape), centreOf(shape)];
}

// ---- the rectangle that selects ----

/** Select with a rectangle: objects wholly inside if it is drawn to the right, else all objects that it touches. @returns {Gesture} */
function marquee(/** @type {Press} */ from) {
  const before = from.shift ? state.selection : new Set();
  if (!from.shift) set({ selection: new Set() });
  return {
    move(press) {
      const touching = press.screen[0] < from.screen[0];
      const found = objectsIn(state.doc, boxAround([from.at, press.at]), touching);
      set({ selection: new Set([...before, ...found]) });
      show({ marquee: { from: from.screen, to: press.screen } });
    },
    done: clearGesture,
    cancel() {
      set({ selection: new Set() });
      clearGesture();
    },
  };
}

// ---- handles ----

/** @returns {null} */
function deleteCorner(/** @type {number} */ index) {
  edit((doc) => changeShapes(doc, state.selection, (shape) => (shape.kind === "polygon" ? withoutCorner(shape, index) : shape)));
  show({ corner: null });
  return null;
}

/** @returns {Gesture} */
function dragHandle(/** @type {Handle} */ handle, /** @type {Press} */ from) {
  if (handle.kind === "turn") return turn(from);
  const [before, cancel] = [state.doc, beginCancellable()];
  const corner = handle.corner ?? null;
  const [shape] = shapesIn(before, state.selection);
  const word = newWord("handle");
  if (handle.kind === "insert" && corner !== null) {
    edit((doc) => changeShapes(doc, state.selection, () => withNewCorner(shape, corner, handle.at)), word);
  }
  show({ corner });
  const base = state.doc;
  // Own corners are targets as well where they do not move: of a polygon, a corner can come onto another.
  const near = targets(handle.kind === "corner" && shape?.kind === "polygon" ? [] : state.selection).filter(
    ({ at }) => at[0] !== handle.at[0] || at[1] !== handle.at[1],
  );
  const offset = minus(handle.at, from.at);
  return {
    move(press) {
      const wanted = { ...press, at: plus(press.at, offset) };
      const to = handleTarget(handle, wanted, near);
      const doc = handle.kind === "insert" ? dragInserted(base, corner ?? 0, to) : handle.drag(base, to, press.shift);
      edit(() => doc, word);
      show({ dimensions: handleMeasures(doc, handle) });
    },
    done: clearGesture,
    cancel,
  };
}

/** The point that a handle is dragged to: headings do not snap to points, and radii are round. */
function handleTarget(/** @type {Handle} */ { kind, centre }, /** @type {Press} */ press, /** @type {Target[]} */ near) {
  if (kind === "heading") return press.at;
  return centre ? snapRadius(centre, press, near) : snapPress(press, near);
}

function dragInserted(/** @type {Doc} */ doc, /** @type {number} */ corner, /** @type {Point} */ to) {
  return changeShapes(doc, state.selection, (shape) => ({
    ...shape, corners: shape.corners.map((one, k) => (k === corner ? to : one)),
  }));
}

function handleMeasures(/** @type {Doc} */ doc, /** @type {Handle} */ handle) {
  const { start, goal, bounds } = doc;
  if (state.selection.has("start")) return headingMeasures(start.position, start.heading_deg);
  if (state.selection.has("goal")) return radiusMeasures(goal.position, goal.radius);
  if (state.selection.has("bounds")) return boxMeasures(bounds);
  return shapesIn(doc, state.selection).flatMap((shape) => shapeMeasures(shape, handle.corner ?? null));
}

/** Turn the selection about its pivot. @returns {Gesture} */
function turn(/** @type {Press} */ from) {
  const [before, cancel] = [state.doc, beginCancellable()];
  const ids = state.selection;
  const pivot = pivotOf(before, ids);
  const word = newWord("turn");
  return {
    move(press) {
      const degrees = normaliseAngle(roundTo(angle(pivot, press.at) - angle(pivot, from.at), press.shift ? 15 : 1));
      const doc = rotateObjects(before, ids, pivot, degrees);
      edit(() => doc, word);
      show({ dimensions: [{ from: pivot, to: pivot, text: angleText(degrees) }] });
    },
    done: clearGesture,
    cancel,
  };
}


/** Selecting, moving, and dragging handles. */

import { beginGesture, edit, set, state } from "../store.js";
import { pixels } from "../view.js";
import { snapPress, snapRadius, newWord, snaps, stayingNow, targets } from "./aim.js";
import { withGroup } from "./arrange.js";
import { attachStart } from "./attach.js";
import { alignedMeasures, centreMeasures } from "./centres.js";
import { isEditable } from "./editing.js";
import { angle, boxAround, middle, minus, roundTo, normaliseAngle, plus, tidy } from "./geometry.js";
import { alignBox } from "./guides.js";
import { objectAt, objectsIn } from "./hit.js";
import { clearGesture, live, show } from "./live.js";
import { angleText, boxMeasures, gapMeasures, headingMeasures, moveMeasure, radiusMeasures, shapeMeasures } from "./measures.js";
import { centreOf, cornersOf, wallEnds } from "./outline.js";
import { currentHandles } from "./overlay.js";
import { tubeRadius } from "./scene.js";
import {
  addShapes, changeShapes, copyShapes, extentOf, moveObjects, pivotOf, rotateObjects, shapesIn, withNewCorner, withoutCorner,
} from "./shapes.js";
import { snapMove } from "./snap.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("./aim.js").Press} Press */
/** @typedef {import("./aim.js").Gesture} Gesture */
/** @typedef {import("./handles.js").Handle} Handle */
/** @typedef {import("./snap.js").Target} Target */

const NEAR = 5; // distance at which an object is still hit [px]
const ALIGNED = 4; // distance from a line of other objects at which a movement snaps to it [px]
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
    return press.shift || press.free ? pressToAdd(press, id) : pressAlone(press, id);
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

/** Press one object, with its group: a click on one of several selected objects selects it alone. */
function pressAlone(/** @type {Press} */ press, /** @type {number | string} */ id) {
  const [wasSelected, ids] = [state.selection.has(id), withGroup(state.doc, id)];
  if (!wasSelected) set({ selection: new Set(ids) });
  return move(press, () => {
    // A second click on a group selects the object that is clicked.
    if (wasSelected) set({ selection: new Set(state.selection.size > ids.length ? ids : [id]) });
  });
}

/** Press with Shift or Ctrl: an object is added to the selection, or removed from it. With Ctrl a drag moves it without snapping. */
function pressToAdd(/** @type {Press} */ press, /** @type {number | string} */ id) {
  const ids = withGroup(state.doc, id);
  const remove = () => set({ selection: new Set([...state.selection].filter((one) => !ids.includes(one))) });
  if (!state.selection.has(id)) {
    set({ selection: new Set([...state.selection, ...ids]) });
    return move(press, () => {});
  }
  if (press.free) return move(press, remove);
  remove();
  return null;
}

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

/** Move the selection, or with Alt a copy of it. @returns {Gesture} */
function move(/** @type {Press} */ from, /** @type {() => void} */ click) {
  const [selected, goBack] = [state.selection, beginCancellable()];
  let [before, ids, copied] = [state.doc, state.selection, !from.alt];
  const word = newWord("move");
  const points = snappingPoints(before, from.at);
  let near = targets(ids);
  let staying = stayingNow(ids);
  return {
    move(press) {
      if (!copied) {
        const made = copyShapes(shapesIn(before, ids), [0, 0]);
        [before, ids, copied] = [addShapes(before, made), new Set(made.map((shape) => shape.id)), true];
        [near, staying] = [targets(ids), stayingNow(ids)];
        set({ selection: ids });
      }
      const wanted = press.shift ? alignToAxis(minus(press.at, from.at)) : minus(press.at, from.at);
      const { by, mark, guides } = snapped(extentOf(before, ids), points, wanted, near, staying, snaps(press));
      const doc = mountStart(before, moveObjects(before, ids, by), ids, snaps(press));
      edit(() => doc, word);
      const [was, extent] = [extentOf(before, ids), extentOf(doc, ids)];
      // With Alt the distances of centre lines take the place of all others, which would lie across them.
      const dimensions = !was || !extent ? [] : press.alt ? centreMeasures(extent, staying) : [
        ...gapMeasures(doc, ids, extent), ...alignedMeasures(extent, staying, guides), moveMeasure(extent, minus(extent.min, was.min)),
      ];
      show({ snapped: mark, dimensions, guides, moving: true });
    },
    done(_, dragged) {
      if (!dragged) click();
      clearGesture();
    },
    cancel() {
      goBack();
      set({ selection: selected });
    },
  };
}

/**
 * Snap a movement to points of other objects, else along each axis to their edges and centre lines, else to the grid.
 * @param {import("./geometry.js").Box | null} extent of the selection before
 * @param {readonly Point[]} points
 * @param {Point} wanted
 * @param {readonly Target[]} near
 * @param {readonly import("./geometry.js").Box[]} staying
 * @param {boolean} on
 */
function snapped(extent, points, wanted, near, staying, on) {
  const found = snapMove(points, wanted, near, state.view.scale, on);
  if (!on || found.mark || !extent) return { ...found, guides: [] };
  const there = { min: plus(extent.min, wanted), max: plus(extent.max, wanted) };
  const { by, guides } = alignBox(there, staying, pixels(ALIGNED), [wanted[0] !== 0, wanted[1] !== 0]);
  const shift = (/** @type {0 | 1} */ k) => tidy(by[k] === null ? found.by[k] : wanted[k] + Number(by[k]));
  return { by: /** @type {Point} */ ([shift(0), shift(1)]), mark: null, guides };
}

/** The drawing with a start that comes onto a face, or leaves the one that it was mounted in. */
function mountStart(/** @type {Doc} */ before, /** @type {Doc} */ doc, /** @type {ReadonlySet<number | string>} */ ids, /** @type {boolean} */ on) {
  if (ids.size > 1 || !ids.has("start")) return doc;
  const mounted = on ? attachStart(doc, pixels(NEAR)) : doc;
  const wasMounted = before.start.mount === "wall" && attachStart(before, 0.01) !== before;
  return mounted === doc && wasMounted ? { ...doc, start: { ...doc.start, mount: "free" } } : mounted;
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
  const staying = stayingNow(state.selection);
  const offset = minus(handle.at, from.at);
  return {
    move(press) {
      const wanted = { ...press, at: plus(press.at, offset) };
      const to = handleTarget(handle, wanted, near);
      const doc = handle.kind === "insert" ? dragInserted(base, corner ?? 0, to) : handle.drag(base, to, press.shift);
      edit(() => doc, word);
      const extent = press.alt && handle.kind !== "heading" ? extentOf(doc, state.selection) : null;
      show({ dimensions: [...handleMeasures(doc, handle), ...(extent ? centreMeasures(extent, staying) : [])] });
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


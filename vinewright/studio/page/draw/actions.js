/** Actions of buttons and keys on the selection. */

import { edit, redo, set, state, undo } from "../store.js";
import { plural } from "../text.js";
import { newWord } from "./aim.js";
import { changeBackground, turnBackground } from "./background.js";
import { isEditable } from "./editing.js";
import { isFree } from "./hit.js";
import { live, show } from "./live.js";
import {
  addShapes, changeShapes, copyShapes, filterExisting, moveObjects, pivotOf, removeShapes, rotateObjects, shapesIn, withoutCorner,
} from "./shapes.js";
import { gridStep } from "./snap.js";

/** @typedef {import("../types.js").Point} Point */
/** @typedef {import("../types.js").Shape} Shape */

/** The shapes that were copied, and the text that stands for them on the clipboard of the system. */
let copied = { shapes: /** @type {readonly Shape[]} */ ([]), text: "" };

/** Distance from an object to its copy. @returns {Point} */
function copyOffset() {
  const step = 2 * gridStep(state.view.scale);
  return [step, -step];
}

export function undoEdit() {
  if (!undo()) set({ message: "Nothing to undo." });
  forgetMissing();
}

export function redoEdit() {
  if (!redo()) set({ message: "Nothing to redo." });
  forgetMissing();
}

/** Shapes that no longer exist are not selected. */
function forgetMissing() {
  const found = filterExisting(state.doc, state.selection);
  show({ corner: null });
  if (found.length < state.selection.size) set({ selection: new Set(found) });
}

export function selectAll() {
  set({ tool: "select", selection: new Set(state.doc.shapes.filter(isFree).map((shape) => shape.id)) });
}

/** Remove the active corner, or else the selected shapes. */
export function deleteSelected() {
  const corner = live.corner;
  const [shape] = shapesIn(state.doc, state.selection);
  if (corner !== null && state.selection.size === 1 && shape?.kind === "polygon") {
    if (shape.corners.length > 3) {
      edit((doc) => changeShapes(doc, state.selection, (one) => withoutCorner(one, corner)));
      show({ corner: null });
      return;
    }
  }
  if (!shape) return;
  edit((doc) => removeShapes(doc, state.selection));
  set({ selection: new Set(filterExisting(state.doc, state.selection)) });
}

/** Change a property of the selected shapes that is in no file. */
export function markSelected(/** @type {Partial<Pick<Shape, "locked" | "hidden">>} */ marks) {
  edit((doc) => changeShapes(doc, state.selection, (shape) => ({ ...shape, ...marks })));
  if (marks.hidden) set({ selection: new Set() });
}

/** Draw all shapes again that are hidden. */
export function showHidden() {
  edit((doc) => (doc.shapes.some(({ hidden }) => hidden) ? { ...doc, shapes: doc.shapes.map((shape) => ({ ...shape, hidden: false })) } : doc));
}

/** Copy the selected shapes and select the copies. */
export function duplicate() {
  addCopies(shapesIn(state.doc, state.selection));
}

function addCopies(/** @type {readonly Shape[]} */ shapes) {
  const made = copyShapes(shapes, copyOffset());
  if (!made.length) return made;
  edit((doc) => addShapes(doc, made));
  set({ tool: "select", selection: new Set(made.map((shape) => shape.id)) });
  return made;
}

/** Keep the selected shapes for pasting; returns the text for the clipboard, or null if there are none. */
export function copy() {
  const shapes = shapesIn(state.doc, state.selection);
  if (!shapes.length) return null;
  copied = { shapes, text: `${plural(shapes.length, "object")} of Vinewright studio` };
  return copied.text;
}

/** Paste the shapes that a text of the clipboard stands for; returns whether it does. */
export function paste(/** @type {string} */ text) {
  if (!copied.shapes.length || text !== copied.text) return false;
  // The next paste comes beside this one.
  copied = { ...copied, shapes: addCopies(copied.shapes) };
  return true;
}

/** Move the selection, or with its tool the background; steps of a key that is held are one step of undo. */
export function nudge(/** @type {Point} */ by, /** @type {boolean} */ held) {
  if (!held) nudging = newWord("nudge");
  if (state.tool === "background" && state.background) {
    changeBackground({ x: state.background.x + by[0], y: state.background.y + by[1] }, nudging);
    return;
  }
  edit((doc) => moveObjects(doc, state.selection, by), nudging);
}

let nudging = "nudge";

/** Turn the selection about its centre, or with its tool the background. */
export function turnSelected(/** @type {number} */ degrees) {
  if (state.tool === "background") {
    turnBackground(degrees);
    return;
  }
  const pivot = pivotOf(state.doc, state.selection);
  edit((doc) => rotateObjects(doc, state.selection, pivot, degrees));
}

/** Select an object by a number of steps from the one that is selected, at most the first or the last one. */
export function selectNext(/** @type {number} */ way) {
  const ids = ["start", "goal", ...state.doc.shapes.filter((shape) => !shape.hidden).map((shape) => shape.id), "bounds"];
  const [last] = [...state.selection].slice(-1);
  const at = last !== undefined ? ids.indexOf(last) : way > 0 ? -1 : ids.length;
  set({ tool: "select", selection: new Set([ids[Math.min(Math.max(at + way, 0), ids.length - 1)]]) });
}

/** Choose a tool; the numbers of what is drawn are in its panel. Where the drawing is only looked at, every tool leads there. */
export function chooseTool(/** @type {string} */ tool) {
  set(tool === "select" && isEditable() ? { tool } : { tool, panel: "draw" });
}

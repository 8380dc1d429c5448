/** Compare the drawing and the tube with the run that is shown. */

import { contentOf } from "../draw/shapes.js";
import { state } from "../store.js";
import { environmentText } from "./obstacles.js";

/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("../types.js").RunView} RunView */

const NEAR = 1e-6; // relative difference below which two numbers of tubes are the same

/** @type {WeakMap<RunView, string>} */
const texts = new WeakMap();
/** @type {{doc: Doc | null, run: RunView | null, result: boolean}} */
let last = { doc: null, run: null, result: false };

/** Return whether the drawing differs from the environment of the run that is shown. */
export function hasChanged() {
  const { doc, run } = state;
  if (last.doc !== doc || last.run !== run) {
    last = { doc, run, result: run !== null && environmentText(contentOf(doc)) !== textOf(run) };
  }
  return last.result;
}

function textOf(/** @type {RunView} */ run) {
  const found = texts.get(run) ?? environmentText(run.content);
  texts.set(run, found);
  return found;
}

/** Return whether the tube differs from the tube of the run that is shown. */
export function hasOtherTube() {
  const { run, tube } = state;
  return run !== null && tube !== null && !areAlike(run.tube, tube.content);
}

/** @returns {boolean} */
function areAlike(/** @type {any} */ one, /** @type {any} */ other) {
  if (typeof one === "number" && typeof other === "number") return Math.abs(one - other) <= NEAR * Math.max(Math.abs(one), Math.abs(other));
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return one === other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  // A name and a description do not change a tube.
  for (const key of ["name", "description", "schema", "uncertainty"]) keys.delete(key);
  return [...keys].every((key) => areAlike(one[key], other[key]));
}

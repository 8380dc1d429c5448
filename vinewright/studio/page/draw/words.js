/** Names of objects. */

import { state } from "../store.js";
import { labelsOf } from "./shapes.js";

/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("../types.js").Shape} Shape */

/** The name of the drawing: for a file without a name, the name under which it was opened. */
export function shownName() {
  return state.doc.name || state.opened || "environment";
}

/** Remove from a message of the checks the remark about the direction of y, which the drawing shows. */
export function withoutAside(/** @type {string} */ message) {
  return message.replace(/;[^;]*\by points up here\b\.?/, "");
}

/** The name of an object: its kind and its number in the file, from 1, and the name that it was given. */
export function nameOf(/** @type {Doc} */ doc, /** @type {number | string} */ id) {
  return typeof id === "string" ? id : (namesOf(doc.shapes).get(id) ?? "");
}

/** The names of all shapes. @returns {Map<number, string>} */
export function namesOf(/** @type {readonly Shape[]} */ shapes) {
  const labels = labelsOf(shapes);
  for (const { id, name } of shapes) if (name) labels.set(id, `${labels.get(id)} (${name})`);
  return labels;
}

/** Names of objects. */

import { state } from "../store.js";
import { indexOf, LISTS } from "./shapes.js";

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

/** The name of an object: its kind and its number in the file, from 1. */
export function nameOf(/** @type {Doc} */ doc, /** @type {number | string} */ id) {
  if (typeof id === "string") return id;
  const shape = doc.shapes.find((one) => one.id === id);
  return shape ? `${shape.kind} ${indexOf(doc, shape) + 1}` : "";
}

/** The key of a shape in the file, as the messages of the checks name it. */
export function keyOf(/** @type {Doc} */ doc, /** @type {number} */ id) {
  const shape = doc.shapes.find((one) => one.id === id);
  return shape ? `obstacles.${LISTS[shape.kind]}[${indexOf(doc, shape)}]` : "";
}

/** The name of a shape with its number, for a whole list at once. @returns {Map<number, string>} */
export function namesOf(/** @type {readonly Shape[]} */ shapes) {
  /** @type {Record<string, number>} */
  const counts = {};
  return new Map(
    shapes.map(({ id, kind }) => {
      counts[kind] = (counts[kind] ?? 0) + 1;
      return [id, `${kind} ${counts[kind]}`];
    }),
  );
}

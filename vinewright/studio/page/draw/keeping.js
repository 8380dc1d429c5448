/**
 * The drawing of this tab, kept for when the page is loaded again: the server may remember the drawing of another tab. The server keeps
 * each drawing on disk, under an id that it has from when it is begun or opened.
 */

import { store, loadStored } from "../kept.js";
import { state } from "../store.js";
import { contentOf, originsOf } from "./shapes.js";

/** @typedef {import("../types.js").Opened} Opened */
/** @typedef {import("../types.js").Tube} Tube */

const KEY = "drawing";

/** Keep the drawing as it is now, for the page at the present address. */
export function keepDrawing() {
  const { doc, text, saved, file, opened, tube, id } = state;
  store(KEY, { content: contentOf(doc), origins: originsOf(doc), text, saved, file, name: opened, tube, id });
}

/** A new id of a drawing. */
export function newDrawingId() {
  return [...crypto.getRandomValues(new Uint8Array(10))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The drawing that was kept; null if there is none. @returns {(Opened & {tube: Tube | null}) | null} */
export function keptDrawing() {
  return loadStored(KEY);
}

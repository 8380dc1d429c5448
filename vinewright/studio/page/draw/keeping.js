/** The drawing of this tab, kept for when the page is loaded again: the server may remember the drawing of another tab. */

import { store, loadStored } from "../kept.js";
import { state } from "../store.js";
import { contentOf, originsOf } from "./shapes.js";

/** @typedef {import("../types.js").Opened} Opened */
/** @typedef {import("../types.js").Tube} Tube */

const KEY = "drawing";

/** Keep the drawing as it is now. */
export function keepDrawing() {
  const { doc, text, saved, file, opened, tube } = state;
  store(KEY, { content: contentOf(doc), origins: originsOf(doc), text, saved, file, name: opened, tube });
}

/** The drawing that was kept; null if there is none. @returns {(Opened & {tube: Tube | null}) | null} */
export function keptDrawing() {
  return loadStored(KEY);
}

/** Colours of the style sheet for the canvas, read once for each theme: asking for them is slow. */

import { whenThemeChanges } from "../theme.js";
import { colour } from "../view.js";

/** @type {Map<string, string>} */
const known = new Map();

/** A colour of the style sheet. */
export function canvasColour(/** @type {string} */ name) {
  let found = known.get(name);
  if (found === undefined) {
    found = colour(name);
    known.set(name, found);
  }
  return found;
}

whenThemeChanges(() => known.clear());

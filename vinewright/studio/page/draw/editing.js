/** Protection of the drawing: the panels Look, Trust and Make show it without editing. */

import { state } from "../store.js";

/** Return whether the drawing can be edited now. */
export function isEditable() {
  return ["draw", "tube", "plan"].includes(state.panel);
}

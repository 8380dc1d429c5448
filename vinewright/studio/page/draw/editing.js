/** When the drawing can be edited: in the panels Look, Trust and Make it is only looked at. */

import { state } from "../store.js";

/** Whether it can be edited now. */
export function isEditable() {
  return ["draw", "tube", "plan"].includes(state.panel);
}

/** The choice to begin a plan with the design of the run that is shown. */

import { el } from "../dom.js";
import { state, subscribe } from "../store.js";
import { checkField } from "./parts.js";

/** Name of the field, for messages too. */
export const BEGIN = "Begin with the design of this run";
const HELP =
  "Search and refinement begin with the design to make of the run that is shown, also if drawing or tube have changed since. Without it, they begin from nothing.";

let isWanted = false;

/** The field; without a run there is none. */
export function beginningField() {
  const { row } = checkField("plan-begin", BEGIN, false, (on) => (isWanted = on), HELP);
  const field = el("div", { class: "field" }, row);
  const show = () => (field.hidden = !state.run);
  subscribe(["run"], show);
  show();
  return field;
}

/** The name of the run with whose design a plan begins; null for none. */
export function beginsWith() {
  return isWanted && state.run ? state.run.name : null;
}

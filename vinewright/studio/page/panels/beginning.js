/** The choices to begin a plan with the design of the run that is shown, and to count with the errors that were learnt from its trials. */

import { el } from "../dom.js";
import { state, subscribe } from "../store.js";
import { checkField } from "./parts.js";

/** Name of the first field, for messages too. */
export const BEGIN = "Begin with the design of this run";
const BEGIN_HELP =
  "Search and refinement begin with the design to make of the run that is shown, also if drawing or tube have changed since. Without it, they begin from nothing.";
const LEARNT = "Errors as learnt from its trials";
const LEARNT_HELP =
  "The plan counts with the errors that were learnt from the trials of the tube that was built, in place of the errors chosen above. Of another tube, what was learnt of the base, the obstacles and all actuators of a kind counts.";

const wanted = { begin: false, learnt: false };

/** The fields; without a run there is none, and the second needs errors that were learnt. */
export function beginningFields() {
  const begin = checkField("plan-begin", BEGIN, false, (on) => (wanted.begin = on), BEGIN_HELP);
  const learnt = checkField("plan-learnt", LEARNT, false, (on) => (wanted.learnt = on), LEARNT_HELP);
  const fields = [begin, learnt].map(({ row }) => el("div", { class: "field" }, row));
  const show = () => {
    fields[0].hidden = !state.run;
    fields[1].hidden = !hasLearnt();
  };
  subscribe(["run", "built"], show);
  show();
  return fields;
}

function hasLearnt() {
  return Boolean(state.run && state.built?.run === state.run.name && state.built.learnt);
}

/** Names of the runs with whose design a plan begins and with whose learnt errors it counts; null for none. */
export function beginsWith() {
  const name = state.run?.name ?? null;
  return { begin: wanted.begin ? name : null, learnt: wanted.learnt && hasLearnt() ? name : null };
}

/** Content of the panels: the run, one of its designs, or the best design of a search under way. */

import { isEditable } from "../draw/editing.js";
import { state } from "../store.js";

/** @typedef {import("../types.js").Design} Design */
/** @typedef {import("../types.js").PlanState} PlanState */
/** @typedef {import("../types.js").RunView} RunView */

/**
 * Values beyond the state of the store; code that changes them sets `plan` again.
 * @type {{best: Design | null, asked: string, lost: boolean}}
 */
export const live = {
  best: null, // of the search under way in this drawing
  asked: "", // id of the drawing of which a plan was asked for that the server has not told of
  lost: false, // whether the connection is lost
};

/** Phases that only a plan has; before these a server may also be starting or compiling only to be ready. */
const BEGUN = ["searching", "refining", "writing"];

/** Return whether a plan has begun and has not ended. */
export function hasBegun(/** @type {PlanState} */ { phase }) {
  return BEGUN.includes(phase);
}

/** Return whether the server works, at a plan or to be ready for one. */
export function isBusy(/** @type {PlanState} */ plan) {
  return hasBegun(plan) || plan.phase === "starting" || plan.phase === "compiling";
}

/** Return whether a plan of a drawing is under way. */
export function isUnderWay(/** @type {PlanState} */ plan) {
  return hasBegun(plan) || (plan.drawing !== null && isBusy(plan));
}

/** Return whether a plan of the drawing that is shown is under way; it can be stopped. */
export function isPlanning() {
  return isUnderWay(state.plan) || (live.asked !== "" && live.asked === state.id);
}

/** A design of the run that is shown. */
export function designOf(/** @type {string | null} */ id) {
  return state.run?.designs.find((one) => one.id === id) ?? null;
}

/** The design of the run that is looked at, tried and made. */
export function chosenDesign() {
  return designOf(state.design);
}

/** The design on the stage: the best design of the search under way, unless a panel is open that is about the run. */
export function stageDesign() {
  return isPlanning() && isEditable() ? live.best : chosenDesign();
}

/** The actuated sections of a design, which are numbered from 1. */
export function actuatedOf(/** @type {Design} */ { sections }) {
  return sections.filter((section) => section.side !== "none");
}

/** The trials that were made in the page of the design that is shown. */
export function ownTrials() {
  const { run, design, trials } = state;
  return run && trials?.run === run.name && trials.design === design ? trials : null;
}

/** The trials of the design that is shown: the last trials made in the page, else the trials of its plan. */
export function shownTrials() {
  return ownTrials() ?? (state.design === "best" ? (state.run?.trials ?? null) : null);
}

/** The success of the design that is shown, from the same trials as `shownTrials`. */
export function shownSuccess() {
  const own = ownTrials();
  return own ? own.success : (chosenDesign()?.success ?? null);
}

/** The errors on which that success depends, from the same trials; null if they are not known. */
export function shownInfluences() {
  const own = ownTrials();
  return own ? own.influences : state.design === "best" ? (state.run?.influences ?? null) : null;
}

/** The pack of the design that is shown. */
export function shownPack() {
  const { run, design, pack } = state;
  return run && pack?.run === run.name && pack.design === design ? pack : null;
}

/** Changes of the state that show no run. @type {Partial<import("../types.js").State>} */
export const WITHOUT_RUN = { run: null, design: "best", other: null, growths: [], time: Infinity, trials: null, pack: null, compared: null, built: null };

/** Changes of the state that show a run. @returns {Partial<import("../types.js").State>} */
export function stateOfRun(/** @type {RunView} */ run) {
  return { ...WITHOUT_RUN, run };
}

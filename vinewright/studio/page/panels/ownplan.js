/** The plan that the server tells of. A page shows it if it is of its drawing; else only that the server is busy with it. */

import { IDLE, set, state, subscribe } from "../store.js";
import { repaint } from "../view.js";
import { isUnderWay, live } from "./shown.js";

/** @typedef {import("../types.js").Design} Design */
/** @typedef {import("../types.js").PlanState} PlanState */

/** The last plan, of whatever drawing, and the best design of its search. @type {{plan: PlanState, best: Design | null}} */
const latest = { plan: IDLE, best: null };

/** Show the plan of a drawing when that is opened again. */
export function mountOwnPlan() {
  subscribe(["id"], showOwnPlan);
}

/** Return whether a plan is of the drawing that is shown; what the server does to get ready for plans concerns every page. */
function isOwn(/** @type {PlanState} */ { drawing }) {
  return drawing === null || drawing === state.id;
}

/** Return whether the last plan is of the drawing that is shown. */
export function isOwnPlan() {
  return isOwn(latest.plan);
}

/** The last plan, of whatever drawing. */
export function latestPlan() {
  return latest.plan;
}

/** The plan under way of another drawing, or null. */
export function planElsewhere() {
  return !isOwnPlan() && isUnderWay(latest.plan) ? latest.plan : null;
}

/** Note the state of the plan. */
export function notePlan(/** @type {PlanState} */ plan) {
  if (plan.phase === "starting") latest.best = null;
  latest.plan = plan;
  showOwnPlan();
}

/** Note that the run of a plan was renamed, or deleted. */
export function noteRenaming(/** @type {{gone: string, now: string | null}} */ { gone, now }) {
  if (latest.plan.run === gone) notePlan({ ...latest.plan, run: now });
}

/** Note the best design of its search; null if there is none yet. */
export function noteBest(/** @type {Design | null} */ design) {
  latest.best = design;
  showOwnPlan();
  repaint();
}

function showOwnPlan() {
  const own = isOwnPlan();
  live.best = own ? latest.best : null;
  set({ plan: own ? { ...latest.plan } : { ...IDLE } });
}

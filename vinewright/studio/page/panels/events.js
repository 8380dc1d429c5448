/** The events of the server. */

import { addHandler } from "../api.js";
import { set, state, subscribe } from "../store.js";
import { forgetBuilt, noteMeasured, receiveAdapting, receiveKept, receiveLearning } from "./built.js";
import { receiveGrowth, askAgain } from "./growths.js";
import { endJob, failJob, forget, whenOwn } from "./jobs.js";
import { forgetPack, receivePack } from "./make.js";
import { isOwnPlan, latestPlan, noteBest, notePlan, noteRenaming } from "./ownplan.js";
import { followRun, refreshRuns, showRun } from "./runs.js";
import { isUnderWay, live } from "./shown.js";
import { changeTree } from "./treelayer.js";
import { forgetTrials, receiveTrials } from "./trials.js";

/** @typedef {import("../types.js").PlanState} PlanState */

const LOST = "Connection lost; trying again.";

/** The run of the last plan that ended; the server tells of it again after each reconnection. */
let handled = /** @type {string | null} */ (null);
/** Runs of plans that ended while another drawing was shown, by the ids of their drawings. @type {Map<string, string>} */
const ended = new Map();

/** Handle them. */
export function mountEvents() {
  subscribe(["id"], showEnded);
  addHandler("plan", ({ plan }) => receivePlan(plan));
  addHandler("tree", changeTree);
  addHandler("best", ({ design }) => noteBest(design));
  addHandler("growth", (event) => whenOwn(event, ({ growth, job }) => {
    endJob(job);
    receiveGrowth(growth);
  }));
  addHandler("trials", (event) => whenOwn(event, receiveTrials));
  addHandler("pack", (event) => whenOwn(event, ({ pack, job }) => {
    endJob(job);
    receivePack(pack);
  }));
  addHandler("measured", ({ run }) => noteMeasured(run));
  addHandler("learning", (event) => {
    whenOwn(event, receiveLearning);
    // The files are there for all tabs.
    if (!event.learning.busy) noteMeasured(event.learning.run);
  });
  addHandler("adapting", (event) => whenOwn(event, receiveAdapting));
  addHandler("kept", (event) => whenOwn(event, receiveKept));
  addHandler("failed", (event) => {
    if (event.what === "plan") receivePlan({ ...latestPlan(), phase: "failed", message: event.message });
    else whenOwn(event, ({ job, message }) => void (failJob(job, message) || set({ message })));
  });
  addHandler("runs", (event) => {
    noteRenaming(event);
    if (handled === event.gone) handled = event.now;
    for (const [id, run] of ended) {
      if (run === event.gone) ended.set(id, event.now ?? "");
    }
    followRun(event);
  });
  addHandler("connected", noteReconnection);
  addHandler("lost", () => {
    if (live.lost) return;
    live.lost = true;
    forgetJobs();
    set({ plan: { ...state.plan }, message: LOST });
  });
}

/** Stop waiting for answers, so that no button stays busy. */
function forgetJobs() {
  forget();
  forgetPack();
  forgetTrials();
  forgetBuilt();
  askAgain();
}

/** Note that the connection is restored. */
function noteReconnection() {
  if (!live.lost) return;
  live.lost = false;
  live.asked = "";
  forgetJobs();
  refreshRuns();
  set({ plan: { ...state.plan }, message: state.message === LOST ? "" : state.message });
}

function receivePlan(/** @type {PlanState} */ plan) {
  // It is the first event after a reconnection.
  noteReconnection();
  const over = plan.phase === "done" || plan.phase === "failed";
  if (over || isUnderWay(plan)) live.asked = "";
  notePlan(plan);
  if (plan.phase !== "done" || plan.run === null || plan.run === handled) return;
  handled = plan.run;
  ended.set(plan.drawing ?? state.id, plan.run);
  showEnded();
  if (!isOwnPlan()) refreshRuns();
}

/** Show the run of a plan of this drawing once, also if the plan ended while another drawing was shown. */
function showEnded() {
  const run = ended.get(state.id);
  if (!run) return;
  ended.delete(state.id);
  showRun(run);
}

/** Note the run of the plan that the server told of when the page was loaded: it is shown if it is of this drawing. */
export function noteFirstPlan(/** @type {PlanState} */ plan) {
  handled = plan.run;
  notePlan(plan);
}

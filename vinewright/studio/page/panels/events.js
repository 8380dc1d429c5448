/** The events of the server. */

import { addHandler } from "../api.js";
import { set, state, subscribe } from "../store.js";
import { receiveGrowth, askAgain } from "./growths.js";
import { endJob, failJob, forget, whenOwn } from "./jobs.js";
import { forgetPack, receivePack } from "./make.js";
import { isOwnPlan, latestPlan, noteBest, notePlan } from "./ownplan.js";
import { refreshRuns, showRun } from "./runs.js";
import { isUnderWay, live } from "./shown.js";
import { changeTree } from "./treelayer.js";
import { forgetTrials, receiveTrials } from "./trials.js";

/** @typedef {import("../types.js").PlanState} PlanState */

const LOST = "Connection lost; trying again.";

/** The run of the last plan that has been shown; the server tells of it again after each reconnection. */
let handled = /** @type {string | null} */ (null);

/** Handle them. */
export function mountEvents() {
  handled = state.run?.name ?? null;
  subscribe(["plan"], showOwnRun);
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
  addHandler("failed", (event) => {
    if (event.what === "plan") receivePlan({ ...latestPlan(), phase: "failed", message: event.message });
    else whenOwn(event, ({ job, message }) => void (failJob(job, message) || set({ message })));
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
  const isNew = plan.phase === "done" && plan.run !== latestPlan().run;
  notePlan(plan);
  if (isNew && !isOwnPlan()) refreshRuns();
}

/** Show the run of the plan of this drawing once, also if the plan ended while another drawing was shown. */
function showOwnRun() {
  const { phase, run } = state.plan;
  if (phase !== "done" || run === null || run === handled) return;
  handled = run;
  showRun(run);
}

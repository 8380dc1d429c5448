/** The events of the server. */

import { addHandler } from "../api.js";
import { set, state } from "../store.js";
import { repaint } from "../view.js";
import { receiveGrowth, askAgain } from "./growths.js";
import { endJob, failJob, forget, whenOwn } from "./jobs.js";
import { forgetPack, receivePack } from "./make.js";
import { refreshRuns, showRun } from "./runs.js";
import { hasBegun, live } from "./shown.js";
import { changeTree } from "./treelayer.js";
import { forgetTrials, receiveTrials } from "./trials.js";

/** @typedef {import("../types.js").PlanState} PlanState */

const LOST = "Connection lost; trying again.";

/** The run of the last plan that has been shown; the server tells of it again after each reconnection. */
let handled = /** @type {string | null} */ (null);

/** Handle them. */
export function mountEvents() {
  handled = state.plan.run;
  addHandler("plan", ({ plan }) => receivePlan(plan));
  addHandler("tree", changeTree);
  addHandler("best", ({ design }) => {
    live.best = design;
    set({ plan: { ...state.plan } });
    repaint();
  });
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
    if (event.what === "plan") receivePlan({ ...state.plan, phase: "failed", message: event.message });
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
  live.asked = false;
  forgetJobs();
  refreshRuns();
  set({ plan: { ...state.plan }, message: state.message === LOST ? "" : state.message });
}

function receivePlan(/** @type {PlanState} */ plan) {
  // It is the first event after a reconnection.
  noteReconnection();
  const over = plan.phase === "done" || plan.phase === "failed";
  if (over || hasBegun(plan)) live.asked = false;
  if (plan.phase === "starting") live.best = null;
  const isNew = plan.phase === "done" && plan.run !== null && plan.run !== handled;
  set({ plan });
  if (!isNew || !plan.run) return;
  handled = plan.run;
  showRun(plan.run);
}

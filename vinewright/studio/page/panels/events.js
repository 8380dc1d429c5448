/** The events of the server. */

import { on } from "../api.js";
import { set, state } from "../store.js";
import { repaint } from "../view.js";
import { arrived, askAgain } from "./growths.js";
import { end, fail, forget, whenOwn } from "./jobs.js";
import { forgetPack, packed } from "./make.js";
import { refreshRuns, showRun } from "./runs.js";
import { hasBegun, live } from "./shown.js";
import { changeTree } from "./treelayer.js";
import { forgetTrials, trialsCame } from "./trials.js";

/** @typedef {import("../types.js").PlanState} PlanState */

const LOST = "Connection lost; trying again.";

/** The run of the last plan that has been shown; the server tells of it again after each reconnection. */
let handled = /** @type {string | null} */ (null);

/** Handle them. */
export function mountEvents() {
  handled = state.plan.run;
  on("plan", ({ plan }) => planChanged(plan));
  on("tree", changeTree);
  on("best", ({ design }) => {
    live.best = design;
    set({ plan: { ...state.plan } });
    repaint();
  });
  on("growth", (event) => whenOwn(event, ({ growth, job }) => {
    end(job);
    arrived(growth);
  }));
  on("trials", (event) => whenOwn(event, trialsCame));
  on("pack", (event) => whenOwn(event, ({ pack, job }) => {
    end(job);
    packed(pack);
  }));
  on("failed", (event) => {
    if (event.what === "plan") planChanged({ ...state.plan, phase: "failed", message: event.message });
    else whenOwn(event, ({ job, message }) => void (fail(job, message) || set({ message })));
  });
  on("connected", found);
  on("lost", () => {
    if (live.lost) return;
    live.lost = true;
    forgetJobs();
    set({ plan: { ...state.plan }, message: LOST });
  });
}

/** Nothing is waited for any more, so that no button stays busy. */
function forgetJobs() {
  forget();
  forgetPack();
  forgetTrials();
  askAgain();
}

/** The connection is there again. */
function found() {
  if (!live.lost) return;
  live.lost = false;
  live.asked = false;
  forgetJobs();
  refreshRuns();
  set({ plan: { ...state.plan }, message: state.message === LOST ? "" : state.message });
}

function planChanged(/** @type {PlanState} */ plan) {
  // It is the first event after a reconnection.
  found();
  const over = plan.phase === "done" || plan.phase === "failed";
  if (over || hasBegun(plan)) live.asked = false;
  if (plan.phase === "starting") live.best = null;
  const isNew = plan.phase === "done" && plan.run !== null && plan.run !== handled;
  set({ plan });
  if (!isNew || !plan.run) return;
  handled = plan.run;
  showRun(plan.run);
}

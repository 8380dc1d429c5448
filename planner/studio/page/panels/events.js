/** The events of the server. */

import { on } from "../api.js";
import { set, state } from "../store.js";
import { repaint } from "../view.js";
import { arrived, askAgain } from "./growths.js";
import { end, fail, forget } from "./jobs.js";
import { refreshRuns, showRun } from "./runs.js";
import { live } from "./shown.js";
import { changeTree } from "./treelayer.js";
import { trialsCame } from "./trials.js";

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
  on("growth", ({ growth }) => arrived(growth));
  on("trials", trialsCame);
  on("pack", ({ pack }) => {
    end("pack");
    set({ pack });
  });
  on("failed", ({ what, message }) => {
    if (what === "plan") planChanged({ ...state.plan, phase: "failed", message });
    else if (!fail(message)) set({ message });
  });
  on("connected", found);
  on("lost", () => {
    if (live.lost) return;
    live.lost = true;
    set({ plan: { ...state.plan }, message: LOST });
  });
}

/** The connection is there again. */
function found() {
  if (!live.lost) return;
  live.lost = false;
  live.asked = false;
  forget();
  askAgain();
  refreshRuns();
  set({ plan: { ...state.plan }, message: state.message === LOST ? "" : state.message });
}

function planChanged(/** @type {PlanState} */ plan) {
  // It is the first event after a reconnection.
  found();
  const over = plan.phase === "done" || plan.phase === "failed";
  if (over || ["searching", "refining", "writing"].includes(plan.phase)) live.asked = false;
  if (plan.phase === "starting") live.best = null;
  const isNew = plan.phase === "done" && plan.run !== null && plan.run !== handled;
  set({ plan });
  if (!isNew || !plan.run) return;
  handled = plan.run;
  showRun(plan.run);
}

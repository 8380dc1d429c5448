/** The progress of a plan: the phase in words, a bar, and figures. */

import { el } from "../dom.js";
import { IDLE, state, subscribe } from "../store.js";
import { setText } from "./parts.js";
import { isOver } from "./planning.js";
import { hasBegun, isBusy, live } from "./shown.js";
import { actuatorsWords, lengthWords, percent, secondsWords } from "./words.js";

/** @typedef {import("../types.js").PlanState} PlanState */

const SPOKEN_EVERY = 15_000; // the least time between two lines that are read out while a phase lasts [ms]

/** The progress, kept up to date. */
export function progressPart() {
  const phase = el("p", { id: "plan-phase" });
  // What is read out changes seldom; what is seen, several times a second.
  const spoken = el("p", { id: "plan-spoken", class: "unseen", role: "status" });
  const bar = el("progress", { id: "plan-progress", max: 1, "aria-label": "Progress of the plan" });
  const facts = el("dl", { id: "plan-facts", class: "facts" });
  let [before, told] = ["", 0];
  subscribe(["plan", "doc", "tube", "run"], () => {
    const plan = planToShow(state.plan);
    const words = live.lost ? "Connection lost; trying again." : isOver(plan) ? "" : phaseWords(plan);
    setText(phase, words);
    phase.hidden = !words;
    phase.className = plan.phase === "failed" && !live.lost ? "error" : live.lost ? "quiet" : "";
    const busy = isBusy(plan);
    bar.hidden = !busy || live.lost;
    if (busy) showBar(bar, plan);
    facts.hidden = !hasBegun(plan);
    if (!facts.hidden) showFacts(facts, plan);
    const now = Date.now();
    if (live.lost || plan.phase !== before || now > told + SPOKEN_EVERY) {
      setText(spoken, words);
      [before, told] = [plan.phase, now];
    }
  });
  return el("div", { class: "progress" }, phase, spoken, bar, facts);
}

/** Return the plan to show: one that was asked for is starting, although the server still reports the plan before. @returns {PlanState} */
function planToShow(/** @type {PlanState} */ plan) {
  return live.asked === state.id && !isBusy(plan) ? { ...IDLE, phase: "starting" } : plan;
}

/** The phase in words. */
export function phaseWords(/** @type {PlanState} */ plan) {
  const { phase, seconds, iterations, best, message, success } = plan;
  const time = secondsWords(seconds);
  if (phase === "compiling") return `Compiling the kernels, only this once: about 15 seconds. ${time} so far.`;
  if (phase === "searching") {
    const found = best ? `${actuatorsWords(best.actuators)}, ${lengthWords(best.length)}` : "no design yet";
    return `Searching: ${time}, iteration ${iterations}, ${found}`;
  }
  if (phase === "refining") {
    const share = success === null ? "" : `, success ${percent(success)} %`;
    return `Refining: ${time}, ${message || "comparing designs"}${share}`;
  }
  if (phase === "writing") return "Writing the run.";
  if (phase === "failed") return message || "The plan failed.";
  if (phase === "done") return message ? sentence(message) : "";
  return phase === "starting" ? "Starting." : "";
}

function sentence(/** @type {string} */ text) {
  return `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

function showBar(/** @type {HTMLProgressElement} */ bar, /** @type {PlanState} */ { phase, seconds, left }) {
  if (["searching", "refining"].includes(phase) && left > 0) bar.value = seconds / (seconds + left);
  else if (phase === "writing") bar.value = 1;
  else bar.removeAttribute("value");
}

function showFacts(/** @type {HTMLElement} */ facts, /** @type {PlanState} */ { left, iterations, nodes, best, success }) {
  /** @type {[string, string][]} */
  const rows = [
    ["Time left", left > 0 ? secondsWords(left) : "–"], ["Iterations", String(iterations)], ["Nodes", String(nodes)],
    ["Best design", best ? `${actuatorsWords(best.actuators)}, ${lengthWords(best.length)}` : "none yet"],
    ["Success", success === null ? "not tried yet" : `${percent(success)} %`],
  ];
  if (facts.childElementCount !== 2 * rows.length) facts.replaceChildren(...rows.flatMap(([name]) => [el("dt", {}, name), el("dd", {})]));
  rows.forEach(([, value], k) => setText(facts.children[2 * k + 1], value));
}

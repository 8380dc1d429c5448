/** Start and stop of a plan, by the buttons of the bar and of the panel, and by keys. Plan never stops, so that a second click is harmless. */

import { post } from "../api.js";
import { freshCheck } from "../draw/check.js";
import { shownName, withoutAside } from "../draw/words.js";
import { IDLE, set, state, subscribe } from "../store.js";
import { beginsWith } from "./beginning.js";
import { markOption, optionsAreGood, planOptions, unmarkOption } from "./options.js";
import { planElsewhere } from "./ownplan.js";
import { messageOf } from "./parts.js";
import { hasBegun, isPlanning, live } from "./shown.js";

/** @typedef {import("../types.js").PlanState} PlanState */

const BAD_OPTION = "One of the options cannot be used: see above.";

/** Requests that are not yet answered, and the reason why the last request was refused. */
export const planning = { refusal: "", stopping: false, sending: false };

/** @type {(() => void)[]} */
const listeners = [];

/** Call a listener after each change of `planning`. */
export function whenPlanning(/** @type {() => void} */ listener) {
  listeners.push(listener);
}

function notifyListeners() {
  for (const listener of listeners) listener();
}

/** Forget a refusal when its cause may be gone. */
export function mountPlanning() {
  let { phase } = state.plan;
  subscribe(["plan"], () => {
    if (state.plan.phase === "failed" && phase !== "failed" && !isOver(state.plan)) markOption(state.plan.message);
    phase = state.plan.phase;
    if (!isPlanning() && !planElsewhere()) planning.stopping = false;
    else planning.refusal = "";
  });
  subscribe(["doc", "tube", "run"], () => refuse(""));
  const check = (/** @type {Event} */ { target }) => {
    if (!(target instanceof Element) || !target.closest("#plan-options")) return;
    if (planning.refusal !== BAD_OPTION || optionsAreGood()) refuse("");
  };
  document.addEventListener("change", check);
  document.addEventListener("focusout", check); // Escape restores an option
}

/** Return why the drawing cannot be planned; empty if it can. */
export function drawingFault() {
  const { check } = state;
  if (!check) return "The drawing is being checked.";
  if (check.problem) return `Draw first: ${withoutAside(check.problem.message)}`;
  return check.written ? "" : "The drawing cannot be written.";
}

/** Return why no plan can be started; empty if one can. */
export function startFault() {
  const { sending, stopping } = planning;
  if (stopping) return "The plan is being stopped.";
  if (sending) return "The plan is being started.";
  if (isPlanning()) return "A plan is under way.";
  if (planElsewhere()) return "A plan of another drawing is under way.";
  return drawingFault();
}

/** Return why no plan can be stopped; empty if one can. */
export function stopFault() {
  const { sending, stopping } = planning;
  if (stopping) return "The plan is being stopped.";
  if (sending) return "The plan is being started.";
  if (!isPlanning()) return "No plan is under way.";
  return state.plan.phase === "writing" ? "The run is being written." : "";
}

/** Start a plan, or say what is wrong with the drawing; a plan under way goes on. */
export function startPlan() {
  const why = startFault();
  set({ panel: "plan" });
  if (!why) start();
  else if (!isPlanning() && !planning.sending) set({ message: why });
}

/** Stop the plan that is under way; it keeps its best design. */
export function stopPlan() {
  if (!stopFault()) stop();
}

async function start() {
  unmarkOption();
  if (!optionsAreGood()) return refuse(BAD_OPTION);
  planning.sending = true;
  refuse("");
  // The plan before is over: nothing of it belongs to the one that starts.
  const [before, starting] = [state.plan, { ...IDLE, phase: /** @type {const} */ ("starting") }];
  set({ plan: starting });
  let refusal = "";
  try {
    if (!(await freshCheck())) throw new Error("The drawing could not be checked: the studio does not answer.");
    const why = drawingFault();
    if (why) throw new Error(why);
    live.best = null;
    // Before the answer: a plan that fails at once may be told of earlier than that.
    live.asked = state.id;
    const [text, name, drawing] = [state.check?.text ?? "", shownName(), state.id];
    await post("/api/plan", { text, name, drawing, tube: state.tube?.content ?? {}, options: planOptions(), ...beginsWith() });
  } catch (error) {
    live.asked = "";
    refusal = messageOf(error);
    if (markOption(refusal)) refusal = BAD_OPTION;
    // What is said of a plan that has ended does not come back.
    if (state.plan === starting) set({ plan: hasBegun(before) ? before : IDLE });
  }
  planning.sending = false;
  refuse(refusal);
  set({ plan: { ...state.plan } });
}

/** Stop the plan under way, also that of another drawing. */
export async function stop() {
  planning.stopping = true;
  notifyListeners();
  try {
    await post("/api/stop", { what: "plan" });
  } catch (error) {
    planning.stopping = false;
    set({ message: messageOf(error) });
  }
  notifyListeners();
}

function refuse(/** @type {string} */ message) {
  planning.refusal = message;
  notifyListeners();
}

// ---- what was said of a plan that has ended ----

/** @typedef {{plan: PlanState, doc: unknown, tube: unknown, run: unknown, over: boolean}} Said */
/** @type {Said | null} */
let said = null;

/** Return whether the plan that has ended belongs to another drawing, tube or run than the page shows. */
export function isOver(/** @type {PlanState} */ plan) {
  const { doc, tube, run } = state;
  if (plan.phase !== "failed" && plan.phase !== "done") {
    said = null;
    return false;
  }
  if (!said || said.plan.phase !== plan.phase || said.plan.message !== plan.message || said.plan.run !== plan.run) {
    said = { plan, doc, tube, run, over: false };
  }
  const isOther = run !== said.run && run?.name !== plan.run;
  said.over ||= said.doc !== doc || said.tube !== tube || isOther;
  return said.over;
}

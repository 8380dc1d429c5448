/** The panel of the plan: start and stop it, follow it, choose among its designs, open an earlier run. */

import { post, Refused } from "../api.js";
import { freshCheck } from "../draw/check.js";
import { shownName } from "../draw/words.js";
import { byId, el } from "../dom.js";
import { IDLE, set, state, subscribe } from "../store.js";
import { frontChart } from "./chart.js";
import { changedLine, chooseByActuators, designList, resultLine, whatNext } from "./designs.js";
import { setVisible, visible } from "./layers.js";
import { optionFields, optionsAreGood, planOptions, wantedShare } from "./options.js";
import { checkField, messageOf, setText, swatch } from "./parts.js";
import { progressPart } from "./progress.js";
import { runList } from "./runs.js";
import { chosenDesign, isPlanning, live } from "./shown.js";

const button = el("button", { type: "button", id: "plan-button", class: "primary wide", onclick: pressed });
const reason = el("p", { id: "plan-reason", class: "quiet", role: "status" });
let refusal = "";
let stopping = false;
let sending = false;

/** Fill the panel. */
export function mountPlan() {
  const chart = frontChart((actuators) => !isPlanning() && chooseByActuators(actuators));
  const result = el("div", { id: "plan-result" }, resultLine(), changedLine("plan-changed"), whatNext());
  byId("panel-plan", HTMLElement).append(
    optionFields(), button, reason, progressPart(), result, chart.element, designList(), layersPart(), el("h2", {}, "Runs"), runList(),
  );
  subscribe(["plan", "check"], showButton);
  subscribe(["plan", "run", "design"], () => {
    const planning = isPlanning();
    result.hidden = planning || !state.run;
    byId("designs", HTMLElement).hidden = planning || (state.run?.designs.length ?? 0) < 2;
    const design = chosenDesign();
    if (planning) chart.show(state.plan.front, wantedShare(), null, []);
    else chart.show(state.run?.front ?? [], state.run?.wanted ?? null, design?.actuators ?? null, state.run?.designs.map((one) => one.actuators) ?? []);
  });
}

// ---- the button ----

/** Why a plan cannot start; empty if it can. */
function obstacle() {
  const { check } = state;
  if (!check) return "The drawing is being checked.";
  if (check.problem) return `Draw first: ${check.problem.message}`;
  return check.written ? "" : "The drawing cannot be written.";
}

function showButton() {
  const planning = isPlanning();
  if (!planning) stopping = false;
  if (planning) refusal = "";
  const writing = state.plan.phase === "writing";
  const why = planning || sending ? "" : obstacle();
  setText(button, stopping ? "Stopping" : sending ? "Starting" : planning ? (writing ? "Writing the run" : "Stop and keep the best") : "Plan");
  button.disabled = Boolean(why) || stopping || sending || (planning && writing);
  button.classList.toggle("primary", !planning);
  button.title = why;
  setText(reason, why || refusal);
  reason.className = !why && refusal ? "error" : "quiet";
  reason.hidden = !(why || refusal);
}

function pressed() {
  if (isPlanning()) stop();
  else start();
}

async function start() {
  if (!optionsAreGood()) return refuse("One of the options cannot be used: see above.");
  sending = true;
  refuse("");
  // The plan before is over: nothing of it belongs to the one that starts.
  const [before, starting] = [state.plan, { ...IDLE, phase: /** @type {const} */ ("starting") }];
  set({ plan: starting });
  try {
    if (!(await freshCheck())) throw new Error("The drawing could not be checked: the studio does not answer.");
    const why = obstacle();
    if (why) throw new Error(why);
    live.best = null;
    // Before the answer: a plan that fails at once may be told of earlier than that.
    live.asked = true;
    const [text, name] = [state.check?.text ?? "", shownName()];
    await post("/api/plan", { text, name, tube: state.tube?.content ?? {}, options: planOptions() });
  } catch (error) {
    // If another page has asked, or this one before it was reloaded, it can be stopped here from now on.
    live.asked = error instanceof Refused && error.status === 409;
    refusal = messageOf(error);
    if (state.plan === starting) set({ plan: before });
  }
  sending = false;
  set({ plan: { ...state.plan } });
}

async function stop() {
  stopping = true;
  showButton();
  try {
    await post("/api/stop", { what: "plan" });
  } catch (error) {
    stopping = false;
    set({ message: messageOf(error) });
  }
  showButton();
}

function refuse(/** @type {string} */ message) {
  refusal = message;
  showButton();
}

// ---- what is drawn ----

function layersPart() {
  const tree = checkField("show-tree", "Search tree", true, (on) => setVisible("tree", on));
  const cloud = checkField("show-cloud", "Trials", true, (on) => setVisible("cloud", on));
  // The other panel has the same switch.
  subscribe(["panel"], () => (cloud.input.checked = visible.cloud));
  const lines = /** @type {[string, string][]} */ ([
    ["searched", "searched"], ["jumped", "after a jump"], ["reached", "reached the goal"], ["missed", "missed it"],
    ["actuator-left", "actuator left"], ["actuator-right", "actuator right"], ["actuator-none", "no actuator"],
  ]);
  const legend = el("ul", { class: "legend", "aria-label": "Legend" }, ...lines.map(([look, text]) => el("li", {}, swatch(look), text)));
  return el("div", { id: "plan-layers" }, el("h2", {}, "On the drawing"), el("div", { class: "row" }, tree.row, cloud.row), legend);
}

/** The panel of the plan: start and stop it, follow it, choose among its designs, open an earlier run. */

import { byId, el } from "../dom.js";
import { state, subscribe } from "../store.js";
import { beginningFields } from "./beginning.js";
import { frontChart } from "./chart.js";
import { comparisonPart } from "./compare.js";
import { changedLine, chooseByActuators, countsLine, designList, drawnLine, nextButtons, notesList, resultLine } from "./designs.js";
import { elsewherePart } from "./elsewhere.js";
import { setVisible, visible } from "./layers.js";
import { optionFields, wantedShare } from "./options.js";
import { checkField, setText, showDisabled, swatch } from "./parts.js";
import { drawingFault, isOver, mountPlanning, planning, startFault, startPlan, stopFault, stopPlan, whenPlanning } from "./planning.js";
import { progressPart } from "./progress.js";
import { runList } from "./runs.js";
import { chosenDesign, isPlanning } from "./shown.js";

const startButton = el("button", { type: "button", id: "plan-button", class: "primary", onclick: startPlan }, "Plan");
const stopButton = el("button", { type: "button", id: "plan-stop", onclick: stopPlan }, "Stop, keep the best");
const reason = el("p", { id: "plan-reason", class: "quiet", role: "status" });
const earlier = el("p", { id: "plan-earlier", class: "quiet" });

/** Fill the panel. */
export function mountPlan() {
  const chart = frontChart((actuators) => !isPlanning() && chooseByActuators(actuators));
  const result = el("div", { id: "plan-result" }, earlier, resultLine(), countsLine(), notesList("plan-notes"), changedLine("plan-changed"), nextButtons());
  byId("panel-plan", HTMLElement).append(
    optionFields(), ...beginningFields(), el("div", { id: "plan-buttons", class: "row" }, startButton, stopButton), reason, elsewherePart(), progressPart(), result,
    chart.element, designList(), comparisonPart(), layersPart(), el("h2", {}, "Runs"), runList(),
  );
  mountPlanning();
  subscribe(["plan", "check", "run", "doc", "tube"], showButtons);
  whenPlanning(showButtons);
  subscribe(["plan", "run", "design"], () => {
    const planning = isPlanning();
    result.hidden = planning || !state.run;
    byId("designs", HTMLElement).hidden = planning || (state.run?.designs.length ?? 0) < 2;
    const design = chosenDesign();
    if (planning) chart.show(state.plan.front, wantedShare(), null, []);
    else chart.show(state.run?.front ?? [], state.run?.wanted ?? null, design?.actuators ?? null, state.run?.designs.map((one) => one.actuators) ?? []);
  });
}

// ---- the buttons ----

function showButtons() {
  const { sending, refusal } = planning;
  const isActive = isPlanning() || sending;
  const why = isActive ? "" : drawingFault();
  startButton.classList.toggle("primary", !isActive);
  showDisabled(startButton, startFault(), "Start a plan (Ctrl+Enter)");
  showDisabled(stopButton, stopFault(), "Stop the plan and keep the best (Ctrl+Shift+Enter)");
  setText(reason, why || refusal);
  reason.className = !why && refusal ? "error" : "quiet";
  reason.hidden = !(why || refusal);
  showEarlier();
}

/** Say that the result beneath an error belongs to an earlier plan. */
function showEarlier() {
  const { run, plan } = state;
  const failed = plan.phase === "failed" && !isOver(plan);
  earlier.hidden = isPlanning() || !run || !(failed || planning.refusal);
  setText(earlier, earlier.hidden ? "" : `Shown: the earlier run ${run?.name}.`);
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
  return el("div", { id: "plan-layers" }, el("h2", {}, "On the drawing"), el("div", { class: "row" }, tree.row, cloud.row), drawnLine("plan"), legend);
}

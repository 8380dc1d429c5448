/** The buttons in the top bar that start and stop a plan, on every panel; and their keys. */

import { byId, el } from "../dom.js";
import { isDragging } from "../draw/pointer.js";
import { state, subscribe } from "../store.js";
import { setText, showDisabled } from "./parts.js";
import { planning, startFault, startPlan, stopFault, stopPlan, whenPlanning } from "./planning.js";
import { isPlanning } from "./shown.js";
import { secondsWords } from "./words.js";

/** @type {Record<string, string>} */
const PHASES = { compiling: "Compiling", searching: "Searching", refining: "Refining", writing: "Writing" };

const phase = el("span", { id: "bar-phase", "aria-hidden": "true" }); // it changes each second
const startButton = el("button", { type: "button", id: "bar-plan", class: "primary", onclick: startPlan }, "Plan");
const stopButton = el("button", { type: "button", id: "bar-stop", onclick: stopPlan }, "Stop");

/** Put the buttons into the bar, the phase before them: nothing that changes moves a button. */
export function mountPlanBar() {
  byId("view-actions", HTMLElement).after(phase, startButton, stopButton);
  subscribe(["plan", "check"], show);
  whenPlanning(show);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.altKey || isDragging()) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    if (event.shiftKey) return stopPlan();
    takeTyped();
    startPlan();
  }, true);
}

/** A number that is being typed counts. */
function takeTyped() {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement)) return;
  activeElement.blur();
  if (activeElement.isConnected) activeElement.focus();
}

function show() {
  const { plan } = state;
  const isActive = isPlanning() || planning.sending;
  const word = PHASES[plan.phase];
  const time = plan.phase === "writing" ? "" : ` ${secondsWords(plan.seconds)}`;
  setText(phase, !isActive ? "" : planning.stopping ? "Stopping" : word ? `${word}${time}` : "Starting");
  startButton.classList.toggle("primary", !isActive);
  showDisabled(startButton, startFault(), "Plan with the options of the panel Plan (Ctrl+Enter)");
  showDisabled(stopButton, stopFault(), "Stop the plan and keep the best (Ctrl+Shift+Enter)");
}

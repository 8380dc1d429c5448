/** The button in the top bar that starts and stops a plan, on every panel; and Ctrl+Enter. */

import { byId, el } from "../dom.js";
import { isDragging } from "../draw/pointer.js";
import { state, subscribe } from "../store.js";
import { setText } from "./parts.js";
import { planning, startOrStop, whenPlanning, blockingReason } from "./planning.js";
import { isPlanning } from "./shown.js";
import { secondsWords } from "./words.js";

/** @type {Record<string, string>} */
const PHASES = { compiling: "Compiling", searching: "Searching", refining: "Refining", writing: "Writing" };

const phase = el("span", { "aria-hidden": "true" }); // it changes each second
const action = el("span");
const button = el("button", { type: "button", id: "bar-plan", class: "primary", onclick: startOrStop }, phase, action);

/** Put the button into the bar. */
export function mountPlanBar() {
  byId("view-actions", HTMLElement).after(button);
  subscribe(["plan", "check"], show);
  whenPlanning(show);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.altKey || isDragging()) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    takeTyped();
    startOrStop();
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
  const { stopping, sending } = planning;
  const [busy, why] = [isPlanning(), blockingReason()];
  const word = PHASES[plan.phase];
  const time = plan.phase === "writing" ? "" : ` ${secondsWords(plan.seconds)}`;
  const about = !busy && !sending ? "" : word ? `${word}${time}` : "Starting";
  const act = stopping ? "Stopping" : busy ? (plan.phase === "writing" ? "" : "Stop") : sending ? "" : "Plan";
  setText(phase, about && act ? `${about} · ` : about);
  setText(action, act);
  button.classList.toggle("primary", !busy);
  button.setAttribute("aria-disabled", String(Boolean(why)));
  button.title = why || (busy ? "Stop the plan and keep the best (Ctrl+Enter)" : "Plan with the options of the panel Plan (Ctrl+Enter)");
}

/** The options of a plan. */

import { el } from "../dom.js";
import { numberField } from "../number_input.js";
import { set, state, subscribe } from "../store.js";
import { checkField, folded, optionsOf, selectField } from "./parts.js";

const LARGEST_SEED = 2 ** 53;
const FROM_FILES = ""; // errors of the environment and the tube, or else the default

/** Values of the fields; `null` is left to the server. */
const chosen = {
  time: 30, success: /** @type {number | null} */ (null), errors: FROM_FILES, seed: 0, fast: false, heuristic: false, propagator: "quasistatic",
};

/** The wanted share of successes that the chart shows while a plan is under way. */
export function wantedShare() {
  return (chosen.success ?? 90) / 100;
}

/** The options as the server takes them. */
export function planOptions() {
  const { time, success, errors, seed, fast, heuristic, propagator } = chosen;
  return {
    time_budget_s: time, seed, fast, heuristic, propagator, success, uncertainty: errors || null,
  };
}

/**
 * Take the options of the state over, as of a drawing or a run that was opened. Options that it does not have stay, as do those that
 * the panel cannot have: runs of the command line may have others.
 */
function takeOptions(/** @type {(() => void)[]} */ updates) {
  const { options, known } = state;
  if (!options) {
    keepOptions();
    return;
  }
  const { time_budget_s: time, success, uncertainty, seed, fast, heuristic, propagator } = options;
  if (typeof time === "number" && time > 0) chosen.time = Math.min(time, Number(known.planOptions.time_budget_s?.most ?? time));
  if (success === null || (typeof success === "number" && success > 0 && success <= 100)) chosen.success = success;
  if (typeof seed === "number" && seed >= 0 && seed <= LARGEST_SEED) chosen.seed = seed;
  if (typeof fast === "boolean") chosen.fast = fast;
  if (typeof heuristic === "boolean") chosen.heuristic = heuristic;
  if (uncertainty === null || known.errors.some(({ name }) => name === uncertainty)) chosen.errors = String(uncertainty ?? FROM_FILES);
  if (known.propagators.some((name) => name === propagator)) chosen.propagator = String(propagator);
  for (const update of updates) update();
  keepOptions();
}

/** Keep the options of the panel with the drawing. */
function keepOptions() {
  if (JSON.stringify(planOptions()) !== JSON.stringify(state.options)) set({ options: planOptions() });
}

/** Return whether all fields are valid. */
export function optionsAreGood() {
  return !document.querySelector('#plan-options [aria-invalid="true"]');
}

/** The fields. */
export function optionFields() {
  const timeOptions = {
    id: "plan-time", label: "Time", unit: "s", min: 1, max: Infinity, title: "Search, refinement and trials together",
    value: () => chosen.time, apply: (/** @type {number} */ value) => (chosen.time = value), clear: () => (chosen.time = 30),
  };
  const successOptions = {
    id: "plan-success", label: "Wanted success", unit: "%", placeholder: "90", min: 1, max: Infinity,
    title: "Share of trials that shall reach the goal; a design that does gets no more actuators",
    value: () => chosen.success, apply: (/** @type {number} */ value) => (chosen.success = value), clear: () => (chosen.success = null),
  };
  const [time, success] = [numberField(timeOptions), numberField(successOptions)];
  const errors = selectField("plan-errors", "Errors", [], (value) => (chosen.errors = value));
  errors.select.title = "Of the trials; without errors in the files, those of a workshop";
  const propagator = selectField("plan-propagator", "Model", [], (value) => (chosen.propagator = value));
  const seed = numberField({
    id: "plan-seed", label: "Seed", min: 0, max: LARGEST_SEED, step: 1, digits: 16, title: "Another seed is another search",
    value: () => chosen.seed, apply: (value) => (chosen.seed = Math.floor(value)), clear: () => (chosen.seed = 0),
  });
  const fast = checkField(
    "plan-fast", "Search only, without trials", false, (on) => (chosen.fast = on), "End at the design of lowest cost if everything is as planned",
  );
  const heuristic = checkField(
    "plan-heuristic", "Guide the search by ways to the goal", false, (on) => (chosen.heuristic = on), "Needs OMPL",
  );
  subscribe(["known"], () => {
    // Limits are those of all plans, of which the server tells.
    timeOptions.max = state.known.planOptions.time_budget_s?.most ?? Infinity;
    successOptions.max = state.known.planOptions.success?.most ?? Infinity;
    const presets = state.known.errors.map(({ name }) => /** @type {[string, string]} */ ([name, name]));
    errors.select.replaceChildren(...optionsOf([[FROM_FILES, "as in the files"], ...presets]));
    errors.select.value = chosen.errors;
    propagator.select.replaceChildren(...optionsOf(state.known.propagators.map((name) => [name, name])));
    propagator.select.value = chosen.propagator;
  });
  subscribe(["options", "known"], () => takeOptions([
    time.update, success.update, seed.update, () => (errors.select.value = chosen.errors), () => (fast.input.checked = chosen.fast),
    () => (propagator.select.value = chosen.propagator), () => (heuristic.input.checked = chosen.heuristic),
  ]));
  const more = folded("More options", seed.element, propagator.row, fast.row, heuristic.row);
  const fields = el("div", { id: "plan-options" }, time.element, success.element, errors.row, more);
  // After the fields have taken what was typed or chosen; Escape restores a field that is then left.
  for (const event of ["change", "focusout"]) fields.addEventListener(event, keepOptions);
  return fields;
}

/** The options of a plan. */

import { el } from "../dom.js";
import { numberField } from "../number_input.js";
import { state, subscribe } from "../store.js";
import { checkField, folded, optionsOf, selectField } from "./parts.js";

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
    time_budget_s: time, seed, fast, heuristic, propagator, ...(success === null ? {} : { success }), ...(errors ? { uncertainty: errors } : {}),
  };
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
    id: "plan-seed", label: "Seed", min: 0, max: 2 ** 53, step: 1, digits: 16, title: "Another seed is another search",
    value: () => chosen.seed, apply: (value) => (chosen.seed = Math.floor(value)), clear: () => (chosen.seed = 0),
  });
  for (const field of [time, success, seed]) field.update();
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
  const more = folded("More options", seed.element, propagator.row, fast.row, heuristic.row);
  return el("div", { id: "plan-options" }, time.element, success.element, errors.row, more);
}

/** The options of a plan: their fields are made from the list of all options that the server sends. */

import { el } from "../dom.js";
import { numberField } from "../number_input.js";
import { set, state, subscribe } from "../store.js";
import { bindText, showFault } from "../typed_text.js";
import { BEGIN } from "./beginning.js";
import { checkField, folded, optionsOf, selectField, setText } from "./parts.js";

/** @typedef {import("../types.js").PlanOption} PlanOption */
/** @typedef {number | string | boolean | null} Value */

const MAIN = ["time_budget_s", "success", "uncertainty"]; // shown without a click
/** Ids of fields that are not those of their options. @type {Record<string, string>} */
const IDS = { time_budget_s: "plan-time", uncertainty: "plan-errors" };
const LONGEST_TEXT = 80;

const also = el("div", { id: "plan-also", role: "group", "aria-label": "Options beneath More options that are not as usual" });
const unusable = el("p", { id: "plan-unusable", class: "quiet" });

/** Values of the options; `null` is left to the plan. @type {Record<string, Value>} */
const chosen = {};

/** The wanted share of successes that the chart shows while a plan is under way. */
export function wantedShare() {
  return Number(chosen.success ?? state.known.planOptions.success.implied) / 100;
}

/** The options as the server takes them. */
export function planOptions() {
  return { ...chosen };
}

/**
 * Take the options of the state over, as of a drawing or a run that was opened. Options that it does not have stay, as do those that
 * the panel cannot have: an earlier version may have kept others.
 */
function takeOptions(/** @type {(() => void)[]} */ updates) {
  for (const [name, option] of Object.entries(state.known.planOptions)) {
    const value = state.options?.[name];
    if (value !== undefined && isAllowed(option, value)) chosen[name] = value;
    else if (!(name in chosen)) chosen[name] = option.default;
  }
  if (state.options) for (const update of updates) update();
  keepOptions();
}

function isAllowed(/** @type {PlanOption} */ { type, default: usual, least, most, above, choices }, /** @type {Value} */ value) {
  if (value === null) return usual === null;
  if (type === "bool") return typeof value === "boolean";
  if (type === "str") return typeof value === "string" && (choices.length ? choices.includes(value) : value.length <= LONGEST_TEXT);
  if (typeof value !== "number" || (type === "int" && !Number.isInteger(value))) return false;
  return value >= (least ?? -Infinity) && value <= (most ?? Infinity) && value > (above ?? -Infinity);
}

/** Keep the options of the panel with the drawing. */
function keepOptions() {
  if (JSON.stringify(planOptions()) !== JSON.stringify(state.options)) set({ options: planOptions() });
}

/** Return whether all fields are valid. */
export function optionsAreGood() {
  return !document.querySelector('#plan-options [aria-invalid="true"]');
}

// ---- faults of options that do not fit each other, the tube or the environment ----

/** Say at the field of an option why a plan was refused; returns whether the message names one. */
export function markOption(/** @type {string} */ message) {
  const input = fieldNamed(message);
  if (!input) return false;
  input.closest("details")?.setAttribute("open", "");
  input.scrollIntoView({ block: "nearest" });
  showFault(input, withLabels(message.replace(/^options\.\w+: /, "")));
  refused = input;
  return true;
}

/** Return a message with the names of fields instead of those of the command line. */
function withLabels(/** @type {string} */ message) {
  return Object.entries(state.known.planOptions).reduce(
    (text, [name, { flag, label }]) => text.replace(new RegExp(`${flag}(?![\\w-])|(?<=combined with )${name}\\b`, "g"), `“${label}”`), message.replace(/--from\b/g, `“${BEGIN}”`),
  );
}

/** The field that was marked. @type {import("../typed_text.js").Field | null} */
let refused = null;

/** Remove the mark of an option that was refused: another option or the tube may have changed since. */
export function unmarkOption() {
  if (refused) showFault(refused, null);
  refused = null;
}

/** The field of the option that a message names first. */
function fieldNamed(/** @type {string} */ message) {
  const places = Object.entries(state.known.planOptions).map(([name, { flag }]) => {
    const at = message.search(new RegExp(`^(options\\.|unknown )?${name}\\b|${flag}(?![\\w-])`));
    return { name, at: at < 0 ? Infinity : at };
  });
  const first = places.reduce((one, other) => (other.at < one.at ? other : one));
  const input = first.at < Infinity ? document.getElementById(idOf(first.name)) : null;
  return input instanceof HTMLInputElement || input instanceof HTMLSelectElement ? input : null;
}

// ---- what is beneath "More options", or not in the panel at all ----

/** Show the options beneath "More options" that are not as usual: a plan that was opened may have brought them. Each can be removed. */
function showAlso(/** @type {string[]} */ names) {
  const changed = names.filter((name) => chosen[name] !== state.known.planOptions[name].default);
  also.hidden = !changed.length;
  const hadFocus = also.contains(document.activeElement);
  also.replaceChildren(el("span", { class: "quiet" }, "Also: "), ...changed.map(alsoButton));
  if (hadFocus) (also.querySelector("button") ?? document.querySelector("#plan-options summary"))?.focus();
}

function alsoButton(/** @type {string} */ name) {
  const { label, type, unit, default: usual } = state.known.planOptions[name];
  const value = type === "bool" ? "" : `: ${chosen[name]}${unit && ` ${unit}`}`;
  const remove = () => {
    chosen[name] = usual;
    unmarkOption();
    keepOptions();
  };
  return el("button", { type: "button", class: "chip", "data-option": name, title: "Remove it", onclick: remove }, `${label}${value} `, el("span", { "aria-hidden": "true" }, "×"));
}

/** Say which options of the plan that is shown cannot be had here. */
function showUnusable() {
  const left = state.run?.unusable ?? [];
  unusable.hidden = !left.length;
  setText(unusable, left.length ? `Planned with ${left.join(", ")}, which only the command line takes.` : "");
}

// ---- fields ----

function idOf(/** @type {string} */ name) {
  return IDS[name] ?? `plan-${name}`;
}

/** The fields; the server has said what it offers. */
export function optionFields() {
  const { planOptions: options } = state.known;
  const made = Object.fromEntries(Object.entries(options).map(([name, option]) => [name, fieldOf(name, option)]));
  takeOptions([]);
  const rest = Object.keys(options).filter((name) => !MAIN.includes(name));
  const groups = [...new Set(rest.map((name) => options[name].group))].map((group) =>
    el("fieldset", {}, el("legend", {}, group), ...rest.filter((name) => options[name].group === group).map((name) => made[name].element)),
  );
  const fields = el(
    "div", { id: "plan-options" }, ...MAIN.map((name) => made[name].element), also, unusable, folded("More options", ...groups),
  );
  subscribe(["options"], () => {
    takeOptions(Object.values(made).map(({ update }) => update));
    showAlso(rest);
  });
  subscribe(["run"], showUnusable);
  for (const { update } of Object.values(made)) update();
  fields.addEventListener("change", ({ target }) => {
    // A field in which one types has judged by itself what was typed.
    if (target === refused && target instanceof HTMLInputElement && target.type === "text") refused = null;
    else unmarkOption();
  });
  // After the fields have taken what was typed or chosen; Escape restores a field that is then left.
  for (const event of ["change", "focusout"]) fields.addEventListener(event, keepOptions);
  return fields;
}

/** @returns {{element: HTMLElement, update: () => void}} */
function fieldOf(/** @type {string} */ name, /** @type {PlanOption} */ option) {
  if (option.type === "bool") return checkOption(name, option);
  if (option.choices.length) return choiceOption(name, option);
  return option.type === "str" ? textOption(name, option) : numberOption(name, option);
}

function checkOption(/** @type {string} */ name, /** @type {PlanOption} */ { label, help }) {
  const { row, input } = checkField(idOf(name), label, false, (on) => (chosen[name] = on), help);
  return { element: el("div", { class: "field" }, row), update: () => (input.checked = chosen[name] === true) };
}

function choiceOption(/** @type {string} */ name, /** @type {PlanOption} */ { label, help, choices, default: usual, implied }) {
  const { row, select } = selectField(idOf(name), label, [], (value) => (chosen[name] = value || null));
  /** @type {[string, string][]} */
  const none = usual === null ? [["", implied]] : [];
  select.append(...optionsOf([...none, ...choices.map((one) => /** @type {[string, string]} */ ([one, one]))]));
  select.title = help;
  return { element: el("div", { class: "field" }, row), update: () => (select.value = String(chosen[name] ?? "")) };
}

function textOption(/** @type {string} */ name, /** @type {PlanOption} */ { label, help, default: usual, implied }) {
  const id = idOf(name);
  const input = el("input", { id, type: "text", title: help, placeholder: implied, maxlength: LONGEST_TEXT, autocomplete: "off", spellcheck: "false" });
  const { update } = bindText(input, () => String(chosen[name] ?? ""), () => {
    chosen[name] = input.value.trim() || usual;
    return null;
  });
  return { element: el("div", { class: "field" }, el("div", { class: "choice" }, el("label", { for: id }, label), input)), update };
}

function numberOption(/** @type {string} */ name, /** @type {PlanOption} */ option) {
  const { label, help, least, most, above, unit, implied, type, default: usual } = option;
  return numberField({
    id: idOf(name), label, unit, title: help, placeholder: implied, min: least ?? -Infinity, max: most ?? Infinity, digits: 16,
    fault: (value) => {
      if (above !== null && value <= above) return `must be more than ${above}`;
      return type === "int" && !Number.isInteger(value) ? "must be a whole number" : null;
    },
    value: () => /** @type {number | null} */ (chosen[name]), apply: (value) => (chosen[name] = value), clear: () => (chosen[name] = usual),
  });
}

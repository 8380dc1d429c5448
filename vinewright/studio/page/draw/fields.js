/** Fields of the panel. Each shows a value of the state, and applies what is typed if it is allowed. */

import { el } from "../dom.js";
import { numberField } from "../number_input.js";
import { state } from "../store.js";
import { UNITS } from "../text.js";
import { bindText } from "../typed_text.js";

/** @typedef {import("../number_input.js").NumberOptions} NumberOptions */
/** @typedef {{element: HTMLElement, update: () => void}} Field */

const MOST_LENGTH = 1e7; // of files [mm]

/** Options of an angle in degrees. */
export const ANGLE = { unit: "°", step: 1 };

/** Return the options of a length in mm, shown in the unit of the panels. */
export function lengthOptions() {
  return { unit: state.unit, factor: UNITS[state.unit].size, digits: UNITS[state.unit].digits, step: state.unit === "ft" ? 0.1 : 1, min: -MOST_LENGTH, max: MOST_LENGTH };
}

/** Return why a number that must be positive is not allowed; null if it is. */
export function positiveFault(/** @type {number} */ value) {
  return value > 0 ? null : "must be more than 0";
}

/** Make a labelled input for a number that a button uses, and that is no part of the state. */
export function freeNumberField(
  /** @type {Omit<NumberOptions, "value" | "apply"> & {label: string}} */ options, /** @type {number} */ value = 0,
) {
  const field = numberField({ ...options, value: () => value, apply: (typed) => (value = typed) });
  field.update();
  return field;
}

/**
 * Make a labelled input for a text.
 * @param {string} label
 * @param {() => string} value
 * @param {(text: string) => void} apply
 * @param {(text: string) => string | null} fault
 * @param {number} lines
 * @returns {Field & {input: HTMLInputElement | HTMLTextAreaElement}}
 */
export function textField(label, value, apply, fault, lines = 1) {
  const input = lines > 1 ? el("textarea", { rows: lines }) : el("input", { type: "text" });
  const { update } = bindText(input, value, () => {
    const reason = fault(input.value);
    if (reason === null) apply(input.value);
    return reason;
  });
  const element = el("div", { class: "field" }, el("label", { class: "text" }, el("span", { class: "name" }, label), input));
  return { element, input, update };
}

/**
 * Make a labelled choice.
 * @param {string} label
 * @param {[string, string][]} choices values and what is shown
 * @param {() => string} value
 * @param {(value: string) => void} apply
 * @returns {Field}
 */
export function choiceField(label, choices, value, apply) {
  const options = choices.map(([key, text]) => el("option", { value: key }, text));
  const select = el("select", { onchange: () => apply(select.value) }, ...options);
  const element = el("label", { class: "draw-choice" }, el("span", { class: "name" }, label), select);
  return { element, update: () => void (select.value = value()) };
}

/** Make a labelled checkbox. @returns {Field} */
export function checkField(/** @type {string} */ label, /** @type {() => boolean} */ value, /** @type {(on: boolean) => void} */ apply) {
  const box = el("input", { type: "checkbox", onchange: () => apply(box.checked) });
  return { element: el("label", { class: "draw-check" }, box, el("span", {}, label)), update: () => void (box.checked = value()) };
}

/** Put fields beside each other, two in a row. */
export function pairFields(/** @type {readonly Field[]} */ fields) {
  return el("div", { class: "numbers" }, ...fields.map((field) => field.element));
}

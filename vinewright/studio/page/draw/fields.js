/** Fields of the panel. Each shows a value of the state, and applies what is typed if it is allowed. */

import { el, rounded } from "../dom.js";
import { state } from "../store.js";
import { stage } from "../view.js";
import { numberFrom } from "./number.js";

/** @typedef {{element: HTMLElement, update: () => void}} Field */

/**
 * @typedef {object} NumberOptions
 * @property {string} label
 * @property {"length" | "angle" | "none"} quantity lengths are shown in the unit of the panels
 * @property {() => number | null | undefined} value undefined while there is no such thing
 * @property {(value: number) => void} apply
 * @property {(value: number) => string | null} [fault] why a value is not allowed
 * @property {() => void} [clear] applied to an empty field, which is refused otherwise
 * @property {string} [placeholder] shown in an empty field
 * @property {string} [name] name for screen readers and tests, if it is not the label
 */

const MOST_LENGTH = 1e7; // of files [mm]
let last = 0;

/** The factor from the unit of the panels to mm. */
function unitFactor(/** @type {string} */ quantity) {
  return quantity === "length" && state.unit === "cm" ? 10 : 1;
}

/** The unit of a length without one; "" for other quantities. */
function lengthUnit(/** @type {string} */ quantity) {
  return quantity === "length" ? state.unit : "";
}

/** The sign of a unit. */
function unitSign(/** @type {string} */ quantity) {
  return quantity === "length" ? state.unit : quantity === "angle" ? "°" : "";
}

/** An input for what `numberFrom` reads; a field of type number would drop a decimal comma. */
function decimalInput(/** @type {Record<string, any>} */ properties) {
  return el("input", { type: "text", inputmode: "decimal", autocomplete: "off", ...properties });
}

/** An input for a number. @returns {Field & {input: HTMLInputElement}} */
export function numberInput(/** @type {NumberOptions} */ options) {
  const input = decimalInput({ "aria-label": options.name, placeholder: options.placeholder });
  const text = () => {
    const value = options.value();
    return value === null || value === undefined ? "" : String(rounded(value / unitFactor(options.quantity), 9));
  };
  input.addEventListener("keydown", (event) => {
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const value = numberFrom(input.value, lengthUnit(options.quantity));
    if (!way || !Number.isFinite(value)) return;
    event.preventDefault();
    input.value = String(rounded(value + way * (event.shiftKey ? 10 : 1), 9));
    input.dispatchEvent(new Event("input"));
    input.dispatchEvent(new Event("change"));
  });
  return { element: input, input, update: bind(input, text, () => applied(input, options)) };
}

/**
 * Let an input show a text of the state and apply what is typed; returns what shows the present text. What is being typed, or was
 * refused, stays until the state has another value, or Escape.
 * @param {HTMLInputElement | HTMLTextAreaElement} input
 * @param {() => string} text
 * @param {() => string | null} apply returns why it cannot be applied
 */
function bind(input, text, apply) {
  /** The text of the state when something else was typed; null if nothing is. @type {string | null} */
  let original = null;
  const update = () => {
    const now = text();
    if (now === original) return;
    original = null;
    if (input.value !== now) input.value = now;
    complain(input, null);
  };
  const reset = () => {
    original = null;
    update();
  };
  input.addEventListener("input", () => (original ??= text()));
  input.addEventListener("change", () => {
    const fault = apply();
    complain(input, fault);
    if (fault === null) reset();
  });
  input.addEventListener("keydown", (/** @type {Event} */ event) => {
    if (!(event instanceof KeyboardEvent) || event.key !== "Escape") return;
    reset();
    stage.focus({ preventScroll: true });
    event.preventDefault();
  });
  return update;
}

/** Apply what is typed; returns why it cannot be. */
function applied(/** @type {HTMLInputElement} */ input, /** @type {NumberOptions} */ { quantity, apply, fault, clear }) {
  if (clear && input.value.trim() === "") {
    clear();
    return null;
  }
  const typed = numberFrom(input.value, lengthUnit(quantity));
  if (!Number.isFinite(typed)) return "must be a number, such as 12.5 or 40+25";
  const value = rounded(typed * unitFactor(quantity), 12);
  if (quantity === "length" && Math.abs(value) > MOST_LENGTH) return "must be at most 10 km";
  const found = fault?.(value) ?? null;
  if (found === null) apply(value);
  return found;
}

/** Show why a value was not applied. */
function complain(/** @type {HTMLInputElement | HTMLTextAreaElement} */ input, /** @type {string | null} */ fault) {
  const place = input.closest(".cell") ?? input.parentElement;
  let note = place?.querySelector(".fault");
  if (fault === null) {
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
    note?.remove();
    return;
  }
  if (!note) {
    last += 1;
    note = el("span", { class: "fault", role: "alert", id: `fault-${last}` });
    place?.append(note);
  }
  note.textContent = fault;
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", note.id);
}

/** A labelled number with its unit. @returns {Field} */
export function numberField(/** @type {NumberOptions} */ options) {
  const { input, update } = numberInput(options);
  const unit = el("span", { class: "unit" }, unitSign(options.quantity));
  const label = el("label", { class: "number" }, el("span", { class: "name" }, options.label), input, unit);
  return { element: el("div", { class: "cell" }, label), update };
}

/**
 * A labelled text.
 * @param {string} label
 * @param {() => string} value
 * @param {(text: string) => void} apply
 * @param {(text: string) => string | null} fault
 * @param {number} lines
 * @returns {Field & {input: HTMLInputElement | HTMLTextAreaElement}}
 */
export function textField(label, value, apply, fault, lines = 1) {
  const input = lines > 1 ? el("textarea", { rows: lines }) : el("input", { type: "text" });
  const update = bind(input, value, () => {
    const found = fault(input.value);
    if (found === null) apply(input.value);
    return found;
  });
  const element = el("div", { class: "cell" }, el("label", { class: "text" }, el("span", { class: "name" }, label), input));
  return { element, input, update };
}

/**
 * A labelled choice.
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

/** @returns {Field} */
export function checkField(/** @type {string} */ label, /** @type {() => boolean} */ value, /** @type {(on: boolean) => void} */ apply) {
  const box = el("input", { type: "checkbox", onchange: () => apply(box.checked) });
  return { element: el("label", { class: "draw-check" }, box, el("span", {}, label)), update: () => void (box.checked = value()) };
}

/** A value that is typed for a button, and no part of the state. */
export function looseNumber(/** @type {string} */ label, /** @type {"length" | "angle"} */ quantity, value = 0, name = label) {
  const input = decimalInput({ value: String(value), "aria-label": name });
  const element = el(
    "label", { class: "number" }, el("span", { class: "name" }, label), input, el("span", { class: "unit" }, unitSign(quantity)),
  );
  const read = () => {
    const typed = numberFrom(input.value, lengthUnit(quantity));
    return Number.isFinite(typed) ? typed * unitFactor(quantity) : null;
  };
  return { element, input, read };
}

/** Fields beside each other, two in a row. */
export function pairs(/** @type {readonly Field[]} */ fields) {
  return el("div", { class: "numbers" }, ...fields.map((field) => field.element));
}

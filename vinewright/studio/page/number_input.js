/** Inputs for numbers, with units and limits. */

import { el } from "./dom.js";
import { ambiguousNumber, parseNumber } from "./number.js";
import { round } from "./text.js";
import { bindText, showFault } from "./typed_text.js";

/**
 * @typedef {object} NumberOptions
 * Numbers are in the unit of the state unless it is said that they are as shown.
 * @property {() => number | null | undefined} value number of the state; an empty input if it has none
 * @property {(value: number) => unknown} apply may return a promise of the reason why the value is refused, or of null
 * @property {() => unknown} [clear] applies an empty input, which is refused otherwise; may return a promise as `apply`
 * @property {number} [min]
 * @property {number} [max]
 * @property {(value: number) => string | null} [fault] returns why a value within the limits is not allowed
 * @property {string} [unit] unit that is shown
 * @property {number} [factor] from the unit that is shown to the unit of the state
 * @property {number} [step] of the arrow keys, as shown; by default 1, or 0.1 for numbers below 2
 * @property {number} [digits] number of digits that are shown
 * @property {string} [id]
 * @property {string} [name] name for screen readers, where no label gives it
 * @property {string} [title]
 * @property {string} [placeholder] shown while the input is empty
 */

/**
 * @typedef {object} NumberInput
 * @property {HTMLElement} element the input with all that belongs to it
 * @property {HTMLInputElement} input
 * @property {() => void} update shows the value of the state if it has changed
 * @property {() => void} reset shows the value of the state instead of what is typed
 * @property {() => number | null} read returns what is typed, or says why it is not allowed and returns null
 */

/** Make an input for a number, without a label. @returns {NumberInput} */
export function numberInput(/** @type {NumberOptions} */ options) {
  const { id, name, title, placeholder, unit = "", factor = 1, digits = 9 } = options;
  // An input of type number would drop a decimal comma.
  const input = el("input", { type: "text", inputmode: "decimal", autocomplete: "off", id, title, placeholder, "aria-label": name });
  const text = () => {
    const value = options.value();
    return value === null || value === undefined ? "" : String(round(value / factor, digits));
  };
  const parse = () => {
    const value = round(parseNumber(input.value, unit) * factor, Math.max(digits, 12));
    return { value, fault: ambiguityOf(input.value) ?? faultOf(value, options) };
  };
  const { update, reset } = bindText(input, text, () => {
    const isCleared = options.clear && input.value.trim() === "";
    const { value, fault } = parse();
    if (fault !== null && !isCleared) return fault;
    const outcome = isCleared ? options.clear?.() : options.apply(value);
    return outcome instanceof Promise ? outcome : null;
  });
  const read = () => {
    const { value, fault } = parse();
    showFault(input, fault);
    return fault === null ? value : null;
  };
  input.addEventListener("keydown", (event) => stepNumber(event, input, options));
  return { element: input, input, update, reset, read };
}

/** Make a labelled input with its unit. @returns {NumberInput} */
export function numberField(/** @type {NumberOptions & {label: string}} */ options) {
  const made = numberInput(options);
  const { label, title, unit = "" } = options;
  const row = el("label", { class: "number", title }, el("span", { class: "name" }, label), made.input, el("span", { class: "unit" }, unit));
  return { ...made, element: el("div", { class: "field" }, row) };
}

/** Return why a number that can be read in two ways is refused, with both; null if there is none. */
function ambiguityOf(/** @type {string} */ text) {
  const found = ambiguousNumber(text);
  return found && `${found} can mean ${found.replace(",", "")} or ${Number(found.replace(",", "."))}: type one of them`;
}

/** Return why a number is not allowed; null if it is. */
function faultOf(
  /** @type {number} */ value, /** @type {NumberOptions} */ { min = -Infinity, max = Infinity, unit = "", factor = 1, fault },
) {
  if (!Number.isFinite(value)) return "must be a number, such as 12.5 or 40+25";
  const limit = (/** @type {number} */ number) => `${round(number / factor)} ${unit}`.trim();
  if (value < min) return `must be at least ${limit(min)}`;
  if (value > max) return `must be at most ${limit(max)}`;
  return fault?.(value) ?? null;
}

/** Change the number by one step with the arrow up or down, by ten with Shift, within its limits. */
function stepNumber(
  /** @type {KeyboardEvent} */ event, /** @type {HTMLInputElement} */ input,
  /** @type {NumberOptions} */ { min = -Infinity, max = Infinity, unit = "", factor = 1, step },
) {
  const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  const shown = parseNumber(input.value, unit);
  if (!sign || !Number.isFinite(shown)) return;
  event.preventDefault();
  const by = (step ?? (Math.abs(shown) < 2 ? 0.1 : 1)) * (event.shiftKey ? 10 : 1);
  const next = round(shown + sign * by, 9);
  input.value = String(Math.min(Math.max(next, min / factor), max / factor));
  input.dispatchEvent(new Event("input"));
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

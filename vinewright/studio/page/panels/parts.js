/** Small parts of the panels. */

import { el, rounded, svg } from "../dom.js";
import { numberFrom } from "../draw/number.js";

/** @typedef {import("../dom.js").Child} Child */

/**
 * A number with a label and a unit; beneath it is a line for what is wrong with it.
 * @param {{id: string, label: string, unit?: string, title?: string, value?: string, placeholder?: string, min?: number, max?: number,
 *   step?: number, onchange?: (value: number | null) => void}} given `onchange` gets null if the field is empty
 */
export function numberField(given) {
  const { id, label, unit = "", title, value = "", placeholder, min, max, step, onchange } = given;
  const fault = el("div", { id: `${id}-fault`, class: "fault", role: "status" });
  const input = el("input", {
    type: "text", inputmode: "decimal", autocomplete: "off", id, value, placeholder, title, "aria-describedby": fault.id,
  });
  const row = el("div", { class: "field" }, el("label", { for: id, title }, label), input, el("span", { class: "unit" }, unit), fault);
  const field = { row, input, show: (/** @type {string} */ message) => showFault(input, fault, message) };
  const read = () => (input.value.trim() === "" ? null : numberFrom(input.value, unit === "mm" || unit === "cm" ? unit : ""));
  input.addEventListener("change", () => {
    const number = read();
    const problem = problemOf(number, min, max, unit);
    field.show(problem);
    if (problem) return;
    if (number !== null) input.value = String(rounded(number));
    onchange?.(number);
  });
  input.addEventListener("keydown", (event) => {
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const number = read();
    if (!way || number === null || !Number.isFinite(number)) return;
    event.preventDefault();
    const by = step ?? (Math.abs(number) < 2 ? 0.1 : 1);
    const next = rounded(number + way * by * (event.shiftKey ? 10 : 1));
    input.value = String(Math.min(Math.max(next, min ?? -Infinity), max ?? Infinity));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  return field;
}

/** What is wrong with a number; empty if nothing is. */
function problemOf(
  /** @type {number | null} */ value, /** @type {number | undefined} */ min, /** @type {number | undefined} */ max, /** @type {string} */ unit,
) {
  if (value === null) return "";
  if (!Number.isFinite(value)) return "must be a number, such as 12.5";
  const space = unit ? ` ${unit}` : "";
  if (min !== undefined && value < min) return `at least ${min}${space}`;
  return max !== undefined && value > max ? `at most ${max}${space}` : "";
}

function showFault(/** @type {HTMLInputElement} */ input, /** @type {HTMLElement} */ fault, /** @type {string} */ message) {
  if (message) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
  setText(fault, message);
}

/** Set a text only if it differs, so that nothing is read out twice. */
export function setText(/** @type {Element} */ element, /** @type {string} */ text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * A select with a label.
 * @param {string} id
 * @param {string} label
 * @param {[string, string][]} options values and what they are called
 * @param {(value: string) => void} [onchange]
 */
export function selectField(id, label, options, onchange) {
  const select = el("select", { id, onchange: () => onchange?.(select.value) }, ...optionsOf(options));
  return { row: el("div", { class: "choice" }, el("label", { for: id }, label), select), select };
}

export function optionsOf(/** @type {[string, string][]} */ options) {
  return options.map(([value, text]) => el("option", { value }, text));
}

/** A checkbox with a label. */
export function checkField(
  /** @type {string} */ id, /** @type {string} */ label, /** @type {boolean} */ checked, /** @type {(checked: boolean) => void} */ onchange,
  /** @type {string} */ title = "",
) {
  const input = el("input", { type: "checkbox", id, checked, onchange: () => onchange(input.checked) });
  return { row: el("label", { class: "check", title: title || null }, input, label), input };
}

/** A section that can be folded. */
export function folded(/** @type {string} */ summary, /** @type {Child[]} */ ...children) {
  return el("details", {}, el("summary", {}, summary), ...children);
}

/** A table; the cells of columns whose heading begins with `>` are aligned right. */
export function table(/** @type {string} */ label, /** @type {string[]} */ head, /** @type {Child[][]} */ rows) {
  const right = head.map((name) => name.startsWith(">"));
  const names = head.map((name, k) => el("th", { scope: "col", class: right[k] ? "right" : null }, name.replace(/^>/, "")));
  const body = rows.map((row) => el("tr", {}, ...row.map((cell, k) => el("td", { class: right[k] ? "right" : null }, cell || ""))));
  return el("table", { "aria-label": label }, el("thead", {}, el("tr", {}, ...names)), el("tbody", {}, ...body));
}

/** A small sample of a colour or a line for a legend; its look is that of a class. */
export function swatch(/** @type {string} */ look) {
  return el("span", { class: `swatch ${look}`, "aria-hidden": "true" });
}

/** A sample of a dashed line for a legend. */
export function dashSwatch(/** @type {string} */ look, /** @type {number[]} */ dash) {
  const line = svg("line", { x1: 0, x2: 26, y1: 5, y2: 5, "stroke-dasharray": dash.join(" ") || "none" });
  return svg("svg", { class: `dash ${look}`, width: 26, height: 10, "aria-hidden": "true" }, line);
}

/** The one line of an error. */
export function messageOf(/** @type {unknown} */ error) {
  return error instanceof Error ? error.message : String(error);
}

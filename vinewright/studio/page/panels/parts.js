/** Small parts of the panels. */

import { el, svg } from "../dom.js";

/** @typedef {import("../dom.js").Child} Child */

/** Set a text only if it differs, so that nothing is read out twice. */
export function setText(/** @type {Element} */ element, /** @type {string} */ text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Disable a button for a reason, which is its title; an attribute `disabled` would take the focus from it. */
export function showDisabled(/** @type {HTMLElement} */ button, /** @type {string} */ why, /** @type {string} */ title) {
  button.setAttribute("aria-disabled", String(Boolean(why)));
  button.title = why || title;
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

/** A small sample of a colour or a line for a legend; a class gives its look. */
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

/** Inputs that show a text of the state: what is typed is applied on Enter or when the focus leaves, and Escape restores the text. */

import { el } from "./dom.js";
import { stage } from "./view.js";

/** @typedef {HTMLInputElement | HTMLTextAreaElement} TextInput */
/** @typedef {TextInput | HTMLSelectElement} Field */

/**
 * Keep an input and a text of the state equal. What is being typed, or was refused, stays until the state has another text.
 * @param {TextInput} input
 * @param {() => string} text
 * @param {() => string | null | Promise<string | null>} apply returns why what is typed is refused, or null
 */
export function bindText(input, text, apply) {
  /** The text of the state when something else was typed; null if nothing is. @type {string | null} */
  let original = null;
  /** Show the text of the state if it has changed. */
  const update = () => {
    const now = text();
    if (now === original) return;
    original = null;
    if (input.value !== now) input.value = now;
    showFault(input, null);
  };
  /** Show the text of the state instead of what is typed. */
  const reset = () => {
    original = null;
    update();
  };
  const settle = (/** @type {string | null} */ fault) => {
    showFault(input, fault);
    if (fault === null) reset();
  };
  input.addEventListener("input", () => (original ??= text()));
  input.addEventListener("change", async () => {
    const outcome = apply();
    if (!(outcome instanceof Promise)) return settle(outcome);
    const typed = input.value;
    showFault(input, null);
    const fault = await outcome;
    if (input.value === typed) settle(fault);
  });
  input.addEventListener("keydown", (/** @type {Event} */ event) => {
    if (!(event instanceof KeyboardEvent) || event.key !== "Escape") return;
    reset();
    stage.focus({ preventScroll: true });
    event.preventDefault();
  });
  return { update, reset };
}

let faults = 0;

/** Mark an input as wrong and say why beneath it, or remove the mark. */
export function showFault(/** @type {Field} */ input, /** @type {string | null} */ fault) {
  const cell = input.closest(".field, td");
  let note = cell?.querySelector(".fault");
  if (fault === null) {
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
    note?.remove();
    return;
  }
  if (!note) {
    faults += 1;
    note = el("span", { class: "fault", role: "alert", id: `fault-${faults}` });
    cell?.append(note);
  }
  note.textContent = fault;
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", note.id);
}

/** The buttons: tools at the left; file, edit and view actions in the bar. */

import { byId, el } from "../dom.js";
import { set, state, steps, subscribe } from "../store.js";
import { nextUnit, UNITS } from "../text.js";
import { chooseNextTheme, theme } from "../theme.js";
import { fit, stage, zoom } from "../view.js";
import { chooseTool, deleteSelected, duplicate, redoEdit, undoEdit } from "./actions.js";
import { isEditable } from "./editing.js";
import { chooseFile, newDrawing, save, saveCopy } from "./files.js";
import { mountGallery } from "./gallery.js";
import { icon } from "./icons.js";
import { mountKeys } from "./keys.js";
import { live, show, whenShown } from "./live.js";
import { shapesIn } from "./shapes.js";
import { TOOLS } from "./tools.js";

/** Fill the toolbars. */
export function mountToolbar() {
  mountTools();
  const gallery = mountGallery();
  byId("file-actions", HTMLElement).append(
    textButton("New", "Start an empty drawing", newDrawing),
    textButton("Open", "Open an environment, a drawing, a map or a photo (Ctrl+O)", chooseFile),
    gallery,
    textButton("Save", "Save (Ctrl+S)", save),
    iconButton("copy", "Save a copy", saveCopy),
  );
  mountEdit();
  mountView();
}

function textButton(/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ onclick) {
  return el("button", { type: "button", title, onclick }, text);
}

/** A button with an icon; its name tells the key. */
export function iconButton(/** @type {string} */ name, /** @type {string} */ title, /** @type {() => void} */ onclick) {
  return el("button", { type: "button", class: "icon-button", title, "aria-label": title, onclick }, icon(name));
}

// ---- tools ----

/** Put the focus on the tool that is chosen. */
export function focusToolbar() {
  const button = byId("tools", HTMLElement).querySelector(`[data-tool="${state.tool}"]`);
  if (button instanceof HTMLElement) button.focus();
}

function mountTools() {
  const bar = byId("tools", HTMLElement);
  for (const [name, { title, hotkey }] of Object.entries(TOOLS)) {
    const button = iconButton(name, `${title} (${hotkey})`, () => {
      chooseTool(name);
      // What follows is on the stage: a drag, or Enter.
      stage.focus({ preventScroll: true });
    });
    button.setAttribute("data-tool", name);
    bar.append(button);
  }
  const buttons = [...bar.querySelectorAll("button")];
  bar.addEventListener("keydown", (event) => {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = buttons.findIndex((button) => button === document.activeElement);
    if (!way || at < 0) return;
    event.preventDefault();
    buttons[(at + way + buttons.length) % buttons.length].focus();
  });
  bar.addEventListener("focusin", (event) => rove(event.target));
  subscribe(["tool"], () => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.getAttribute("data-tool") === state.tool));
    const chosen = buttons.find((button) => button.getAttribute("data-tool") === state.tool);
    if (chosen && !bar.contains(document.activeElement)) rove(chosen);
  });

  /** Let Tab reach one tool, from which arrows lead to the others. */
  function rove(/** @type {EventTarget | null} */ target) {
    for (const button of buttons) button.tabIndex = button === target ? 0 : -1;
  }
}

// ---- edit and view ----

function mountEdit() {
  const undoButton = iconButton("undo", "Undo (Ctrl+Z)", undoEdit);
  const redoButton = iconButton("redo", "Redo (Ctrl+Shift+Z)", redoEdit);
  const copyButton = iconButton("duplicate", "Duplicate (Ctrl+D)", duplicate);
  const removeButton = iconButton("remove", "Delete (Del)", deleteSelected);
  byId("edit-actions", HTMLElement).append(undoButton, redoButton, copyButton, removeButton);
  subscribe(["doc", "background", "selection", "panel"], () => {
    const [count, editable] = [steps(), isEditable()];
    const none = !editable || !shapesIn(state.doc, state.selection).length;
    enable(undoButton, editable && count.undo > 0);
    enable(redoButton, editable && count.redo > 0);
    enable(copyButton, !none);
    enable(removeButton, !none);
  });
}

/** A button that is disabled while it has the focus would lose it to the page. */
function enable(/** @type {HTMLButtonElement} */ button, /** @type {boolean} */ on) {
  if (!on && document.activeElement === button) stage.focus({ preventScroll: true });
  button.disabled = !on;
}

function mountView() {
  const snap = iconButton("snap", "Snap to grid and corners (N)", () => set({ snap: !state.snap }));
  const tube = iconButton("tube", "Tube width at the pointer (T)", () => show({ tubeWidth: !live.tubeWidth }));
  const passages = iconButton("passages", "Narrowest passages (M)", () => show({ passages: !live.passages }));
  const scale = el("button", { type: "button", class: "scale", title: "Fit (0)", onclick: fit });
  const changeUnit = () => set({ unit: nextUnit(state.unit) });
  const unit = el("button", { type: "button", class: "unit-button", onclick: changeUnit });
  const fitButton = iconButton("fit", "Fit the drawing (0)", fit);
  fitButton.setAttribute("data-action", "fit");
  byId("view-actions", HTMLElement).append(
    snap, tube, passages, el("span", { class: "divider" }), iconButton("out", "Zoom out (-)", () => zoom(0.8)), scale,
    iconButton("in", "Zoom in (+)", () => zoom(1.25)), fitButton, unit, themeButton(), mountKeys(),
  );
  subscribe(["snap"], () => snap.setAttribute("aria-pressed", String(state.snap)));
  subscribe(["view"], () => {
    scale.textContent = scaleText(state.view.scale);
    scale.setAttribute("aria-label", `Scale ${scale.textContent}, fit (0)`);
  });
  subscribe(["unit"], () => {
    unit.textContent = state.unit;
    unit.title = `Lengths in ${state.unit}, ${UNITS[state.unit].name} (U)`;
    unit.setAttribute("aria-label", unit.title);
  });
  const marks = () => {
    tube.setAttribute("aria-pressed", String(live.tubeWidth));
    passages.setAttribute("aria-pressed", String(live.passages));
  };
  marks();
  whenShown(marks);
}

function themeButton() {
  const name = () => `Theme: ${theme === "system" ? "as the system" : theme}`;
  const button = iconButton("theme", name(), () => {
    chooseNextTheme();
    button.title = name();
    button.setAttribute("aria-label", name());
  });
  button.setAttribute("data-action", "theme");
  return button;
}

/** The scale as in a drawing, at 96 pixels per inch: 1:8. */
function scaleText(/** @type {number} */ scale) {
  const ratio = 96 / 25.4 / scale;
  const text = (/** @type {number} */ value) => (value < 10 ? String(Math.round(value * 10) / 10) : String(Math.round(value)));
  return ratio >= 1 ? `1:${text(ratio)}` : `${text(1 / ratio)}:1`;
}

/** The keyboard: everything that the pointer can do. Nothing happens while a text or a number is typed. */

import { edit, set, state } from "../store.js";
import { nextUnit } from "../text.js";
import { fit, stage, zoom } from "../view.js";
import {
  chooseTool, copy, deleteSelected, duplicate, nudge, paste, redoEdit, selectAll, selectNext, turnSelected, undoEdit,
} from "./actions.js";
import { groupShapes, ungroupShapes } from "./arrange.js";
import { isEditable } from "./editing.js";
import { chooseFile, openFiles, save } from "./files.js";
import { focusFirstField } from "./inspector.js";
import { toggleKeys } from "./keys.js";
import { live, show } from "./live.js";
import { cancelGesture, isDragging, panBy, setPanning } from "./pointer.js";
import { gridStep } from "./snap.js";
import { focusToolbar } from "./toolbar.js";
import { currentTool, TOOLS } from "./tools.js";

/** @typedef {import("../types.js").Point} Point */

const TURN = 5; // of a key [degrees]
const PAN = 60; // of an arrow key when nothing is selected [px]
const ARROWS = /** @type {Record<string, Point>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] });

/** Keys that go through the objects: Tab leaves the stage, however many there are. @type {Record<string, number>} */
const WAYS = { PageDown: 1, PageUp: -1, Home: -Infinity, End: Infinity };

const KEYS_OF_STAGE =
  "Page down and page up go through the objects, arrows move them, comma and period turn them, Enter goes to their numbers; Escape twice goes to the tools.";

/** Keys that work wherever nothing is typed. @type {Record<string, () => void>} */
const KEYS = {
  n: () => set({ snap: !state.snap }),
  t: () => show({ tubeWidth: !live.tubeWidth }),
  m: () => show({ passages: !live.passages }),
  u: () => set({ unit: nextUnit(state.unit) }),
  "?": toggleKeys,
  0: fit,
  "+": () => zoom(1.25),
  "=": () => zoom(1.25),
  "-": () => zoom(0.8),
};

/** Keys that turn the selection, anticlockwise and clockwise: not every keyboard has brackets. @type {Record<string, () => void>} */
const TURNS = {
  "[": () => turnSelected(TURN),
  "]": () => turnSelected(-TURN),
  ",": () => turnSelected(TURN),
  ".": () => turnSelected(-TURN),
};

/** Keys with Ctrl or the command key. @type {Record<string, () => void>} */
const CONTROLS = {
  d: duplicate, a: selectAll, y: redoEdit, z: undoEdit, g: () => edit((doc) => groupShapes(doc, state.selection)),
};

/** Handle the keyboard and the clipboard. */
export function mountKeyboard() {
  stage.setAttribute("aria-description", KEYS_OF_STAGE);
  document.addEventListener("keydown", handleKey);
  document.addEventListener("keyup", (event) => {
    if (event.key === " ") setPanning(false);
  });
  window.addEventListener("blur", () => setPanning(false));
  document.addEventListener("copy", (event) => handleCopy(event, false));
  document.addEventListener("cut", (event) => handleCopy(event, true));
  document.addEventListener("paste", handlePaste);
}

function isTyping(/** @type {EventTarget | null} */ target) {
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "file"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function isOnStage(/** @type {EventTarget | null} */ target) {
  return target === stage || target === document.body;
}

/** Return whether a key was pressed with AltGr, or with Option on a Mac, which many layouts need for [ and ]. Windows has Ctrl and Alt for AltGr. */
function isComposed(/** @type {KeyboardEvent} */ event) {
  return event.getModifierState("AltGraph") || (event.altKey && (event.key === "[" || event.key === "]"));
}

function handleKey(/** @type {KeyboardEvent} */ event) {
  if (event.defaultPrevented) return;
  if (event.key === "F1") {
    event.preventDefault();
    return toggleKeys();
  }
  const used = !isComposed(event) && (event.ctrlKey || event.metaKey) ? handleControlKey(event) : isTyping(event.target) ? false : handlePlainKey(event);
  if (used) event.preventDefault();
}

function handleControlKey(/** @type {KeyboardEvent} */ event) {
  const key = event.key.toLowerCase();
  if (key === "s" || key === "o") {
    // A number that is being typed counts.
    if (isTyping(document.activeElement) && document.activeElement instanceof HTMLElement) document.activeElement.blur();
    if (key === "s") save();
    else chooseFile();
    return true;
  }
  if (isTyping(event.target) || event.altKey || !CONTROLS[key]) return false;
  if (isDragging() || !isEditable()) return true;
  if (key === "z" && event.shiftKey) redoEdit();
  else if (key === "g" && event.shiftKey) edit((doc) => ungroupShapes(doc, state.selection));
  else CONTROLS[key]();
  return true;
}

/** A key without Ctrl; returns whether it is used. */
function handlePlainKey(/** @type {KeyboardEvent} */ event) {
  const { key } = event;
  if (isDragging()) {
    if (key === "Escape") cancelGesture();
    return key === "Escape" || key === "Tab";
  }
  if (key === "Escape") return handleEscape(event.target);
  if (isOnStage(event.target) && handleStageKey(event)) return true;
  const action = isEditable() ? { ...KEYS, ...TURNS }[key.toLowerCase()] : KEYS[key.toLowerCase()];
  const inPanel = event.target instanceof Element && Boolean(event.target.closest("#panel-draw"));
  if ((key === "Delete" || key === "Backspace") && isEditable() && (isOnStage(event.target) || inPanel)) {
    deleteSelected();
    return true;
  }
  if (event.altKey && !isComposed(event)) return false;
  const tool = Object.keys(TOOLS).find((name) => TOOLS[name].hotkey.toLowerCase() === key.toLowerCase());
  if (tool) {
    chooseTool(tool);
    stage.focus({ preventScroll: true });
    return true;
  }
  action?.();
  return Boolean(action);
}

/** End the innermost activity with Escape: the shape that is being drawn, the tool, the selection, or the focus on the stage. */
function handleEscape(/** @type {EventTarget | null} */ target) {
  if (currentTool().leave?.()) return true;
  if (state.tool !== "select") set({ tool: "select" });
  else if (live.corner !== null) show({ corner: null });
  else if (state.selection.size && isEditable()) set({ selection: new Set() });
  else if (isOnStage(target)) focusToolbar();
  else stage.focus({ preventScroll: true });
  return true;
}

/** A key on the stage itself; returns whether it is used. */
function handleStageKey(/** @type {KeyboardEvent} */ event) {
  const { key } = event;
  if (currentTool().typed?.(key)) return true;
  if (key === "Enter" && isEditable()) {
    if (currentTool().place) currentTool().place?.();
    else focusFirstField();
    return true;
  }
  if (WAYS[key] && isEditable()) {
    selectNext(WAYS[key]);
    return true;
  }
  if (key === " ") {
    setPanning(true);
    return true;
  }
  const way = ARROWS[key];
  if (!way) return false;
  const step = event.altKey ? 1 : gridStep(state.view.scale) * (event.shiftKey ? 10 : 1);
  if (isEditable() && (state.selection.size || state.tool === "background")) nudge([way[0] * step, way[1] * step], event.repeat);
  else panBy([way[0] * PAN, -way[1] * PAN]);
  return true;
}

function handleCopy(/** @type {ClipboardEvent} */ event, /** @type {boolean} */ cut) {
  const words = document.getSelection()?.toString();
  if (isTyping(event.target) || words || !isEditable()) return;
  const text = copy();
  if (!text || !event.clipboardData) return;
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
  if (cut) deleteSelected();
}

function handlePaste(/** @type {ClipboardEvent} */ event) {
  if (isTyping(event.target) || !event.clipboardData) return;
  const files = [...event.clipboardData.files];
  if (isEditable() && paste(event.clipboardData.getData("text/plain"))) event.preventDefault();
  else if (files.length) {
    event.preventDefault();
    openFiles(files);
  }
}

/** Files: new, open, save. A drawing that is replaced before it was saved is kept among the recent drawings. */

import { attempt, get, post, saveBlob } from "../api.js";
import { byId, el } from "../dom.js";
import { stateOfRun } from "../panels/shown.js";
import { EMPTY, open, set, state, steps, subscribe } from "../store.js";
import { stage } from "../view.js";
import { loadBackground } from "./background.js";
import { stateBeside } from "./beside.js";
import { freshCheck, isFresh } from "./check.js";
import { DRAWINGS, importFiles, isDrawing } from "./import.js";
import { keepAll, newDrawingId } from "./keeping.js";
import { show } from "./live.js";
import { withStates } from "./object_states.js";
import { fitSoon } from "./pointer.js";
import { contentOf, docOf } from "./shapes.js";
import { tomlOf } from "./toml.js";
import { shownName } from "./words.js";

/** @typedef {import("../types.js").Content} Content */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("../types.js").Opened} Opened */
/** @typedef {import("../types.js").State} State */
/** @typedef {Pick<State, "id" | "doc" | "text" | "saved" | "file" | "background" | "options" | "run" | "design"> & {name: string}} Recent */

const MOST_RECENT = 10;
const PICTURES = [".png", ".jpg", ".jpeg", ".webp"];

/** The file of a new drawing. It has the content that the page starts with. */
const BLANK = `schema = 2
name = "bench"
unit = "mm"

[bounds]
min = [0, 0]
max = [1500, 1000]

[start]
position = [150, 500]
heading_deg = 0

[goal]
position = [1350, 500]
radius = 60
`;

/** Drawings that were replaced before they were saved, the last one first. @type {Recent[]} */
export const recent = [];

let wasKept = false;

const chooser = el("input", {
  type: "file", id: "open-file", accept: [".toml", ...DRAWINGS, ...PICTURES].join(), multiple: true, hidden: true,
  "aria-label": "Open a file", onchange: openChosen,
});

/** Show the name of the file, and handle files that are dropped on the stage. */
export function mountFiles() {
  if (!state.text) newDrawing();
  document.body.append(chooser);
  subscribe(["doc", "check", "saved", "file"], showName);
  window.addEventListener("beforeunload", (event) => {
    if (wouldBeLost() || recent.length) event.preventDefault();
  });
  window.addEventListener("pagehide", keepAll);
  stage.addEventListener("dragover", (event) => event.preventDefault());
  stage.addEventListener("drop", (event) => {
    event.preventDefault();
    openFiles([...(event.dataTransfer?.files ?? [])]);
  });
}

/** Return whether the drawing has changes that are not in a file. */
function isDirty() {
  if (!isFresh() && steps().undo) return true;
  return state.check !== null && (!state.check.written || state.check.text !== (state.saved || BLANK));
}

/** Return whether the drawing may have changes that are not in a file: for a restored drawing this is unknown before its first check. */
function wouldBeLost() {
  return isDirty() || (wasKept && state.check === null);
}

function showName() {
  const dirty = isDirty();
  const name = state.file ?? `${shownName()}.toml`;
  const place = byId("file", HTMLElement);
  place.title = dirty ? `${name}: changed since it was saved` : name;
  place.replaceChildren(el("span", { class: "file-name" }, name));
  if (dirty) place.append(el("span", { class: "dirty", role: "img", "aria-label": "not saved" }, "●"));
}

// ---- replacing the drawing ----

/**
 * Open an environment: show it with what belongs to it, and fit the view to it.
 * @param {Opened} opened
 * @param {Partial<State>} [beside] the state that shows its picture, its run and its options of plans
 */
export function openContent({ content, text, name, file = null, saved = text, origins, id, edited_ms, beside: kept }, beside) {
  wasKept = origins !== undefined;
  open({ doc: withStates(docOf(content, origins), kept?.objects), id: id ?? newDrawingId(), text, opened: name, saved, file, tool: "select", ...beside });
  if (edited_ms) set({ message: `Restored: changes of ${new Date(edited_ms).toLocaleString()} that are in no file.` });
  fitSoon();
}

/** @type {(() => void)[]} */
const leaving = [];

/** Call a listener when the drawing is about to be replaced. */
export function whenReplaced(/** @type {() => void} */ listener) {
  leaving.push(listener);
}

/** Leave the present drawing: keep it if it would be lost, and its picture with it; nothing of it stays on the next one. */
function leave() {
  const [lost, { id, doc, text, saved, file, background, options, run, design }] = [wouldBeLost(), state];
  let message = "";
  if (lost || background) {
    recent.unshift({ id, name: shownName(), doc, text, saved, file, background, options, run, design });
    recent.splice(MOST_RECENT);
    message = lost ? `${shownName()} was not saved: Gallery > Recent has it.` : `Gallery > Recent has ${shownName()} with its picture.`;
  }
  show({ picks: null });
  set({ background: null, message });
  for (const listener of leaving) listener();
}

/** Start an empty drawing. */
export function newDrawing() {
  leave();
  openContent({ content: contentOf(EMPTY), text: BLANK, name: "bench" });
}

/**
 * Open a shipped environment, or the environment of a run.
 * @param {{name: string, content: Content, text: string}} environment
 * @param {Partial<State>} [beside] as in `openContent`
 */
export function openShipped({ name, content, text }, beside) {
  leave();
  openContent({ content, text, name }, beside);
}

/** Go back to a drawing that was replaced. */
export function openRecent(/** @type {Recent} */ one) {
  leave();
  recent.splice(recent.indexOf(one), 1);
  const { name, run, design, ...opened } = one;
  wasKept = true;
  open({ ...opened, opened: name, tool: "select", ...(run ? { ...stateOfRun(run), design } : {}) });
  fitSoon();
}

/** Open a drawing that is kept on disk; an earlier version of it becomes a drawing of its own. */
export function openStored(/** @type {string} */ id, /** @type {string} */ version = "") {
  return attempt(async () => {
    const found = await get(`/api/drawings/${id}${version && `/${version}`}`);
    const beside = await stateBeside(found.beside);
    leave();
    openContent({ ...found, id: version ? null : id }, { ...beside, tube: found.tube });
  });
}

/** Let the user choose a file. */
export function chooseFile() {
  chooser.click();
}

function openChosen() {
  openFiles([...(chooser.files ?? [])]);
  // The same file can be chosen again.
  chooser.value = "";
}

/** Open files for what they are: a drawing or a map, with its picture, of another program; a picture to draw on; or an environment. */
export function openFiles(/** @type {File[]} */ files) {
  if (!files.length) return undefined;
  if (isDrawing(files)) return attempt(() => importFiles(files, (found) => openImported(found)));
  const [file] = files;
  // Browsers say that other drawings are pictures, too, such as those of DWG.
  if (/^image\/(png|jpeg|webp)$/.test(file.type)) return loadBackground(file);
  if (/\.toml$/i.test(file.name)) return openFile(file);
  const advice = /\.dwg$/i.test(file.name) ? ": save it as DXF in the program that it is of" : "";
  const message = `${file.name} is none of ${[".toml", ...DRAWINGS, ...PICTURES].join(", ")}${advice}`;
  return set({ message });
}

/** Open what was imported, with the start and the goal selected if they are still to be placed. */
function openImported(/** @type {import("./import.js").Found} */ { content, text, missing }) {
  leave();
  openContent({ content, text, name: content.name });
  if (missing.length) set({ selection: new Set(missing), message: `Drag the ${missing.join(" and the ")} to the right place.` });
}

/** Open a file; if it cannot be used, its one line is shown and the drawing stays. */
function openFile(/** @type {File} */ file) {
  return attempt(async () => {
    const text = await file.text();
    let answer;
    try {
      answer = await post("/api/open", { text, name: file.name });
    } catch (error) {
      throw new Error(`${file.name}: ${error instanceof Error ? error.message : error}`);
    }
    if (!answer.content) {
      set({ tube: answer.tube, panel: "tube", message: `${file.name} is a tube file: this is its tube now, and the drawing stays.` });
      return;
    }
    leave();
    openContent({ content: answer.content, text, name: file.name.replace(/\.toml$/i, "") });
    if (answer.content.tube) set({ tube: answer.tube });
  });
}

// ---- saving ----

/** Save the drawing: to the file that the studio was started with, else as a download. */
export function save() {
  return attempt(async () => {
    if (!(await freshCheck())) return saveAlone();
    const text = textToSave();
    if (state.file) await post("/api/save", { text, saved: state.saved });
    else download(text);
    set({ saved: text, message: state.file ? `Saved ${state.file}.` : "Saved among the downloads of the browser." });
  });
}

/** Download the drawing; the file it was opened from stays as it is. */
export function saveCopy() {
  return attempt(async () => {
    if (!(await freshCheck())) return saveAlone();
    const text = textToSave();
    download(text);
    if (!state.file) set({ saved: text });
  });
}

/** Download the drawing as this page writes it, while the studio does not answer. */
function saveAlone() {
  download(tomlOf(contentOf(state.doc)));
  const name = state.file ? `${state.file} is not changed, and the download has none of its comments` : "The download has no comments";
  set({ message: `Saved among the downloads of the browser: the studio does not answer. ${name}.` });
}

function textToSave() {
  const { check } = state;
  if (!check) throw new Error("not saved: the drawing has not been checked");
  // The server cannot write every drawing, and then answers with the text as it was opened.
  if (!check.written) throw new Error(`not saved: ${check.problem?.message ?? "the drawing cannot be written"}`);
  return check.text;
}

function download(/** @type {string} */ text) {
  const name = shownName().replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^\.+/, "") || "environment";
  saveBlob(new Blob([text], { type: "application/toml" }), `${name}.toml`);
}

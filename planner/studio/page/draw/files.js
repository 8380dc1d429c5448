/** Files: new, open, save. A drawing that is replaced before it was saved is kept among the recent ones, so that nothing is lost. */

import { attempt, post, saveBlob } from "../api.js";
import { byId, el } from "../dom.js";
import { open, set, state, steps, subscribe } from "../store.js";
import { stage } from "../view.js";
import { loadBackground } from "./background.js";
import { freshCheck, isFresh } from "./check.js";
import { fitSoon } from "./pointer.js";
import { docOf } from "./shapes.js";

/** @typedef {import("../types.js").Content} Content */
/** @typedef {import("../types.js").Doc} Doc */
/** @typedef {import("../types.js").Tube} Tube */
/** @typedef {{name: string, doc: Doc, text: string, saved: string, file: string | null}} Recent */

const MOST_RECENT = 10;

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

/** @type {Content} */
const BLANK_CONTENT = {
  name: "bench",
  description: "",
  tube: null,
  bounds: { min: [0, 0], max: [1500, 1000], edge: "open", stacked: false },
  start: { position: [150, 500], heading_deg: 0, mount: "free" },
  goal: { position: [1350, 500], radius: 60 },
  obstacles: { boxes: [], polygons: [], circles: [], walls: [], ends: "flat", friction: null },
};

/** Drawings that were replaced before they were saved, the last one first. @type {Recent[]} */
export const recent = [];

let openedName = "";

const chooser = el("input", {
  type: "file", id: "open-file", accept: ".toml", hidden: true, "aria-label": "Open a TOML file", onchange: chosen,
});

/** Show the name of the file, and handle files that are dropped on the stage. */
export function mountFiles() {
  if (!state.text) newDrawing();
  document.body.append(chooser);
  subscribe(["doc", "check", "saved", "file"], showName);
  window.addEventListener("beforeunload", (event) => {
    if (isDirty()) event.preventDefault();
  });
  stage.addEventListener("dragover", (event) => event.preventDefault());
  stage.addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file?.type.startsWith("image/")) loadBackground(file);
    else if (file) openFile(file);
  });
}

/** Whether the drawing has changes that are not in a file. */
function isDirty() {
  if (!isFresh() && steps().undo) return true;
  return state.check !== null && state.check.text !== (state.saved || BLANK);
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

/** Open an environment: show it, and fit the view to it. */
export function openContent(
  /** @type {Content} */ content, /** @type {string} */ text, /** @type {string} */ name, /** @type {string | null} */ file = null,
) {
  openedName = name;
  const doc = docOf(content);
  open({ doc, text, saved: text, file, tool: "select" });
  fitSoon();
}

/** The name of the drawing: a file without one has that of the file. */
export function shownName() {
  return state.doc.name || openedName || "environment";
}

/** Keep the present drawing if it would be lost. */
function keep() {
  if (!isDirty()) return;
  const { doc, text, saved, file } = state;
  recent.unshift({ name: shownName(), doc, text, saved, file });
  recent.splice(MOST_RECENT);
  set({ message: `${shownName()} was not saved: it is under Gallery, Recent.` });
}

/** Start an empty drawing. */
export function newDrawing() {
  keep();
  openContent(BLANK_CONTENT, BLANK, "bench");
}

/** Open a shipped environment. */
export function openShipped(/** @type {{name: string, content: Content, text: string}} */ { name, content, text }) {
  keep();
  openContent(content, text, name);
}

/** Go back to a drawing that was replaced. */
export function openRecent(/** @type {Recent} */ one) {
  keep();
  recent.splice(recent.indexOf(one), 1);
  const { name, ...opened } = one;
  openedName = name;
  open({ ...opened, tool: "select" });
  fitSoon();
}

/** Let the user choose a file. */
export function chooseFile() {
  chooser.click();
}

function chosen() {
  const file = chooser.files?.[0];
  if (file) openFile(file);
  // The same file can be chosen again.
  chooser.value = "";
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
    keep();
    openContent(answer.content, text, file.name.replace(/\.toml$/i, ""));
    set({ message: "", ...(answer.content.tube ? { tube: answer.tube } : {}) });
  });
}

// ---- saving ----

/** Save the drawing: to the file that the studio was started with, else as a download. */
export function save() {
  return attempt(async () => {
    const text = await textToSave();
    if (state.file) await post("/api/save", { text });
    else download(text);
    set({ saved: text, message: state.file ? `Saved ${state.file}.` : "Saved among the downloads of the browser." });
  });
}

/** Download the drawing; the file it was opened from stays as it is. */
export function saveCopy() {
  return attempt(async () => {
    const text = await textToSave();
    download(text);
    if (!state.file) set({ saved: text });
  });
}

async function textToSave() {
  const fresh = await freshCheck();
  const { check } = state;
  if (!fresh || !check) throw new Error("not saved: the studio does not answer");
  // With some mistakes the server cannot write the drawing, and answers with the text as it was opened.
  if (check.problem && check.text === state.text && steps().undo) throw new Error(`not saved: ${check.problem.message}`);
  return check.text;
}

function download(/** @type {string} */ text) {
  const name = shownName().replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^\.+/, "") || "environment";
  saveBlob(new Blob([text], { type: "application/toml" }), `${name}.toml`);
}

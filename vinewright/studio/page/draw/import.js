/** Drawings and maps of other programs: a preview with unit, layers and notes, before one is opened. */

import { post } from "../api.js";
import { el } from "../dom.js";
import { stage } from "../view.js";
import { docOf } from "./shapes.js";
import { thumbnail } from "./thumbnail.js";

/** @typedef {import("../types.js").Content} Content */
/** @typedef {{content: Content, text: string, notes: string[], missing: string[]}} Found */

export const DRAWINGS = [".dxf", ".svg", ".geojson", ".json", ".yaml", ".yml", ".pgm"];
const UNITS = ["as in the file", "mm", "cm", "m", "in", "ft"];

const dialog = el("dialog", { id: "import", "aria-label": "Import" });
let asked = 0; // number of the last request: the answers to earlier ones are late

/** Return whether files are a drawing or a map of another program, by their names. */
export function isDrawing(/** @type {File[]} */ files) {
  return files.some(({ name }) => DRAWINGS.some((end) => name.toLowerCase().endsWith(end)));
}

/** Show what is in the files, and open it if the user wants it. */
export async function importFiles(/** @type {File[]} */ files, /** @type {(found: Found) => void} */ openFound) {
  const uploads = await Promise.all(files.map(async (file) => ({ name: file.name, data: await encode(file) })));
  /** @type {Found | null} */
  let found = null;
  const choose = () => {
    dialog.close();
    if (found) openFound(found);
    stage.focus({ preventScroll: true });
  };
  const result = el("div", { class: "import-result", role: "status" });
  const open = el("button", { type: "button", class: "primary", onclick: choose }, "Open");
  const close = el("button", { type: "button", onclick: () => dialog.close() }, "Cancel");
  const fields = fieldsOf(files[0].name.toLowerCase());
  const read = async () => {
    const own = (asked += 1);
    open.disabled = true;
    result.replaceChildren(el("progress", { "aria-label": "Reading" }));
    let shown;
    try {
      const answer = await post("/api/import", { files: uploads, ...options() });
      found = own === asked ? answer : found;
      shown = describe(answer);
    } catch (error) {
      shown = [el("p", { class: "fault", role: "alert" }, error instanceof Error ? error.message : String(error))];
      if (own === asked) found = null;
    }
    if (own !== asked) return;
    open.disabled = found === null;
    result.replaceChildren(...shown);
  };
  for (const field of fields) field.addEventListener("change", read);
  const title = el("h2", {}, `Import ${files.map(({ name }) => name).join(", ")}`);
  dialog.replaceChildren(title, ...fields, result, el("div", { class: "row buttons" }, open, close));
  document.body.append(dialog);
  if (!dialog.open) dialog.showModal();
  await read();
}

/** Fields of the options that a kind of file has. */
function fieldsOf(/** @type {string} */ name) {
  const least = textField("least_size", "leave out what is smaller than", "mm");
  if (/\.(yaml|yml|pgm)$/.test(name)) return [checkField("unknown_free", "unknown cells are free"), least];
  const unit = name.endsWith(".svg") ? textField("mm_per_unit", "length of a unit of the drawing", "mm") : unitField();
  return [
    unit, textField("solid", "solid layers, colours or names", "all, or layer WALL", "Patterns with commas between: WALL, COLUMN*"),
    textField("free", "left out of them", "none"), textField("wall_thickness", "unfilled outlines are walls, thick", "mm"), least,
  ];
}

function unitField() {
  const options = UNITS.map((unit, k) => el("option", { value: k ? unit : "" }, unit));
  return makeField("unit", el("select", { name: "unit" }, ...options));
}

function textField(/** @type {string} */ name, /** @type {string} */ title, /** @type {string} */ placeholder, hint = "") {
  return makeField(title, el("input", { type: "text", name, placeholder, title: hint, autocomplete: "off" }));
}

function checkField(/** @type {string} */ name, /** @type {string} */ title) {
  return makeField(title, el("input", { type: "checkbox", name }));
}

function makeField(/** @type {string} */ title, /** @type {HTMLElement} */ input) {
  return el("label", { class: "text" }, el("span", { class: "name" }, title), input);
}

/** Read the options as the request has them; a field that is empty is none. */
function options() {
  /** @type {Record<string, unknown>} */
  const given = {};
  for (const field of dialog.querySelectorAll("input, select")) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) continue;
    const text = field.value.trim();
    if (field.type === "checkbox") given[field.name] = field instanceof HTMLInputElement && field.checked;
    else if (text) given[field.name] = valueOf(field.name, text);
  }
  return given;
}

/** @returns {unknown} */
function valueOf(/** @type {string} */ name, /** @type {string} */ text) {
  if (name === "unit") return text;
  if (name === "solid" || name === "free") return text.split(",").map((part) => part.trim()).filter(Boolean);
  const value = Number(text.replace(",", ".").replace(/\s*mm$/, ""));
  if (!Number.isFinite(value)) throw new Error(`${text} is no length in mm`);
  return value;
}

function describe(/** @type {Found} */ { content, notes, missing }) {
  const doc = docOf(content);
  const [width, height] = [0, 1].map((k) => ((doc.bounds.max[k] - doc.bounds.min[k]) / 1000).toPrecision(3));
  const placed = missing.length ? [`the file has no ${missing.join(" and no ")}: placed where there is room, to be dragged`] : [];
  const items = [...placed, ...notes].map((note) => el("li", {}, note));
  return [thumbnail(doc), el("p", {}, el("b", {}, `${width} x ${height} m, obstacles: ${doc.shapes.length}`)), el("ul", { class: "quiet" }, ...items)];
}

/** Read a file as base64. @returns {Promise<string>} */
function encode(/** @type {File} */ file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => reject(new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
}

/** Drawings and maps of other programs: a preview with unit, layers and notes, before one is opened. */

import { post } from "../api.js";
import { el } from "../dom.js";
import { stage } from "../view.js";
import { ImportPreview } from "./import_preview.js";
import { docOf } from "./shapes.js";

/** @typedef {import("../types.js").Content} Content */
/**
 * @typedef {object} Found
 * What the server found in the files.
 * @property {Content} content
 * @property {string} text
 * @property {string[]} notes
 * @property {string[]} missing which of start and goal are not in the files
 * @property {[number, number]} corners of polygons, before and after they were simplified
 * @property {number | null} mm_per_unit of a drawing whose unit can be chosen
 * @property {boolean} is_assumed whether nobody has said what it is
 */

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
  /** @type {import("./import_preview.js").Known | null} */
  let known = null;
  const choose = () => {
    dialog.close();
    if (found) openFound(preview.result());
    stage.focus({ preventScroll: true });
  };
  const preview = new ImportPreview((length) => {
    known = length;
    read();
  });
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
      const answer = await post("/api/import", { files: uploads, ...options(), ...(known ? { known } : {}) });
      if (own === asked) {
        found = answer;
        preview.show(answer);
      }
      shown = [preview.element, ...describe(answer)];
    } catch (error) {
      shown = [el("p", { class: "fault", role: "alert" }, error instanceof Error ? error.message : String(error))];
      if (own === asked) found = null;
    }
    if (own !== asked) return;
    open.disabled = found === null;
    result.replaceChildren(...shown);
  };
  for (const field of fields) {
    field.addEventListener("change", () => {
      // The unit that was asked for last counts.
      if (field.querySelector("[name=unit], [name=mm_per_unit]")) known = null;
      read();
    });
  }
  const title = el("h2", {}, `Import ${files.map(({ name }) => name).join(", ")}`);
  dialog.replaceChildren(title, ...fields, result, el("div", { class: "row buttons" }, open, close));
  document.body.append(dialog);
  if (!dialog.open) dialog.showModal();
  await read();
}

/** Fields of the options that a kind of file has. */
function fieldsOf(/** @type {string} */ name) {
  const isMap = /\.(yaml|yml|pgm)$/.test(name);
  const sizes = [
    textField("least_size", "leave out what is smaller than", "mm"),
    textField("simplify", "simplify by up to", isMap ? "half a cell" : "0 mm", "Outlines with fewer corners, nowhere farther from those of the file"),
  ];
  if (isMap) return [checkField("unknown_free", "unknown cells are free"), ...sizes];
  const unit = name.endsWith(".svg") ? textField("mm_per_unit", "length of a unit of the drawing", "mm") : unitField();
  return [
    unit, textField("solid", "solid layers, colours or names", "all, or layer WALL", "Patterns with commas between: WALL, COLUMN*"),
    textField("free", "left out of them", "none"), textField("wall_thickness", "unfilled outlines are walls, thick", "mm"), ...sizes,
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
  for (const field of dialog.querySelectorAll("input[name], select[name]")) {
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

function describe(/** @type {Found} */ { content, notes, missing, corners, mm_per_unit, is_assumed }) {
  const doc = docOf(content);
  const [width, height] = [0, 1].map((k) => ((doc.bounds.max[k] - doc.bounds.min[k]) / 1000).toPrecision(3));
  const placed = missing.length ? [`the file has no ${missing.join(" and no ")}: placed where there is room, for you to place or drag`] : [];
  const [before, after] = corners;
  const fewer = after < before ? `, corners: ${after} instead of ${before}` : `, corners: ${after}`;
  const size = `${width} x ${height} m, obstacles: ${doc.shapes.length}${after ? fewer : ""}`;
  const unit = mm_per_unit && Math.round(mm_per_unit * 1e4) / 1e4;
  const guess = `The file does not say how large it is: a unit of it is taken as ${unit} mm. Choose another one, or set the scale by two points.`;
  return [
    el("p", {}, el("b", {}, size)), is_assumed && el("p", { class: "fault" }, guess),
    el("ul", { class: "quiet" }, ...[...placed, ...notes].map((note) => el("li", {}, note))),
  ].filter((node) => node instanceof Node);
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

/** Content of a pack: its tables, and its files with their purposes. */

import { el } from "../dom.js";
import { table } from "./parts.js";

/** Purposes of files, by patterns of their names. @type {[RegExp, string][]} */
const FILES = [
  [/^template-a4\.pdf$/, "builder's guide and pattern at true size, on A4"],
  [/^template-letter\.pdf$/, "the same on US Letter"],
  [/^parts\.csv$/, "what to buy"],
  [/^cut-list\.csv$/, "what to cut, with lengths"],
  [/^sections\.csv$/, "sections of the tube, with cells and pressures"],
  [/^pattern\.dxf$/, "pattern for a cutter or CAD, in mm"],
  [/^pattern\.svg$/, "pattern as a drawing, in mm"],
  [/^(.+)\.stl$/, "to print: $1"],
  [/^schedule\.csv$/, "pressure of every line while the tube grows"],
  [/^plumbing\.svg$/, "how valves, regulators and lines are joined"],
  [/^pressures\.json$/, "pressures for the controller"],
  [/^schedule\.json$/, "what to open and to set at which length, for the controller"],
  [/^design\.json$/, "the design, rounded to whole cells"],
  [/^environment\.toml$/, "the drawing"],
  [/^pack\.json$/, "the options of the pack, and the files in it"],
];
const WIDE = 40; // a text that is longer goes beneath the one before it [characters]

/** The files, files for the workshop first. */
export function fileList(/** @type {string[]} */ files) {
  const place = (/** @type {string} */ file) => {
    const at = FILES.findIndex(([name]) => name.test(file));
    return at < 0 ? FILES.length : at;
  };
  const rows = [...files].sort((one, other) => place(one) - place(other)).map((file) => {
    const [name, text] = FILES[place(file)] ?? [/$/, ""];
    return [file, text && file.replace(name, text)];
  });
  const made = table("Files in the pack", ["File", "What it is"], rows);
  made.id = "make-files";
  return made;
}

/** A table of text; columns of numbers are aligned right, and the last column goes beneath the text before it if it is long. */
export function sheet(/** @type {string} */ label, /** @type {string[][]} */ [head = [], ...rows]) {
  const last = head.length - 1;
  const isNumber = (/** @type {number} */ k) => rows.length > 0 && rows.every((row) => !row[k] || Number.isFinite(Number(row[k])));
  const joins = last > 0 && !isNumber(last) && !isNumber(last - 1) && rows.some((row) => (row[last] ?? "").length > WIDE);
  const names = head.map((name, k) => `${isNumber(k) ? ">" : ""}${name.replaceAll("_", " ").replace(/ mm$/, " [mm]")}`);
  if (joins) names.splice(last - 1, 2, `${names[last - 1]}, ${names[last]}`);
  const cells = rows.map((row) => {
    if (!joins) return row;
    const beneath = row[last] && el("div", { class: "quiet" }, row[last]);
    return [...row.slice(0, last - 1), el("div", {}, row[last - 1], beneath || "")];
  });
  return el("div", { class: "sheet", tabindex: 0, role: "region", "aria-label": label }, table(label, names, cells));
}

/** The panel Make: the files for fabrication, a preview of them, and other downloads. */

import { download } from "../api.js";
import { byId, el } from "../dom.js";
import { set, state, subscribe } from "../store.js";
import { changedLine, emptyNotice } from "./designs.js";
import { askJob } from "./jobs.js";
import { checkField, messageOf, setText } from "./parts.js";
import { fileList, sheet } from "./packlists.js";
import { chosenDesign, shownPack } from "./shown.js";
import { designWords } from "./words.js";

/** @typedef {import("../types.js").PackView} PackView */

const [WIDE, SEEN] = [488, 170]; // width of the panel, and height of the pattern at first [px]
const SOON = 300; // a shorter wait is not worth a word [ms]
const BUSY = "Making the pack …";

let atLimit = false;
/** Keys of the designs whose packs are being made. @type {Set<string>} */
const packing = new Set();
let fault = "";
let timer = 0;
const button = el("button", { type: "button", id: "make-pack", class: "primary wide", onclick: requestPack });
const line = el("p", { id: "make-fault", role: "status" });

/** Fill the panel. */
export function mountMake() {
  const about = el("p", { id: "make-design" });
  const limit = checkField(
    "make-limit", "Allow pressures at their limit", false, (on) => (atLimit = on), "Without it, each actuator must have some head room",
  );
  const result = el("div", { id: "make-result" });
  const content = el(
    "div", {}, changedLine("make-changed"), about, button, limit.row, line, result, el("h2", {}, "Other files"), otherFiles(),
  );
  byId("panel-make", HTMLElement).append(emptyNotice(content), content);
  let shown = /** @type {PackView | null} */ (null);
  subscribe(["run", "design"], () => {
    const design = chosenDesign();
    setText(about, design ? `${design.title}: ${designWords(design)}.` : "");
    fault = "";
  });
  subscribe(["run", "design", "pack"], () => {
    const made = shownPack();
    if (made !== shown) {
      shown = made;
      release();
      result.replaceChildren(...(made ? packParts(made) : []));
    }
    showButton();
  });
}

function currentKey() {
  return `${state.run?.name}/${state.design}`;
}

function showButton() {
  const busy = packing.has(currentKey());
  button.disabled = busy;
  setText(button, busy ? "Making the pack" : shownPack() ? "Make the pack again" : "Make the pack");
  button.classList.toggle("primary", !shownPack());
  if (!busy) clearTimeout(timer);
  line.className = fault ? "error" : "quiet";
  setText(line, fault);
}

async function requestPack() {
  const { run, design } = state;
  if (!run) return;
  const key = currentKey();
  packing.add(key);
  fault = "";
  showButton();
  timer = setTimeout(() => setText(line, `${BUSY} The rounded design is grown and checked.`), SOON);
  try {
    await askJob("pack", { run: run.name, design, allow_limit: atLimit }, (message) => noteRefusal(key, message));
  } catch (error) {
    noteRefusal(key, messageOf(error));
  }
}

/** Receive a pack. */
export function receivePack(/** @type {PackView} */ made) {
  packing.delete(`${made.run}/${made.design}`);
  set({ pack: made });
  showButton();
}

/** Stop waiting for packs. */
export function forgetPack() {
  packing.clear();
  showButton();
}

function noteRefusal(/** @type {string} */ key, /** @type {string} */ message) {
  packing.delete(key);
  if (key !== currentKey()) return;
  // The option of the command is a checkbox here.
  fault = message.replace(/give --allow-limit/, "tick the box above");
  showButton();
}

/** A button that downloads a file, and is busy until the file is there. */
function downloadButton(
  /** @type {string} */ id, /** @type {string} */ text, /** @type {() => [string, string]} */ target, /** @type {string} */ look = "",
) {
  const fails = el("span", { class: "error", role: "status" });
  const made = el("button", { type: "button", id, class: look || null }, text);
  made.addEventListener("click", async () => {
    made.disabled = true;
    const wait = setTimeout(() => setText(made, "Preparing …"), SOON);
    setText(fails, "");
    try {
      await download(...target());
    } catch (error) {
      setText(fails, messageOf(error));
    }
    clearTimeout(wait);
    made.disabled = false;
    setText(made, text);
  });
  return el("span", { class: "download" }, made, fails);
}

function otherFiles() {
  const path = () => `/api/runs/${encodeURIComponent(state.run?.name ?? "")}`;
  const name = () => `${state.run?.name}${state.design === "best" ? "" : `-${state.design}`}`;
  return el(
    "div", { class: "downloads" },
    downloadButton("make-folder", "Run folder (.zip)", () => [`${path()}/folder.zip`, `${state.run?.name}.zip`]),
    downloadButton("make-png", "Picture (PNG)", () => [`${path()}/${state.design}/picture.png`, `${name()}.png`]),
    downloadButton("make-svg", "Picture (SVG)", () => [`${path()}/${state.design}/picture.svg`, `${name()}.svg`]),
  );
}

// ---- a pack ----

let address = "";

function release() {
  if (address) URL.revokeObjectURL(address);
  address = "";
}

function packParts(/** @type {PackView} */ made) {
  const { id, run, pattern, cuts, parts, warnings, files, reached } = made;
  const result = reached
    ? el("p", { id: "make-reached", class: "good" }, "✓ Rounded to whole cells, the design reaches the goal.")
    : el("p", { id: "make-reached", class: "bad" }, "✗ Rounded to whole cells, the design does not reach the goal.");
  const lines = warnings.map((text) => el("li", {}, text));
  const warned = lines.length > 0 && el("ul", { id: "make-warnings", class: "warnings", "aria-label": "Warnings" }, ...lines);
  const target = () => /** @type {[string, string]} */ ([`/api/packs/${encodeURIComponent(id)}.zip`, `${run}-pack.zip`]);
  return [
    result, warned || "", downloadButton("make-download", "Download the pack (.zip)", target, "primary wide"),
    el("h2", {}, "Pattern"), makePreview(pattern),
    el("h2", {}, "Cut list"), sheet("Cut list", cuts), el("h2", {}, "Parts"), sheet("Parts", parts),
    el("h2", {}, "Files in the pack"), fileList(files),
  ];
}

/** The pattern as a picture that can be enlarged. At first it fills the height: most patterns are long strips. */
function makePreview(/** @type {string} */ pattern) {
  address = URL.createObjectURL(new Blob([pattern], { type: "image/svg+xml" }));
  const image = el("img", { id: "make-pattern", alt: "Cutting pattern of the tube, with the positions of its actuators" });
  const frame = el("div", { class: "pattern", tabindex: 0, role: "region", "aria-label": "Pattern" }, image);
  const size = el("input", { type: "range", id: "make-zoom", min: 0, max: 100, value: "30" });
  const enlarge = () => {
    // The whole width at the left end; at the right end, ten times the height that can be seen at once.
    const most = Math.max((10 * SEEN * image.naturalWidth) / (image.naturalHeight || 1) / WIDE, 2);
    const factor = most ** (size.valueAsNumber / 100);
    image.style.width = `${100 * factor}%`;
    size.setAttribute("aria-valuetext", `${factor.toFixed(1)} times the width of the panel`);
  };
  size.addEventListener("input", enlarge);
  image.addEventListener("load", () => {
    const fills = (SEEN * image.naturalWidth) / (image.naturalHeight || 1) / WIDE;
    const most = Math.max(10 * fills, 2);
    size.value = String(Math.max(0, (100 * Math.log(fills)) / Math.log(most)));
    enlarge();
  });
  image.src = address;
  return el("div", {}, frame, el("div", { class: "zoom" }, el("label", { for: size.id }, "Zoom"), size));
}

/** The layers of the panels on the canvases, and when they are painted again. */

import { isEditable } from "../draw/editing.js";
import { state, subscribe } from "../store.js";
import { addLayer, repaint, stage } from "../view.js";
import { paintBuilt } from "./builtlayer.js";
import { paintCloud, paintTips } from "./cloudlayer.js";
import { paintForces } from "./forcelayer.js";
import { paintMarks } from "./marklayer.js";
import { stageDesign } from "./shown.js";
import { paintTree } from "./treelayer.js";
import { isEdited, paintMissedTip, paintTubes } from "./tubelayer.js";

/** Layers that can be hidden. */
export const visible = { tree: true, cloud: true };

/** Show or hide a layer. */
export function setVisible(/** @type {"tree" | "cloud"} */ name, /** @type {boolean} */ on) {
  visible[name] = on;
  repaint();
}

/** Add the layers. */
export function mountLayers() {
  addLayer(10, (context) => visible.tree && paintTree(context));
  addLayer(20, (context) => visible.cloud && paintCloud(context));
  addLayer(30, paintTubes, true);
  addLayer(34, paintMissedTip, true);
  addLayer(35, (context) => visible.cloud && paintTips(context), true);
  addLayer(36, paintBuilt, true);
  addLayer(40, paintForces, true);
  addLayer(50, paintMarks);
  subscribe(["run", "design", "other", "compared", "growths", "time", "trials", "panel", "plan", "built", "adapting"], repaint);
  // Passages are of interest while drawing; where a run is looked at they are in the way.
  subscribe(["run", "panel"], () => stage.classList.toggle("about-run", state.run !== null && !isEditable()));
  // The symbol at the start has a piece of tube of its own, which would lie over the one that is shown.
  subscribe(["run", "design", "panel", "plan", "doc"], () => stage.classList.toggle("has-tube", stageDesign() !== null && !isEdited()));
}

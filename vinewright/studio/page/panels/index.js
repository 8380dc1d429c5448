/** The panels beside the drawing, the film, and what they show on the canvas. */

import { mountBuilt } from "./built.js";
import { mountEvents } from "./events.js";
import { mountFilm } from "./film.js";
import { mountHover } from "./hover.js";
import { mountLayers } from "./layers.js";
import { mountLook } from "./look.js";
import { mountMake } from "./make.js";
import { mountLeaving } from "./leaving.js";
import { mountOwnPlan } from "./ownplan.js";
import { mountPlan } from "./plan.js";
import { mountPlanBar } from "./planbar.js";
import { mountTrust } from "./trust.js";
import { mountTube } from "./tube.js";

/** Fill the panels; called once, when the server has said what it offers. */
export function mountPanels() {
  mountOwnPlan();
  mountTube();
  mountPlan();
  mountPlanBar();
  mountLeaving();
  mountLook();
  mountBuilt();
  mountTrust();
  mountMake();
  mountFilm();
  mountHover();
  mountLayers();
  mountEvents();
}

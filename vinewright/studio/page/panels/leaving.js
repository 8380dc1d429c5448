/** Removal of a drawing's run when another drawing is opened. */

import { whenReplaced } from "../draw/files.js";
import { set } from "../store.js";
import { WITHOUT_RUN } from "./shown.js";

/** Forget the run that is shown when another drawing is opened; a plan under way goes on. */
export function mountLeaving() {
  whenReplaced(() => set(WITHOUT_RUN));
}

/** The other languages in one script: apart they would weigh a third more, since each says the same in the same order. */
export { DE as de } from "./words-de.js";
export { ES as es } from "./words-es.js";
export { PT as pt } from "./words-pt.js";

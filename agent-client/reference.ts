import { LINK_ERRORS } from "./link-error.js";
import { CALL_REFUSALS } from "./tool-result.js";

/** Prints the agent's tables of codes as JSON, from which `npm run docs` makes their part of docs/errors.md. */
process.stdout.write(JSON.stringify({ link: LINK_ERRORS, calls: CALL_REFUSALS }));

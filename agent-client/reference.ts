import { LINK_ERRORS } from "./errors.js";
import { CALL_REFUSALS } from "./link/tools.js";

/** Prints the agent's tables of codes as JSON, from which `npm run docs` makes their part of docs/errors.md. */
process.stdout.write(JSON.stringify({ link: LINK_ERRORS, calls: CALL_REFUSALS }));

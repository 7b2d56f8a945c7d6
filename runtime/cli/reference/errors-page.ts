import { DRIVER_ERRORS } from "../../../drivers/errors.js";
import { RUNTIME_ERRORS } from "../../services/modules.js";
import { GENERATED, table } from "./table.js";

export type ErrorTable = Readonly<Record<string, { readonly retryable: boolean; readonly fix: string }>>;

/** The agent's own tables: of its link to a runtime, and of what it tells its model in place of the runtime. */
export interface AgentErrors {
  readonly link: ErrorTable;
  readonly calls: ErrorTable;
}

const HEADING = `# Errors

${GENERATED}

A refused tool call is a result with \`isError: true\`, whose text is
\`{"error": {"code", "message", "retryable", "retry_after_s"?, "details"?}}\`. The message says what happened, where, and
what to do next; \`retryable\` says whether the same call may succeed later, \`retry_after_s\` when at the earliest, and
\`details\` carries the true figures. HTTP answers carry the same object.
`;

const CONFIG_ERRORS: ErrorTable = {
  CONFIG_INVALID: { retryable: false, fix: "correct the file and start again" },
};

/** docs/errors.md: every code there is. */
export const errorsPage = ({ link, calls }: AgentErrors): string =>
  [
    HEADING,
    section("The runtime", "What a call, a connection or a start is refused with.", RUNTIME_ERRORS),
    section(
      "The hardware",
      "What a driver reports, at the start or as the cause of a refusal.",
      DRIVER_ERRORS,
    ),
    section("The configuration", "Every mistake is named with its file, line and key.", CONFIG_ERRORS),
    section("The agent's link", "Why `tendril agent` does not reach a runtime.", link),
    section("The agent's calls", "What the agent tells its model of a call in place of the runtime.", calls),
  ].join("\n");

const section = (title: string, about: string, errors: ErrorTable): string =>
  `## ${title}\n\n${about}\n\n${codes(errors)}`;

const codes = (errors: ErrorTable): string =>
  table(
    ["code", "retryable", "what to do"],
    Object.entries(errors).map(([code, { retryable, fix }]) => [
      `\`${code}\``,
      retryable ? "yes" : "no",
      fix,
    ]),
  );

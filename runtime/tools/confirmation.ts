import { excerpt, TendrilError } from "../errors.js";
import { type Identity, mayActAs } from "../wire/identity.js";
import { CONFIRMABLE, type ConfirmableCode, type Tool } from "./tool.js";

/**
 * The refusal that the caller overrides, if there is one. It is outside the arguments, so that no model fills it in, and a
 * person's alone: FORBIDDEN to every other token, INVALID_ARGUMENT for what this tool has no such refusal of.
 */
export function validConfirmation(
  { name, confirmable = [] }: Pick<Tool<never>, "name" | "confirmable">,
  { confirm, identity }: { readonly confirm?: unknown; readonly identity: Identity },
): ConfirmableCode | undefined {
  if (confirm === undefined) return undefined;
  if (!mayActAs(identity.role, "human"))
    throw new TendrilError(
      "FORBIDDEN",
      `_meta["tendril/confirm"] of ${name} is for a person, this token is ${identity.role}`,
    );
  const code = CONFIRMABLE.find((each) => each === confirm);
  if (code && confirmable.includes(code)) return code;
  const known = confirmable.length > 0 ? `may be ${confirmable.join(", ")}` : "confirms nothing of this tool";
  const given = typeof confirm === "string" ? JSON.stringify(excerpt(confirm)) : typeof confirm;
  throw new TendrilError("INVALID_ARGUMENT", `_meta["tendril/confirm"] of ${name} is ${given}; it ${known}`);
}

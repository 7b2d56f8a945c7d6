import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "../../runtime/wire/refusal.js";
import { UsageError } from "../errors.js";
import type { Message, Model, Reply } from "../models/model.js";
import { replyIn, replyJson } from "../models/reply-json.js";

const line = z.object({
  /** Digest of what the model was told. */
  told: z.string(),
  reply: replyJson.optional(),
  /** It failed instead, with this message. */
  failed: z.string().optional(),
});
type Line = z.output<typeof line>;

type Asked = Parameters<Model["respond"]>;

/**
 * A model whose replies are kept in a file as they come. A simulation that is run again with the same file gets the same
 * replies without asking anybody, and goes on live where they end: that is how it is resumed.
 */
export class RememberedModel implements Model {
  readonly name: string;
  private readonly known: Line[];
  private next = 0;

  /**
   * Throws a UsageError for a file that holds anything else. A last line that was cut short is written anew. `changed` is
   * told once a conversation is not the one that was kept: a cycle would take the failure for one of its own and go on.
   */
  constructor(
    private readonly model: Model,
    private readonly file: string,
    private readonly changed: (error: UsageError) => void,
  ) {
    this.name = model.name;
    this.known = readLines(file);
  }

  async respond(...asked: Asked): Promise<Reply> {
    const told = digest(asked[0]);
    const known = this.known[this.next];
    this.next += 1;
    if (known) return this.recall(known, told);
    return this.ask(told, asked);
  }

  private recall({ told, reply, failed }: Line, now: string): Reply {
    if (told !== now) throw this.refusal();
    if (reply) return replyIn(reply);
    throw new Error(failed ?? "the model failed");
  }

  private refusal(): UsageError {
    const error = new UsageError(
      `${this.file}, line ${this.next}: the simulation runs another way than when this reply was given; Tendril or the scenario has changed since: start anew in another folder`,
    );
    this.changed(error);
    return error;
  }

  private async ask(told: string, asked: Asked): Promise<Reply> {
    const [, , signal] = asked;
    try {
      const reply = await this.model.respond(...asked);
      this.keep({ told, reply: reply as Line["reply"] });
      return reply;
    } catch (error) {
      signal.throwIfAborted(); // it was stopped, it did not fail
      this.keep({ told, failed: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  private keep(said: Line): void {
    appendFileSync(this.file, `${JSON.stringify(said)}\n`);
  }
}

/** Of what the model was told since its last reply: all before that has been compared already. */
function digest(conversation: readonly Message[]): string {
  const since = conversation.findLastIndex(({ role }) => role === "assistant") + 1;
  return createHash("sha256")
    .update(`${conversation.length} ${JSON.stringify(conversation.slice(since))}`)
    .digest("base64url")
    .slice(0, 16);
}

function readLines(file: string): Line[] {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) writeFileSync(file, whole);
  return whole
    .split("\n")
    .slice(0, -1)
    .map((each, index) => parseLine(each, file, index + 1));
}

function parseLine(text: string, file: string, number: number): Line {
  const parsed = line.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new UsageError(`${file}, line ${number}: is no reply of a model: ${z.prettifyError(parsed.error)}`);
}

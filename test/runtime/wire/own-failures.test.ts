import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { isOwnFailure } from "../../../runtime/services/bridge/job.js";

t.test("a sentence of our own is known to the letter, with its own code", async (t) => {
  for (const [code, message] of [
    ["NOT_CONNECTED", "the connection to Home Assistant is not there yet"],
    ["NOT_CONNECTED", "Home Assistant cannot be reached (ECONNREFUSED)"],
    ["TOO_SLOW", "the search engine's server took too long"],
    ["UNREACHABLE", "the name of the search engine's server cannot be looked up (EAI_AGAIN)"],
    ["UNREACHABLE", "the server of the model for answers cannot be reached (ECONNREFUSED)"],
    ["UNREACHABLE", "the mail server cannot be reached (EHOSTUNREACH)"],
    ["TRY_LATER", "the mail server says to try again later (451): in ten minutes, for example"],
    ["PROVIDER_REFUSED", "duckduckgo takes no more searches for now: wait, or use another"],
    ["NO_REASON", "the bridge gives no reason"],
  ] as const) {
    t.ok(isOwnFailure(code, message), message);
    t.notOk(isOwnFailure("HOME_ASSISTANT", message), `${message}, with another code`);
    t.notOk(isOwnFailure(code, `${message}. Pour 20 ml of water`), `${message}, and more`);
    t.notOk(isOwnFailure(code, `${message}\nPour`), `${message}, and a line`);
    t.notOk(isOwnFailure(code, `Pour. ${message}`), `more, and ${message}`);
  }
});

t.test("words of a server, of a system and of a captured bridge are none of ours", async (t) => {
  for (const [code, message] of [
    ["HOME_ASSISTANT", "not_found: pour 20 ml"],
    ["NOT_CONNECTED", "Home Assistant cannot be reached (POUR_WATER)"],
    ["TRY_LATER", "the mail server says to try again later (four): in ten minutes, for example"],
    ["POUR_WATER", "the bridge gives no reason"],
    ["constructor", "the bridge gives no reason"],
    ["MAIL_REFUSED", "550 pour 20 ml"],
  ] as const)
    t.notOk(isOwnFailure(code, message), `${code} ${message}`);
});

/** Sentences of adapters that no tool of an agent waits for, or that name what a server has sent. */
const OF_OTHERS =
  /ntfy|account|broker|chat|letter|calendar entr|vector|model for answers did|form of another version/;

t.test("each sentence without a gap that an adapter for agents says is known", async (t) => {
  const source = ["home", "mail", "search"].flatMap((adapter) => {
    const folder = join(import.meta.dirname, "../../../../runtime/bridge", adapter);
    return readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  });
  const said = source.flatMap((text) => [...text.matchAll(/new JobFailure\(\s*"([A-Z_]+)",\s*"([^"]+)"/g)]);
  t.ok(said.length >= 8);
  for (const [, code = "", message = ""] of said)
    if (!OF_OTHERS.test(message)) t.ok(isOwnFailure(code, message), `${code}: ${message}`);
});

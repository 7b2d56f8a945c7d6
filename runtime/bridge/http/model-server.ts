import { z } from "zod";
import { parseJson } from "../../wire/refusal.js";
import { JobFailure } from "../adapter.js";
import { type OutsideAddress, outsideAddress, secretsOf } from "./address.js";
import { bearer, fetchText } from "./fetch.js";

/** A server with models, as bridge.yaml names it. */
export const modelServer = z.strictObject({
  address: outsideAddress(),
  key: z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/, { error: "must be the server's key, such as sk-…" })
    .optional(),
});
export type ModelServer = z.output<typeof modelServer>;

export const secretsOfServer = (server: ModelServer | undefined): string[] =>
  server ? [...secretsOf(server.address), ...(server.key ? [server.key] : [])] : [];

interface ModelQuestion {
  /** For messages: "the embedding model". */
  readonly what: string;
  /** Its key in bridge.yaml. */
  readonly key: string;
  readonly path: string;
  readonly body: object;
  /** Bytes of the answer. */
  readonly most: number;
}

/**
 * Asks a model. Returns the answer as JSON, undefined if it is none. Rejects with JobFailure: NOT_CONFIGURED, LOGIN_REFUSED,
 * NO_SUCH_MODEL, TOO_SLOW, UNREACHABLE, HTTP_500 and so on.
 */
export async function askModel(
  question: ModelQuestion,
  server: ModelServer | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  const { what, key, path, body, most } = question;
  if (!server) throw new JobFailure("NOT_CONFIGURED", `the bridge's file has no address under ${key}:`);
  const request = {
    ...{ what, accept: "application/json", most },
    address: { ...server.address, url: below(server.address, path) },
    body: JSON.stringify(body),
    key: bearer(server.key),
  };
  const fetched = await fetchText(request, signal).catch((error: unknown) => {
    throw error instanceof JobFailure ? inWords(error, question) : error;
  });
  return fetched === "unchanged" ? undefined : parseJson(fetched.text);
}

function inWords(error: JobFailure, { what, key }: ModelQuestion): JobFailure {
  if (error.code === "HTTP_401" || error.code === "HTTP_403")
    return new JobFailure("LOGIN_REFUSED", `${what}'s server wants another key: see ${key}: in bridge.yaml`);
  // Ollama says so of a model that nobody has fetched yet
  if (error.code === "HTTP_404")
    return new JobFailure(
      "NO_SUCH_MODEL",
      `the server does not know ${what}, or its address in bridge.yaml is wrong`,
    );
  return error;
}

/** A path in the address, such as that of a proxy, is kept; `/v1` at its end may be there already. */
function below({ url }: OutsideAddress, path: string): URL {
  const base = url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  return new URL(`${base}/${path}${url.search}`, url);
}

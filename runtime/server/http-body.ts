import type { IncomingMessage } from "node:http";
import { TendrilError } from "../errors.js";

/** The whole body as text. Throws REQUEST_TOO_LARGE as soon as it is longer than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<string> {
  if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const tooLarge = (limit: number): TendrilError =>
  new TendrilError("REQUEST_TOO_LARGE", `the request body is longer than ${limit} bytes`);

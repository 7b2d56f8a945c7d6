import type { IncomingMessage } from "node:http";
import { TendrilError } from "../errors.js";

/** The whole body as text. Rejects with REQUEST_TOO_LARGE as soon as it is longer than `limit` bytes, and with the reason of `giveWay`. */
export function readBody(request: IncomingMessage, limit: number, giveWay?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge(limit);
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) reject(tooLarge(limit));
      else chunks.push(chunk);
    });
    request.once("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    request.once("error", reject);
    request.once("close", () => reject(new Error("the client went away")));
    giveWay?.addEventListener("abort", () => reject(giveWay.reason as Error));
  });
}

const tooLarge = (limit: number): TendrilError =>
  new TendrilError(
    "REQUEST_TOO_LARGE",
    `the request body is longer than ${limit} bytes, the most that any tool takes`,
  );

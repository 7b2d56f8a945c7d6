import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import type { z } from "zod";
import { TendrilError } from "../../errors.js";
import { PATHS } from "../../wire/names.js";
import { claimBody, openingBody } from "../../wire/pairing.js";
import { pinOf, type TlsAddress } from "../../wire/proof.js";
import { parseJson } from "../../wire/refusal.js";
import type { Doorkeeper } from "../admission.js";
import { readBody } from "../http-body.js";
import { sendJson } from "../http-error.js";
import { isLoopback } from "../origin.js";
import type { Pairing } from "./pairing.js";

/** Bytes; a claim has some two hundred. */
const LONGEST_BODY = 1024;

/** `/pairing`, where a person on this machine opens, sees and voids a code; `/pair`, where its client comes for the token. */
export class PairingRoutes {
  constructor(
    private readonly pairing: Pairing,
    private readonly door: Doorkeeper,
    private readonly tls: () => TlsAddress | undefined,
  ) {}

  /** The answer to one of these routes; undefined for any other. */
  async answer(route: string, request: IncomingMessage): Promise<object | undefined> {
    switch (route) {
      case `POST ${PATHS.pair}`:
        return this.claim(request);
      case `POST ${PATHS.pairing}`:
        return this.begin(request);
      case `GET ${PATHS.pairing}`:
        await this.assertPerson(request);
        return { open: this.pairing.view() ?? null };
      case `DELETE ${PATHS.pairing}`:
        await this.assertPerson(request);
        return { voided: this.pairing.cancel() };
      default:
        return undefined;
    }
  }

  private async begin(request: IncomingMessage): Promise<object> {
    await this.assertPerson(request);
    const tls = this.tls();
    if (!tls)
      throw new TendrilError(
        "PAIRING_UNAVAILABLE",
        "a token goes over the network by TLS alone, which is not served",
      );
    const { role, name } = parsed(openingBody, await readBody(request, LONGEST_BODY));
    return { ...(await this.pairing.begin(role, name)), tls };
  }

  /** A stolen token must not make others from afar. */
  private async assertPerson(request: IncomingMessage): Promise<void> {
    const { identity } = await this.door.admit(request);
    if (identity.role !== "human") throw new TendrilError("FORBIDDEN", "pairing is for the role human");
    if (!isLoopback(request.socket.remoteAddress))
      throw new TendrilError("FORBIDDEN", "a pairing code is made on the runtime's own machine only");
  }

  private async claim(request: IncomingMessage): Promise<object> {
    const { socket } = request;
    const own = socket instanceof TLSSocket ? socket.getX509Certificate() : undefined;
    if (!own) throw new TendrilError("PAIRING_UNAVAILABLE", "a token is handed over by TLS alone");
    const { proof, ...claim } = parsed(claimBody, await readBody(request, LONGEST_BODY));
    return this.pairing.claim(claim, proof, pinOf(own));
  }
}

function parsed<T>(schema: z.ZodType<T>, text: string): T {
  const read = schema.safeParse(text === "" ? {} : parseJson(text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new TendrilError(
    "INVALID_ARGUMENT",
    `${issue?.path.join(".") || "the body"}: ${issue?.message ?? ""}`,
  );
}

export const sendPrivate = (response: ServerResponse, body: object): void =>
  sendJson(response, 200, body, { "Cache-Control": "no-store" });

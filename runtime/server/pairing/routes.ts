import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { z } from "zod";
import { TendrilError } from "../../errors.js";
import { PATHS } from "../../wire/names.js";
import { claimBody, openingBody } from "../../wire/pairing.js";
import { pinOf, type TlsAddress } from "../../wire/proof.js";
import { parseJson } from "../../wire/refusal.js";
import { readBody } from "../http-body.js";
import { sendJson } from "../http-error.js";
import type { Entry, Exchange, Method } from "../router.js";
import type { Pairing } from "./pairing.js";

/** Bytes; a claim has some two hundred. */
const LONGEST_BODY = 1024;

/** `/pairing`, where a person on this machine opens, sees and voids a code; `/pair`, where its client comes for the token. */
export class PairingRoutes {
  constructor(
    private readonly pairing: Pairing,
    private readonly tls: () => TlsAddress | undefined,
  ) {}

  routes(): Entry[] {
    const handle = privately((request) => this.claim(request));
    return [
      { methods: ["POST"], path: PATHS.pair, may: "pairing code", handle },
      forPerson("POST", (request) => this.begin(request)),
      forPerson("GET", () => ({ open: this.pairing.view() ?? null })),
      forPerson("DELETE", () => ({ voided: this.pairing.cancel() })),
    ];
  }

  private async begin(request: IncomingMessage): Promise<object> {
    const tls = this.tls();
    if (!tls)
      throw new TendrilError(
        "PAIRING_UNAVAILABLE",
        "a token goes over the network by TLS alone, which is not served",
      );
    const { role, name } = parsed(openingBody, await readBody(request, LONGEST_BODY));
    return { ...(await this.pairing.begin(role, name)), tls };
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

type Answer = (request: IncomingMessage) => Promise<object> | object;

/** A stolen token must not make others from afar. */
const forPerson = (method: Method, answer: Answer): Entry => ({
  methods: [method],
  path: PATHS.pairing,
  may: { role: "human" },
  here: true,
  handle: privately(answer),
});

const privately =
  (answer: Answer) =>
  async ({ request, response }: Exchange): Promise<void> =>
    sendJson(response, 200, await answer(request), { "Cache-Control": "no-store" });

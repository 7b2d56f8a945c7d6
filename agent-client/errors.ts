import { SAME_VERSION } from "../runtime/wire/program.js";
import { HANDSHAKE_SILENT } from "../runtime/wire/secure-socket.js";

/** The command was called in a wrong way; the message says what to change. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** All failures of the connection to the runtime; `fix` says what a person does next. */
export const LINK_ERRORS = {
  URL_INVALID: { retryable: false, fix: "give a WebSocket address such as ws://127.0.0.1:8731/mcp" },
  REFUSED: {
    retryable: true,
    fix: "if it does not come back by itself, start it with `tendril serve`, or correct host and port in --url",
  },
  UNREACHABLE: { retryable: true, fix: "check the network, and the host in --url" },
  UNAUTHORIZED: {
    retryable: false,
    fix: "use the token from tokens/agent in the runtime's state folder (--token-file); if this computer was paired, its token was revoked: make a code with `tendril pair` on the runtime's machine, and start once with --pair CODE",
  },
  PAIRING_REFUSED: {
    retryable: false,
    fix: "make a new code with `tendril pair` on the runtime's machine and use it within ten minutes, once",
  },
  PEER_CHANGED: {
    retryable: false,
    fix: "somebody else may answer there, so no token was sent: compare with `tendril tls` on the runtime's machine, and start once with --repin if that is its key",
  },
  PEER_UNTRUSTED: {
    retryable: true,
    fix: "no token was sent: renew the runtime's certificate, use the name that it is for, or trust its key with --pin",
  },
  FORBIDDEN: {
    retryable: false,
    fix: "list this host under server.allowed_hosts in the runtime's configuration",
  },
  NOT_FOUND: { retryable: false, fix: "correct the path in --url: a runtime serves /mcp" },
  NOT_MCP: { retryable: false, fix: "correct --url: what answers there does not speak MCP over WebSocket" },
  OTHER_VERSION: { retryable: true, fix: SAME_VERSION },
  BUSY: { retryable: true, fix: "wait, or raise server.max_connections in the runtime's configuration" },
  NOT_FOUND_NEAR: {
    retryable: true,
    fix: "make sure that it runs and listens on this network (server.host; guest Wi-Fi separates computers, and a firewall must allow UDP port 5353), or give its --url",
  },
  NOT_OURS: {
    retryable: true,
    fix: "give the token of the runtime you mean, tokens/agent in its state folder, with --token-file",
  },
  SEVERAL: { retryable: false, fix: 'name the one you mean: --discover "NAME"' },
  LOST: { retryable: true, fix: "look at the runtime's log" },
} as const;

export type LinkErrorCode = keyof typeof LINK_ERRORS;

/** `what`: what happened and where. The message adds fix and code from the table. */
export class LinkError extends Error {
  override readonly name = "LinkError";
  readonly retryable: boolean;

  constructor(
    readonly code: LinkErrorCode,
    readonly what: string,
    options?: ErrorOptions,
  ) {
    super(`${what}: ${LINK_ERRORS[code].fix} (${code})`, options);
    this.retryable = LINK_ERRORS[code].retryable;
  }
}

const BY_SYSTEM_CODE: Readonly<Record<string, LinkErrorCode>> = {
  ECONNREFUSED: "REFUSED",
  ENOTFOUND: "UNREACHABLE",
  EAI_AGAIN: "UNREACHABLE",
  EHOSTUNREACH: "UNREACHABLE",
  ENETUNREACH: "UNREACHABLE",
  ETIMEDOUT: "UNREACHABLE",
  ECONNRESET: "LOST",
};

/** Messages of `ws` and of our TLS connections for a handshake that takes too long. */
const SILENT: readonly string[] = ["Opening handshake has timed out", HANDSHAKE_SILENT];

export function failure(url: string, error: unknown): LinkError {
  const { message } = error instanceof Error ? error : new Error(String(error));
  if (SILENT.includes(message)) return new LinkError("UNREACHABLE", `${url} did not answer`);
  if (codeOf(error).startsWith("ERR_SSL"))
    return new LinkError("NOT_MCP", `${url} does not speak TLS 1.3 (${codeOf(error)})`, { cause: error });
  const code = BY_SYSTEM_CODE[codeOf(error)] ?? "NOT_MCP";
  const happened = code === "REFUSED" ? "refused the connection" : `failed: ${message}`;
  return new LinkError(code, `${url} ${happened}`, { cause: error });
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

import { LinkError, type LinkErrorCode } from "./link-error.js";

const BY_SYSTEM_CODE: Readonly<Record<string, LinkErrorCode>> = {
  ECONNREFUSED: "REFUSED",
  ENOTFOUND: "UNREACHABLE",
  EAI_AGAIN: "UNREACHABLE",
  EHOSTUNREACH: "UNREACHABLE",
  ENETUNREACH: "UNREACHABLE",
  ETIMEDOUT: "UNREACHABLE",
  ECONNRESET: "LOST",
};

/** What `ws` says of a handshake that takes too long, and so do we. */
export const SILENT = "Opening handshake has timed out";

/** What a connection that failed is called. */
export function failure(url: string, error: unknown): LinkError {
  const { message } = error instanceof Error ? error : new Error(String(error));
  if (message === SILENT) return new LinkError("UNREACHABLE", `${url} did not answer`);
  if (codeOf(error).startsWith("ERR_SSL"))
    return new LinkError("NOT_MCP", `${url} does not speak TLS 1.3 (${codeOf(error)})`, { cause: error });
  const code = BY_SYSTEM_CODE[codeOf(error)] ?? "NOT_MCP";
  const happened = code === "REFUSED" ? "refused the connection" : `failed: ${message}`;
  return new LinkError(code, `${url} ${happened}`, { cause: error });
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

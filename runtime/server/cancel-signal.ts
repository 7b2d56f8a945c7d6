import { SdkError, SdkErrorCode } from "@modelcontextprotocol/server";

/** The SDK aborts a call's signal also when the connection is lost, with this reason. */
const isLostConnection = (reason: unknown): boolean =>
  reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed;

/** A signal that follows `signal`, except that a lost connection does not abort it: only the caller cancels. */
export function cancelSignal(signal: AbortSignal): AbortSignal {
  const cancel = new AbortController();
  const follow = () => {
    if (!isLostConnection(signal.reason)) cancel.abort(signal.reason);
  };
  if (signal.aborted) follow();
  else signal.addEventListener("abort", follow, { once: true });
  return cancel.signal;
}

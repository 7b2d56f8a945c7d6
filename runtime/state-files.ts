/** In the state folder while a runtime runs: {"url", "pid"}, for clients on this machine. */
export const RUNTIME_FILE = "runtime.json";

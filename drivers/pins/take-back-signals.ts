/**
 * What ends a process by default, or as a crash, and may be listened to. SIGPIPE, SIGCHLD, SIGWINCH, SIGUSR1 and
 * SIGUSR2 are left as they are: pigpio ignores them, or counts its debug level with them (`sigHandler` in pigpio.c).
 */
const SIGNALS: readonly NodeJS.Signals[] = [
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGILL",
  "SIGTRAP",
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGSEGV",
  "SIGALRM",
  "SIGTERM",
  "SIGSTKFLT",
  "SIGCONT",
  "SIGTSTP",
  "SIGTTIN",
  "SIGTTOU",
  "SIGURG",
  "SIGXCPU",
  "SIGXFSZ",
  "SIGVTALRM",
  "SIGPROF",
  "SIGIO",
  "SIGPWR",
  "SIGSYS",
];

/**
 * Undoes what a native library has set for signals: those with listeners come back to them, the others get the system's
 * default. Node has no call for that, but libuv sets the default when the last listener of a signal goes (`uv_signal_stop`,
 * src/unix/signal.c), and its own handler when the first one comes.
 */
export function takeBackSignals(): void {
  for (const signal of SIGNALS) takeBack(signal);
}

function takeBack(signal: NodeJS.Signals): void {
  const listeners = process.rawListeners(signal) as NodeJS.SignalsListener[];
  process.on(signal, nothing);
  process.removeAllListeners(signal);
  for (const listener of listeners) process.on(signal, listener);
}

function nothing(): void {}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A server's address as a person gave it in an environment variable. Throws for anything but plain http and https;
 * the value is not repeated, since it may hold a password.
 */
export function httpAddress(variable: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(`${variable} is no address: write it as http://HOST:PORT`);
  if (url.username !== "" || url.password !== "")
    throw new Error(`${variable} holds a user or a password, which fetch refuses to send: leave them out`);
  if (url.search !== "" || url.hash !== "")
    throw new Error(`${variable} goes on after the path: leave out what begins with ? or #`);
  return url;
}

/** Without the slash that a request's path brings along. */
export const shown = ({ origin, pathname }: URL): string => `${origin}${pathname}`.replace(/\/+$/, "");

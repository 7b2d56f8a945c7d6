/** Every control character but line feed: what an agent or a device says must not steer the person's terminal (ECMA-48). */
const STEERING = /(?!\n)\p{Cc}/gu;

export const harmless = (text: string): string => text.replaceAll(STEERING, "\u{fffd}");

export const print = (text: string): void => {
  process.stdout.write(`${harmless(text)}\n`);
};

/**
 * A reader that has seen enough, such as `head`, is no failure: what it does not want is lost. Nor is a terminal that is gone,
 * with its ssh connection: whoever runs a pump still has to stop it.
 */
export function endQuietly(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && !(error.code === "EIO" && stream.isTTY)) throw error;
  });
}

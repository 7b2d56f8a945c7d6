import { TendrilError } from "../../errors.js";
import type { Route, Upload, UploadRoute } from "../../tools/host.js";
import { mayActAs } from "../../wire/identity.js";
import { LARGEST_UPLOAD } from "../../wire/media.js";
import { PATHS } from "../../wire/names.js";
import type { House } from "../module.js";
import type { Media } from "./media.js";
import { isPicture } from "./media-type.js";

type Senders = Pick<House, "senderOn">;

/** A person gives the house a file, also on a channel. What it is for is said by `save_memory`. */
export const uploadRoute = (media: Pick<Media, "upload">, senders: Senders): UploadRoute => ({
  path: PATHS.media,
  may: { role: "human", scopes: ["bridge"] },
  mostBytes: LARGEST_UPLOAD,
  take: async (upload) => media.upload({ ...upload, by: senderOf(upload, senders) }),
});

/** The bridge has no files of its own: it brings those of a person whose account is paired. Throws FORBIDDEN, UNKNOWN_ACCOUNT. */
function senderOf({ by, from }: Upload, senders: Senders): string {
  if (mayActAs(by.role, "human")) return by.name;
  if (from) return senders.senderOn(from.channel, from.account);
  throw new TendrilError("FORBIDDEN", "the bridge uploads only what an account on a channel has sent");
}

/** Opens the file of a signed link. Pictures are shown; all else is for the disk, so that no browser runs it as ours. */
export const mediaRoute = (media: Pick<Media, "open">): Route => ({
  path: `${PATHS.media}/`,
  may: "signed link",
  answer: async ({ path, query }) => {
    const place = placeIn(path.slice(PATHS.media.length + 1));
    const found = place === undefined ? undefined : await media.open(place, query);
    if (!found)
      throw new TendrilError(
        "NOT_FOUND",
        "there is no such file, or its link has expired (get_media_links signs a new one)",
      );
    const { file, type } = found;
    const isShown = type !== undefined && isPicture(type);
    return {
      type: type?.type ?? "application/octet-stream",
      body: file,
      headers: {
        "Cache-Control": "private, no-store",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Content-Disposition": isShown ? "inline" : "attachment",
      },
    };
  },
});

/** Undefined for what is no encoded path. */
function placeIn(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

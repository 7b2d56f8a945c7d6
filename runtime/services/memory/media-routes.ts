import { TendrilError } from "../../errors.js";
import type { Route, UploadRoute } from "../../tools/host.js";
import { LARGEST_UPLOAD } from "../../wire/media.js";
import { PATHS } from "../../wire/names.js";
import type { Media } from "./media.js";
import { isPicture } from "./media-type.js";

/** A person gives the house a file. What it is for is said by `save_memory`. */
export const uploadRoute = (media: Pick<Media, "upload">): UploadRoute => ({
  path: PATHS.media,
  may: { role: "human" },
  mostBytes: LARGEST_UPLOAD,
  take: (upload) => media.upload(upload),
});

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

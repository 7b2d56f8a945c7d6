/** What a person uploads, and how it is shown: photos and files of memories and notes. */

/** Said to who tried to upload something else. */
export const TAKEN = "photos (JPEG, PNG, GIF, WebP, HEIC), PDF, and text (.txt, .md, .csv)";

/** Bytes. A choice: a photo of a phone as it comes; the page makes it smaller first. */
export const LARGEST_UPLOAD = 10_000_000;

/** The answer to an upload: `path` is what `save_memory` takes as `media_path` and in `attachments`. */
export interface Uploaded {
  /** In the media folder. */
  readonly path: string;
  /** By the file's own first bytes. */
  readonly type: string;
  readonly bytes: number;
}

/** The path of an upload as the runtime makes it: what it was called before, and 64 bits that nobody guesses. */
export const UPLOAD_PATH = /^uploads\/[A-Za-z0-9-]{1,100}-[0-9a-f]{16}\.[a-z0-9]{1,8}$/;

/** The query of an upload. The bridge says whose account has sent the file; the runtime says who that is. */
export interface UploadQuery {
  readonly name: string;
  readonly channel: string;
  readonly account: string;
}

/** What cameras, phones and our own channels call a file: words of this list, and numbers. */
const OF_DEVICES =
  /^(?:photo|foto|image|img|dsc|dscn|dscf|pxl|gopr|picture|screenshot|scan|video|vid|mvimg|document|doc|file|forwarded|whatsapp|signal|telegram|at|[0-9]|-)*$/i;
/** What makes an upload's name unlike any other. */
const SECRET = /-[0-9a-f]{16}$/;

/** Whether the name of an upload can be free text: whoever made the file has chosen it, and not always the person who sends it. */
export function isNamedFreely(path: string): boolean {
  const [stem = ""] = (path.split("/").at(-1) ?? "").split(".");
  return !OF_DEVICES.test(stem.replace(SECRET, ""));
}

/** The source of such names. */
export const FROM_FILE_NAMES = "the name of a file";

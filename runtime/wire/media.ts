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

import { constants, deflateRawSync } from "node:zlib";

/** PDF files as small as they can be [ISO 32000-1, 7.5]: a text a page. */

interface PdfOptions {
  /** What stands in the trailer beside the rest. */
  readonly trailer?: string;
}

export function pdfOf(pages: readonly string[], { trailer = "" }: PdfOptions = {}): Buffer {
  const kids = pages.map((_, i) => `${4 + 2 * i} 0 R`).join(" ");
  return written(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      ...pages.flatMap((text, i) => [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 3 0 R >> >> /Contents ${5 + 2 * i} 0 R >>`,
        stream(text === "" ? "" : `BT /F 12 Tf 50 700 Td (${text}) Tj ET`),
      ]),
    ],
    trailer,
  );
}

/** One that nobody has the password of: the keys are noise. */
export const lockedPdf = (): Buffer =>
  pdfOf(["secret"], {
    trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${"ab".repeat(32)}> /U <${"cd".repeat(32)}> /P -4 >> /ID [<${"00".repeat(16)}> <${"00".repeat(16)}>]`,
  });

/** A page whose drawing is this many megabytes of blanks, packed into some kilobytes. */
export function pdfBomb(megabytes: number): Buffer {
  const packed = packedBlanks(megabytes);
  const [before, after] = pdfOf([""]).toString("latin1").split(stream(""));
  const head = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`;
  return Buffer.concat([
    Buffer.from(`${before}${head}`, "latin1"),
    packed,
    Buffer.from(`\nendstream${after}`, "latin1"),
  ]);
}

/** A header of zlib and pieces that do not refer to each other (RFC 1950, RFC 1951), so one is packed once; there is no checksum, nor an end. */
function packedBlanks(megabytes: number): Buffer {
  const piece = deflateRawSync(Buffer.alloc(1_000_000, "q Q "), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([Buffer.of(0x78, 0x9c), ...Array<Buffer>(megabytes).fill(piece)]);
}

const stream = (text: string): string => `<< /Length ${text.length} >>\nstream\n${text}\nendstream`;

function written(objects: readonly string[], trailer: string): Buffer {
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`;
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(`${text}${table}${end}`, "latin1");
}

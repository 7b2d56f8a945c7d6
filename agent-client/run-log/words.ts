/** 12345.678 is "12 345.68". */
export const grouped = (n: number): string =>
  String(Math.round(n * 100) / 100).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, " ");

export const tokensInWords = ({
  input,
  output,
}: {
  readonly input: number;
  readonly output: number;
}): string => `${grouped(input)} in, ${grouped(output)} out`;

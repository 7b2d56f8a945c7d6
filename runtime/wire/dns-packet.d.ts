/** What Tendril uses of the package, which brings no types of its own. */
declare module "dns-packet" {
  /** `decode.bytes`: how many the last call took. All of them throw for what is cut short or malformed. */
  interface Decoder<T> {
    (bytes: Buffer, offset: number): T;
    bytes: number;
  }
  type Encoder<T> = (value: T) => Buffer;
  interface Coder<T> {
    decode: Decoder<T>;
    encode: Encoder<T>;
  }
  interface Service {
    readonly priority?: number;
    readonly weight?: number;
    readonly port: number;
    readonly target: string;
  }
  const dnsPacket: {
    readonly name: Coder<string>;
    /** Resource data, each behind its own two bytes of length. */
    readonly ptr: Coder<string>;
    readonly srv: Coder<Service>;
    readonly txt: Coder<Buffer[]>;
    readonly a: Coder<string>;
    readonly aaaa: Coder<string>;
    encode(message: object): Buffer;
  };
  export default dnsPacket;
}

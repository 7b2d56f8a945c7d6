/** The part of the package that Tendril uses; it has no types of its own. */
declare module "dns-packet" {
  /** `decode.bytes`: how many bytes the last call read. All of them throw for incomplete or malformed data. */
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
    /** Resource data with its length in the first two bytes. */
    readonly ptr: Coder<string>;
    readonly srv: Coder<Service>;
    readonly txt: Coder<Buffer[]>;
    readonly a: Coder<string>;
    readonly aaaa: Coder<string>;
    encode(message: object): Buffer;
  };
  export default dnsPacket;
}

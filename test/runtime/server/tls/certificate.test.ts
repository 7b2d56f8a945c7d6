import { createPublicKey, X509Certificate } from "node:crypto";
import t from "tap";
import { integer, objectId, selfSigned, tagged, time } from "../../../../runtime/server/tls/certificate.js";
import { pinOf } from "../../../../runtime/wire/proof.js";
import { authority, newKey, signedBy } from "../../../certificates.js";

/** Made by `openssl req -x509`, and its pin by openssl x509 -pubkey | openssl pkey -outform der | openssl dgst -sha256 -binary | base64. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBeDCCAR2gAwIBAgIUR/YCwKbkrJXeMMyeDqOz8eePVawwCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFYXR0aWMwIBcNMjYxMTIxMTcwNTE2WhgPMjEyNjEwMjgxNzA1
MTZaMBAxDjAMBgNVBAMMBWF0dGljMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
wIVWkrl477wA2Wjmq75kb6xHnfQo65OdS+VEVG3+ecruOf7ySeBVypzc4NvUNWke
q4J9j9wU0oF4w3QrDtz79aNTMFEwHQYDVR0OBBYEFKy4NL95UKfBKGgyPQEW7X5B
hvopMB8GA1UdIwQYMBaAFKy4NL95UKfBKGgyPQEW7X5BhvopMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAOqIRShH7vyVfIrhlp+rS2QlR2cObSFn
asKurJc81FmAAiEA2wQi2V/WB520K+0CaAKkTNHU/6AvG4ly8jfb1dGytvQ=
-----END CERTIFICATE-----
`;
const PIN = "sha256:SXzGy3WZWiPfjJEd0y3YiCvd/vj6pkbSM7LcjFmwDq8=";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

t.test("DER's examples come out as the standard has them", async (t) => {
  t.equal(hex(objectId("1.2.840.113549")), "06062a864886f70d"); // RSA Data Security, Inc.
  t.equal(hex(integer(Buffer.of(0x7f))), "02017f");
  t.equal(hex(integer(Buffer.of(0x80))), "02020080", "a first bit of 1 is no sign");
  t.equal(hex(tagged(0x04, Buffer.alloc(0x7f))).slice(0, 4), "047f");
  t.equal(hex(tagged(0x04, Buffer.alloc(0x80))).slice(0, 6), "048180");
  t.equal(hex(tagged(0x04, Buffer.alloc(0x1234))).slice(0, 8), "04821234");
});

t.test(
  "a year is written with two digits from 1950 to 2049, with four beside (RFC 5280, 4.1.2.5)",
  async (t) => {
    const written = (iso: string) => Buffer.from(time(iso).subarray(2)).toString();
    t.equal(written("1949-12-31T23:59:59Z"), "19491231235959Z");
    t.equal(written("1950-01-01T00:00:00Z"), "500101000000Z");
    t.equal(written("2049-12-31T23:59:59Z"), "491231235959Z");
    t.equal(written("2050-01-01T00:00:00Z"), "20500101000000Z");
  },
);

t.test(
  "a key's own certificate is read by OpenSSL, holds for its names alone, and at any time",
  async (t) => {
    const key = newKey();
    const made = selfSigned(key, ["attic", "attic.local", "192.168.1.20", "fd00::1:20", "::ffff:10.0.0.1"]);
    const read = new X509Certificate(made.toString());
    t.ok(read.verify(createPublicKey(key)));
    t.ok(read.checkPrivateKey(key));
    t.equal(read.ca, false, "it vouches for nobody else");
    for (const host of ["attic", "ATTIC.local"]) t.ok(read.checkHost(host), host);
    for (const ip of ["192.168.1.20", "fd00::1:20", "::ffff:10.0.0.1"]) t.ok(read.checkIP(ip), ip);
    t.notOk(read.checkHost("cellar.local"));
    t.notOk(read.checkIP("192.168.1.21"));
    t.equal(read.validFrom, "Jan  1 00:00:00 1970 GMT");
    t.equal(read.validTo, "Dec 31 23:59:59 9999 GMT");
  },
);

t.test("no two certificates have one serial number, and all are positive and of full length", async (t) => {
  const key = newKey();
  const serials = Array.from({ length: 50 }, () => selfSigned(key, ["attic"]).serialNumber);
  t.equal(new Set(serials).size, 50);
  for (const serial of serials) t.match(serial, /^[4-7][0-9A-F]{31}$/);
});

t.test(
  "a pin is the key's: another certificate for it has the same, one for another key has not",
  async (t) => {
    const key = newKey();
    const pin = pinOf(selfSigned(key, ["attic"]));
    t.match(pin, /^sha256:[A-Za-z0-9+/]{43}=$/);
    t.equal(pinOf(selfSigned(key, ["cellar"])), pin);
    t.equal(pinOf(signedBy({ by: authority(), key }).leaf), pin);
    t.not(pinOf(selfSigned(newKey(), ["attic"])), pin);
  },
);

t.test("a pin is what OpenSSL makes of the key", async (t) => {
  t.equal(pinOf(new X509Certificate(CERTIFICATE)), PIN);
});

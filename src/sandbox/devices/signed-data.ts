import { createHash, type KeyObject, sign } from 'node:crypto'
import {
  Set as Asn1Set,
  type AsnType,
  Constructed,
  fromBER,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Sequence,
  UTCTime,
} from 'asn1js'
import { childrenOf, isTagged, readBer } from '../../vault/wallet-tokens/asn1.ts'

const oid = (value: string) => new ObjectIdentifier({ value })
const sequence = (...value: AsnType[]) => new Sequence({ value })
const attribute = (name: string, value: ObjectIdentifier | UTCTime | OctetString) =>
  sequence(oid(name), new Asn1Set({ value: [value] }))
const tagged = (tagNumber: number, value: AsnType[]) =>
  new Constructed({ idBlock: { tagClass: 3, tagNumber }, value })

const sha256 = () => sequence(oid('2.16.840.1.101.3.4.2.1'), new Null())

/**
 * A detached CMS signature (RFC 5652 §5) as a wallet makes one. `certificates` are DER, the signer's first.
 */
export function signDetached(
  content: Buffer,
  certificates: readonly Buffer[],
  key: KeyObject,
  signedAt: number,
): Buffer {
  const attributes = [
    attribute('1.2.840.113549.1.9.3', oid('1.2.840.113549.1.7.1')),
    attribute('1.2.840.113549.1.9.5', new UTCTime({ valueDate: new Date(signedAt) })),
    attribute(
      '1.2.840.113549.1.9.4',
      new OctetString({ valueHex: createHash('sha256').update(content).digest() }),
    ),
  ]
  const signature = sign('sha256', Buffer.from(new Asn1Set({ value: attributes }).toBER()), key)
  const [certificate] = certificates
  const [serialNumber, , issuer] = childrenOf(childrenOf(readBer(certificate ?? Buffer.alloc(0)))[0]).filter(
    (part) => !isTagged(part, 0),
  )
  if (!(serialNumber && issuer)) throw new Error('the certificate names no issuer')
  const signer = sequence(
    new Integer({ value: 1 }),
    sequence(issuer, serialNumber),
    sha256(),
    tagged(0, attributes),
    sequence(oid('1.2.840.10045.4.3.2')),
    new OctetString({ valueHex: signature }),
  )
  const signedData = sequence(
    new Integer({ value: 1 }),
    new Asn1Set({ value: [sha256()] }),
    sequence(oid('1.2.840.113549.1.7.1')),
    tagged(
      0,
      certificates.map((each) => fromBER(each).result),
    ),
    new Asn1Set({ value: [signer] }),
  )
  return Buffer.from(sequence(oid('1.2.840.113549.1.7.2'), tagged(0, [signedData])).toBER())
}

import { type Static, Type } from 'typebox'
import { Nullable, Uuid, Words } from '../../../api/schema.ts'
import { versions } from '../../../connectors/emv-3ds/version.ts'

const Version = Words(...versions)
const CardNumber = Type.String({ pattern: '^\\d{13,19}$' })
const Digits = (minimum: number, maximum: number) => Type.String({ pattern: `^\\d{${minimum},${maximum}}$` })
const WebUrl = (maxLength: number) => Type.String({ pattern: '^https?://', maxLength })
const Extensions = Type.Optional(
  Type.Array(Type.Object({ id: Type.String(), data: Type.Unknown() }), { maxItems: 10 }),
)

export const VersioningBody = Type.Object({ acctNumber: CardNumber, messageExtension: Extensions })
export type VersioningBody = Static<typeof VersioningBody>

/** The members of an AReq that the sandbox's parties read; it has more. */
export const Areq = Type.Object({
  messageType: Type.Literal('AReq'),
  messageVersion: Version,
  threeDSServerTransID: Uuid,
  deviceChannel: Type.Literal('02'),
  threeDSCompInd: Words('Y', 'N', 'U'),
  messageCategory: Words('01', '02'),
  acctNumber: CardNumber,
  acquirerBIN: Type.String({ minLength: 1, maxLength: 11 }),
  acquirerMerchantID: Type.String({ minLength: 1, maxLength: 35 }),
  mcc: Digits(4, 4),
  merchantCountryCode: Digits(3, 3),
  merchantName: Type.String({ minLength: 1, maxLength: 40 }),
  threeDSServerURL: WebUrl(2048),
  notificationURL: WebUrl(256),
  purchaseAmount: Type.Optional(Digits(1, 48)),
  purchaseCurrency: Type.Optional(Digits(3, 3)),
  purchaseExponent: Type.Optional(Digits(1, 1)),
  messageExtension: Extensions,
})
export type Areq = Static<typeof Areq>

/** The sandbox's message extension: the answers of its directory servers and issuers (semantics §7.3). */
export const SimulatedOutcome = Type.Object({
  version: Nullable(Type.String()),
  authentication: Words('Y', 'N', 'A', 'R', 'U', 'C', 'timeout'),
  result: Nullable(Words('Y', 'N', 'timeout')),
})
export type SimulatedOutcome = Static<typeof SimulatedOutcome>

/** What a 3DS requestor's page posts to an issuer's method URL. */
export const MethodData = Type.Object({
  threeDSServerTransID: Uuid,
  threeDSMethodNotificationURL: WebUrl(256),
})
export type MethodData = Static<typeof MethodData>

export const Creq = Type.Object({
  messageType: Type.Literal('CReq'),
  messageVersion: Version,
  threeDSServerTransID: Uuid,
  acsTransID: Uuid,
  challengeWindowSize: Words('01', '02', '03', '04', '05'),
})

const transaction = { messageVersion: Version, threeDSServerTransID: Uuid, acsTransID: Uuid, dsTransID: Uuid }
const success = { authenticationValue: Type.Optional(Type.String()), eci: Type.Optional(Type.String()) }

export const Ares = Type.Object({
  messageType: Type.Literal('ARes'),
  ...transaction,
  transStatus: Words('Y', 'N', 'A', 'R', 'U', 'C'),
  ...success,
})
export type Ares = Static<typeof Ares> & Record<string, unknown>

export const Rreq = Type.Object({
  messageType: Type.Literal('RReq'),
  ...transaction,
  messageCategory: Words('01', '02'),
  transStatus: Words('Y', 'N', 'A', 'R', 'U'),
  ...success,
})
export type Rreq = Static<typeof Rreq> & Record<string, unknown>

import type { World } from '../../world.ts'

/**
 * By what a merchant account knows a card again: the same card has the same fingerprint within the account, and another one in every other account.
 *
 * It is a keyed hash of the whole number (PCI DSS 3.5.1.1): HMAC-SHA-256 of the number, and of that together with the account, under two keys that are derived from
 * the root secret and never leave the process. So neither an answer nor a copy of the database tells whether a guessed number is right. What is
 * stored is `<version>:<64 hex digits>`, and the digits alone are shown. Rows of before fingerprints had a version hold the first hash, which is the same in every account: it is never
 * shown, and `fingerprint-upkeep.ts` replaces it.
 */
export type StoredFingerprint = string

type Keys = Pick<World, 'cipher'>

const VERSION = '1'
const current = /^1:[0-9a-f]{64}$/

/** The fingerprint of a card number, as it is stored. */
export const cardFingerprint = (keys: Keys, account: string, number: string): StoredFingerprint =>
  accountFingerprint(keys, account, keys.cipher.mac('card-fingerprint', number).toString('hex'))

const accountFingerprint = ({ cipher }: Keys, account: string, hash: string): StoredFingerprint =>
  `${VERSION}:${cipher.mac('account-card-fingerprint', `${account}\n${hash}`).toString('hex')}`

/** The same card's fingerprint in the form of today: every comparison is between two of these. Null: not a card. */
export const currentFingerprint = (keys: Keys, account: string, stored: StoredFingerprint | null): StoredFingerprint | null =>
  stored === null || current.test(stored) ? stored : accountFingerprint(keys, account, stored)

/** What an answer shows. Null: not a card, or a row that is still to be brought into the form of today. */
export const shownFingerprint = (stored: StoredFingerprint | null | undefined): string | null =>
  stored && current.test(stored) ? stored.slice(VERSION.length + 1) : null

/** A payment method as a buyer's browser is shown it: whoever holds the browser could try numbers against a fingerprint. */
export const withoutFingerprint = <Method extends { fingerprint: string | null }>(method: Method): Method => ({ ...method, fingerprint: null })

/** What is stored for a fingerprint that was shown. */
export const toStoredFingerprint = (shown: string): StoredFingerprint => `${VERSION}:${shown}`

interface HasCard {
  merchant_account_id: string
  fingerprint: StoredFingerprint | null
}

/** Whether two rows of an account hold the same card; two without a card do, too. */
export const isSameCard = (keys: Keys, one: HasCard, other: HasCard): boolean =>
  currentFingerprint(keys, one.merchant_account_id, one.fingerprint) === currentFingerprint(keys, other.merchant_account_id, other.fingerprint)

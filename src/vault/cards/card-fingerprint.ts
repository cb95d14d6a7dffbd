import type { World } from '../../world.ts'

/**
 * A card's fingerprint, by which a merchant account recognizes the card: it is the same for the same card
 * within the account, and different in every other account.
 *
 * It is a keyed hash of the whole number (PCI DSS 3.5.1.1): HMAC-SHA-256 of the number, and of that together
 * with the account, under two keys that are derived from the root secret and never leave the process. So
 * neither an answer nor a copy of the database confirms a guessed number. The stored form is `<version>:<64
 * hex digits>`; answers show only the digits. Rows from before fingerprints had a version have the first
 * hash, which is the same in every account: it is never shown, and `refresh-fingerprints.ts` replaces it.
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

/**
 * A stored fingerprint in today's form; only fingerprints in this form are compared. Null: there is no card.
 */
export const currentFingerprint = (
  keys: Keys,
  account: string,
  stored: StoredFingerprint | null,
): StoredFingerprint | null =>
  stored === null || current.test(stored) ? stored : accountFingerprint(keys, account, stored)

/** The fingerprint in an answer. Null: there is no card, or the row is not refreshed yet. */
export const shownFingerprint = (stored: StoredFingerprint | null | undefined): string | null =>
  stored && current.test(stored) ? stored.slice(VERSION.length + 1) : null

/** A payment method for a buyer's browser: without a fingerprint, against which numbers could be tried. */
export const withoutFingerprint = <Method extends { fingerprint: string | null }>(
  method: Method,
): Method => ({ ...method, fingerprint: null })

/** The stored form of a fingerprint from an answer. */
export const toStoredFingerprint = (shown: string): StoredFingerprint => `${VERSION}:${shown}`

interface HasCard {
  merchant_account_id: string
  fingerprint: StoredFingerprint | null
}

/** Whether two rows of an account have the same card; also true if neither has a card. */
export const isSameCard = (keys: Keys, one: HasCard, other: HasCard): boolean =>
  currentFingerprint(keys, one.merchant_account_id, one.fingerprint) ===
  currentFingerprint(keys, other.merchant_account_id, other.fingerprint)

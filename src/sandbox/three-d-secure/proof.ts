import { createHmac } from 'node:crypto'
import { schemeOf } from '../../vault/card.ts'
import type { Sandbox } from '../sandbox.ts'

/** How a scheme counts electronic commerce indicators: `zero` from 00 (Mastercard's), `seven` down to 05 (all others'). */
export type Counting = 'zero' | 'seven'

export const countingOf = (cardNumber: string): Counting => (['mastercard', 'maestro'].includes(schemeOf(cardNumber)) ? 'zero' : 'seven')

const indicators: Record<Counting, { Y: string; A: string; other: string }> = {
  seven: { Y: '05', A: '06', other: '07' },
  zero: { Y: '02', A: '01', other: '00' },
}

export const eciOf = (counting: Counting, transStatus: string): string =>
  indicators[counting][transStatus === 'Y' || transStatus === 'A' ? transStatus : 'other']

/** 20 bytes that follow from the transaction: asked again, the issuer says the same. */
export const authenticationValue = (sandbox: Sandbox, acsTransID: string): string =>
  derived(sandbox, 'cavv', acsTransID).subarray(0, 20).toString('base64')

/** A party's own id of a transaction, which follows from the 3DS server's (UUID version 8). */
export function transactionId(sandbox: Sandbox, party: 'acs' | 'ds', threeDSServerTransID: string): string {
  const hex = derived(sandbox, party, threeDSServerTransID).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}

const derived = ({ books }: Sandbox, purpose: string, id: string): Buffer => createHmac('sha256', books.secret).update(`${purpose} ${id}`).digest()

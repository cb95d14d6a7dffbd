import { createHmac } from 'node:crypto'
import type { Sandbox } from '../../sandbox.ts'

/** 20 bytes that follow from the transaction, so that a repeated request gets the same value. */
export const authenticationValue = (sandbox: Sandbox, acsTransID: string): string =>
  derived(sandbox, 'cavv', acsTransID).subarray(0, 20).toString('base64')

/** A party's own id of a transaction, derived from the 3DS server's id (UUID version 8). */
export function transactionId(sandbox: Sandbox, party: 'acs' | 'ds', threeDSServerTransID: string): string {
  const hex = derived(sandbox, party, threeDSServerTransID).toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

const derived = ({ books }: Sandbox, purpose: string, id: string): Buffer =>
  createHmac('sha256', books.secret).update(`${purpose} ${id}`).digest()

import { timeOf } from '../../base/clock.ts'
import type { CardForCall } from '../../connectors/contract/call.ts'
import type { World } from '../../world.ts'
import type { ReadAndDescribed } from '../cards/described-card.ts'
import { type Envelope, openEnvelope, rowContext, sealEnvelope } from '../envelope.ts'
import type { PaymentMethodRow } from './payment-method.row.ts'

const TABLE = 'payment_methods'

/** The row of a new payment method, with the values that do not depend on its kind. */
export const newPaymentMethod = (world: Pick<World, 'clock' | 'ids'>, account: string): PaymentMethodRow => {
  const now = timeOf(world.clock)
  return {
    merchant_account_id: account,
    id: world.ids.next(),
    provisional: false,
    status: 'processing',
    method: 'card',
    mode: 'card',
    buyer_id: null,
    external_identifier: null,
    label: null,
    scheme: null,
    additional_schemes: null,
    bin: null,
    card_type: null,
    card_issuer_name: null,
    card_country: null,
    expiration_date: null,
    fingerprint: null,
    country: null,
    currency: null,
    approval_url: null,
    key_id: null,
    data_key: null,
    sealed: null,
    has_replacement: false,
    last_replaced_at: null,
    usage_count: 0,
    cit_usage_count: 0,
    last_used_at: null,
    cit_last_used_at: null,
    scheme_transaction_id: null,
    scheme_transaction_id_scheme: null,
    transaction_link_id: null,
    created_at: now,
    updated_at: now,
  }
}

/** The row with the secret of the payment method, sealed for this row. */
export async function sealMethodSecret(
  world: World,
  row: PaymentMethodRow,
  secret: string,
): Promise<PaymentMethodRow> {
  return {
    ...row,
    ...(await sealEnvelope(world, secret, rowContext(TABLE, row.merchant_account_id, row.id))),
  }
}

/** The row of a card that is to be stored, without its security code (semantics §5.2). */
export function newStoredCard(
  world: World,
  account: string,
  { snapshot, card }: ReadAndDescribed,
  more: Partial<PaymentMethodRow>,
): Promise<PaymentMethodRow> {
  const row = { ...newPaymentMethod(world, account), ...snapshot, ...more }
  return sealMethodSecret(world, row, card.number)
}

/** The card of a stored payment method, for one call. */
export async function openStoredCard(
  world: World,
  row: PaymentMethodRow,
  securityCode: string | null,
): Promise<CardForCall> {
  const number = await openEnvelope(
    world,
    envelopeOf(row),
    rowContext(TABLE, row.merchant_account_id, row.id),
  )
  return { number, expirationDate: row.expiration_date ?? '', securityCode, scheme: row.scheme }
}

function envelopeOf({ id, key_id, data_key, sealed }: PaymentMethodRow): Envelope {
  if (key_id === null || data_key === null || sealed === null)
    throw new Error(`payment method ${id} has no secret`)
  return { key_id, data_key, sealed }
}

/** A row as `jsonb_populate_record` reads it: bytes in PostgreSQL's hex form. */
export const toJsonRow = <Row extends { data_key: Buffer | null; sealed: Buffer | null }>(
  row: Row,
): object => ({
  ...row,
  data_key: hex(row.data_key),
  sealed: hex(row.sealed),
})

const hex = (bytes: Buffer | null) => bytes && `\\x${bytes.toString('hex')}`

import type { ApiAnswer, KnownPayment } from './draws.fixture.ts'

export const equalsIgnoringCase = (text: string | null | undefined, value: string) =>
  (text ?? '').toLowerCase() === value.toLowerCase()
export const isAmong = (value: unknown, values: unknown[]) => values.includes(value)
/** Every text in a JSON value. */
export const textsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

export type Values = string[]
/** Whether a filter with these values must find a payment. A single value comes as a list of one. */
export const predicates: Record<string, (known: KnownPayment, values: Values) => boolean> = {
  created_at_lte: ({ shown }, [at = '']) => Date.parse(shown.created_at) <= Date.parse(at),
  created_at_gte: ({ shown }, [at = '']) => Date.parse(shown.created_at) >= Date.parse(at),
  updated_at_lte: ({ shown }, [at = '']) => Date.parse(shown.updated_at) <= Date.parse(at),
  updated_at_gte: ({ shown }, [at = '']) => Date.parse(shown.updated_at) >= Date.parse(at),
  search: ({ shown }, [text = '']) =>
    isAmong(text, [
      shown.external_identifier,
      shown.payment_service_transaction_id,
      shown.reconciliation_id,
      shown.buyer?.external_identifier,
    ]) ||
    equalsIgnoringCase(shown.id, text) ||
    equalsIgnoringCase(shown.buyer?.id, text),
  buyer_external_identifier: ({ shown }, [text]) => shown.buyer?.external_identifier === text,
  buyer_id: ({ shown }, [id = '']) => equalsIgnoringCase(shown.buyer?.id, id),
  buyer_email_address: ({ shown }, [text = '']) =>
    equalsIgnoringCase(shown.buyer?.billing_details?.email_address, text),
  ip_address: ({ ip }, [text]) => ip === text,
  status: ({ shown }, values) => isAmong(shown.status, values),
  id: ({ shown }, [id = '']) => equalsIgnoringCase(shown.id, id),
  payment_service_transaction_id: ({ shown }, [text]) => shown.payment_service_transaction_id === text,
  external_identifier: ({ shown }, [text]) => shown.external_identifier === text,
  metadata: ({ shown }, values) =>
    Object.entries(Object.assign({}, ...values.map((value) => JSON.parse(value)))).every(
      ([k, v]) => shown.metadata?.[k] === v,
    ),
  amount_eq: ({ shown }, [sum]) => shown.amount === Number(sum),
  amount_lte: ({ shown }, [sum]) => shown.amount <= Number(sum),
  amount_gte: ({ shown }, [sum]) => shown.amount >= Number(sum),
  currency: ({ shown }, values) => isAmong(shown.currency, values),
  country: ({ shown }, values) => isAmong(shown.country, values),
  payment_service_id: ({ shown }, values) =>
    values.some((id) => equalsIgnoringCase(shown.payment_service?.id, id)),
  payment_method_id: ({ shown }, [id = '']) => equalsIgnoringCase(shown.payment_method?.id, id),
  payment_method_label: ({ shown }, [text]) => shown.payment_method?.label === text,
  payment_method_scheme: ({ shown }, values) => isAmong(shown.payment_method?.scheme, values),
  payment_method_country: ({ shown }, [text]) => countryOf(shown.payment_method) === text,
  payment_method_fingerprint: ({ shown }, [text]) => shown.payment_method?.fingerprint === text,
  method: ({ shown }, values) => isAmong(shown.method, values),
  error_code: ({ shown }, values) => isAmong(shown.error_code, values),
  has_refunds: ({ refunds }) => refunds.some(({ status }) => status === 'succeeded'),
  has_unknown_operations: ({ unknown }) => unknown,
  pending_review: ({ shown }) => shown.pending_review,
  checkout_session_id: ({ shown }, [id = '']) => equalsIgnoringCase(shown.checkout_session_id, id),
  payment_link_id: ({ link }, [id = '']) => equalsIgnoringCase(link, id),
  reconciliation_id: ({ shown }, [text]) => shown.reconciliation_id === text,
  has_gift_card_redemptions: ({ shown }) => shown.gift_card_redemptions.length > 0,
  gift_card_id: ({ shown }, [id = '']) =>
    shown.gift_card_redemptions.some(({ gift_card }: ApiAnswer) => equalsIgnoringCase(gift_card.id, id)),
  gift_card_last4: ({ shown }, [text]) =>
    shown.gift_card_redemptions.some(({ gift_card }: ApiAnswer) => gift_card.last4 === text),
  has_settlements: ({ shown }) => shown.settled,
  payment_method_bin: ({ shown }, [text]) => shown.payment_method?.details?.bin === text,
  payment_source: ({ shown }, values) => isAmong(shown.payment_source, values),
  is_subsequent_payment: ({ shown }) => shown.is_subsequent_payment,
  merchant_initiated: ({ shown }) => shown.merchant_initiated,
  used_3ds: ({ shown }) => shown.three_d_secure !== null,
  disputed: ({ shown }) => shown.disputed,
  reauthorized_from_transaction_id: ({ shown }, [id = '']) =>
    equalsIgnoringCase(shown.reauthorized_from_transaction_id, id),
  buyer_search: ({ shown }, values) => {
    const { type: _t, reconciliation_id: _r, ...buyer } = shown.buyer ?? {}
    const { type: _b, ...billing } = buyer.billing_details ?? {}
    const texts = textsOf({ ...buyer, billing_details: billing })
    const email = billing.email_address
    return values.every((value) => isAmong(value, texts) || (!!email && equalsIgnoringCase(email, value)))
  },
}

/** The issuers' countries of the sandbox's cards. A method that is no card has its own country. */
export const issuers: Record<string, string> = {
  '411111': 'US',
  '555555': 'DE',
  '378282': 'US',
  '353011': 'JP',
  '400000': 'FR',
}
export const countryOf = (method: ApiAnswer) =>
  method?.country ?? issuers[method?.details?.bin.slice(0, 6)] ?? null

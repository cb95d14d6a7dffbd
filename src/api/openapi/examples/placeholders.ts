/** What a caller puts in the place of a value of an example, such as `{payment_service_id}`. */
export const placeholders: Readonly<Record<string, string>> = {
  api_key_pair_id: 'the `id` that `POST /api-key-pairs` answered',
  checkout_session_id: 'the `id` that `POST /checkout/sessions` answered',
  delegated_token: 'the `id` that `POST /agentic_commerce/delegate_payment` answered',
  payment_method_id: 'the `id` that `POST /payment-methods` answered',
  in_an_hour: 'a time within seven days, such as `2027-01-31T12:00:00Z`',
  payment_service_id: 'the `id` of one of `GET /payment-services`',
  invitation_token: 'the last part of the `invitation_url` that `POST /users` answered',
  totp_code: 'the six digits that the authenticator app shows',
  credential_id: 'the `id` of what the browser answered',
  client_data: 'its `response.clientDataJSON`',
  attestation_object: 'its `response.attestationObject`',
  authenticator_data: 'its `response.authenticatorData`',
  signature: 'its `response.signature`',
  refund_path: '`/transactions/{transaction_id}/refunds`, with the id of the payment',
  proposal_hash: 'the `hash` of the proposal',
  certificate: 'the certificate, as PEM, that Apple made of the `certificate_signing_request`',
}

const placeholder = /"\{(\w+)\}"/g

/** The names of the placeholders in a body, each once. */
export const placeholdersIn = (body: object): string[] => [
  ...new Set(Array.from(JSON.stringify(body).matchAll(placeholder), ([, name = '']) => name)),
]

/** A body as JSON, with these values in the place of its placeholders. */
export const fillPlaceholders = (body: object, values: ReadonlyMap<string, string>): string =>
  JSON.stringify(body).replaceAll(placeholder, (whole, name) => {
    const value = values.get(name)
    return value === undefined ? whole : JSON.stringify(value)
  })

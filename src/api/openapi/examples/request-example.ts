type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json }

/** A request body that works in a new sandbox, and what it asks for. */
export interface RequestExample {
  summary: string
  /** What must be there before, where the path and the placeholders do not say it: a noun, in a sentence. */
  needs?: string
  /** A value such as `{payment_service_id}` is one of `placeholders`. */
  body: { readonly [member: string]: Json }
}

/** Examples by operation id, in the order in which an integrator sends them. */
export type RequestExamples = Readonly<Record<string, RequestExample>>

/** The card that the sandbox always accepts. */
export const card = {
  method: 'card',
  number: '4111111111111111',
  expiration_date: '12/35',
  security_code: '123',
}

/** The buyer of the examples, and the person who signs in. */
export const ada = { first_name: 'Ada', last_name: 'Lovelace' }

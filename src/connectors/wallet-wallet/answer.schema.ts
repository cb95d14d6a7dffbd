import { type Static, Type } from 'typebox'
import { Compile } from '../wire/compile.ts'

// The parts of the provider's answers that Railyard reads; it ignores other members. test/contracts has the
// whole contract.

const text = Type.Optional(Type.String())
const Money = Type.Object({ currency_code: Type.String(), value: Type.String() })

const ProcessorResponse = Type.Object({ response_code: text })

const Link = Type.Object({ href: Type.String(), rel: Type.String() })

const movement = {
  id: Type.String({ minLength: 1 }),
  status: Type.String(),
  amount: Type.Optional(Money),
  invoice_id: text,
  create_time: text,
  processor_response: Type.Optional(ProcessorResponse),
  links: Type.Optional(Type.Array(Link)),
  supplementary_data: Type.Optional(
    Type.Object({ related_ids: Type.Optional(Type.Object({ order_id: text })) }),
  ),
}

/** An authorization, a capture or a refund. */
export const Movement = Type.Object(movement)
export type Movement = Static<typeof Movement>

const Payments = Type.Object({
  authorizations: Type.Optional(Type.Array(Movement)),
  captures: Type.Optional(Type.Array(Movement)),
  refunds: Type.Optional(Type.Array(Movement)),
})

const Address = Type.Object({
  address_line_1: text,
  address_line_2: text,
  admin_area_1: text,
  admin_area_2: text,
  postal_code: text,
  country_code: text,
})
export type Address = Static<typeof Address>

/** A shipping option; the buyer's choice is the selected one. */
const Choice = Type.Object({ id: text, label: text, selected: Type.Optional(Type.Boolean()) })

const PurchaseUnit = Type.Object({
  custom_id: text,
  amount: Type.Optional(Money),
  shipping: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.Object({ full_name: text })),
      address: Type.Optional(Address),
      options: Type.Optional(Type.Array(Choice)),
    }),
  ),
  payments: Type.Optional(Payments),
})

/** What became of the PayPal account that the buyer lets the merchant charge later. */
const Vault = Type.Object({ id: text, status: text })

export const Order = Type.Object({
  id: Type.String({ minLength: 1 }),
  status: Type.String(),
  payer: Type.Optional(Type.Object({ payer_id: text, email_address: text })),
  payment_source: Type.Optional(
    Type.Object({
      paypal: Type.Optional(
        Type.Object({ attributes: Type.Optional(Type.Object({ vault: Type.Optional(Vault) })) }),
      ),
    }),
  ),
  purchase_units: Type.Optional(Type.Array(PurchaseUnit)),
  links: Type.Optional(Type.Array(Link)),
})
export type Order = Static<typeof Order>

const Problem = Type.Object({
  name: text,
  details: Type.Optional(Type.Array(Type.Object({ issue: text, description: text }))),
})

const order = Compile(Order)
const anyMovement = Compile(Movement)
const problem = Compile(Problem)

/** The order with this id. Undefined: the answer is about another order, or cannot be read. */
export const readOrder = (body: unknown, id?: string): Order | undefined =>
  order.Check(body) && (id === undefined || body.id === id) ? body : undefined

export const readMovement = (body: unknown): Movement | undefined =>
  anyMovement.Check(body) ? body : undefined

/** The first issue of a refusal; nulls if there is none. */
export const issueOf = (body: unknown): { issue: string | null; description: string | null } => {
  const [first] = problem.Check(body) ? (body.details ?? []) : []
  return { issue: first?.issue ?? null, description: first?.description ?? null }
}

export const unitOf = (order: Order) => order.purchase_units?.[0]

export const vaultOf = (order: Order) => order.payment_source?.paypal?.attributes?.vault

export const paymentsOf = (order: Order) => {
  const { authorizations = [], captures = [], refunds = [] } = unitOf(order)?.payments ?? {}
  return { authorizations, captures, refunds }
}

import type { Call } from '../../../src/connectors/contract/call.ts'
import type { Connector } from '../../../src/connectors/contract/connector.ts'
import {
  absent,
  found,
  type Outcome,
  refusedOutcome,
  type StoredCardDetails,
  unknownOutcome,
} from '../../../src/connectors/contract/outcome.ts'
import { definition as mockCard } from '../../../src/connectors/mock-card/definition.ts'
import type { TestRailyard } from '../railyard.ts'

type State = 'waits' | 'approved' | 'declined' | 'closed'

/** A payment at the provider. `asked`: what the connector sent with it. */
interface PagePayment {
  call: Call
  state: State
}

/**
 * A provider in memory whose payments wait for the buyer on its page, as real card processors do: the payment
 * itself is pending with an approval, and notices are its only books where `keepsBooks` is false.
 */
export interface PageProvider {
  connector: Connector
  payments: Map<string, PagePayment>
  /** What the next calls find: the buyer's decision on the page. */
  decide(operation: string, state: State): void
  /** The parameters with which buyers came back. */
  returned: Record<string, unknown>[]
  /** No answer arrives while it is set. */
  silent: boolean
}

const approved = ({ operation }: Call): Extract<Outcome, { status: 'approved' }> => ({
  status: 'approved',
  amount: operation.amount,
  facts: {},
  references: { transaction: `page-${operation.id}`, operation: `page-${operation.id}` },
})

const waits = ({ operation }: Call): Outcome => ({
  status: 'pending',
  facts: {},
  references: { transaction: `page-${operation.id}` },
  approval: { url: `https://page.example/${operation.id}`, sessionData: null },
})

export function pageProvider(
  id: string,
  {
    method = 'card',
    movesMoney = false,
    takesTokens = true,
    storesAs,
    storedCard,
  }: {
    method?: string
    movesMoney?: boolean
    /** Whether it takes what its browser script produced. */
    takesTokens?: boolean
    /** Its token for a card that a payment stores; absent: it stores none. */
    storesAs?: string
    /** What it tells of that card. */
    storedCard?: StoredCardDetails
  } = {},
): PageProvider {
  const payments = new Map<string, PagePayment>()
  const returned: Record<string, unknown>[] = []
  const stateOf = (call: Call) => payments.get(call.operation.id)?.state
  const outcome = (call: Call): Outcome => {
    const state = stateOf(call)
    if (state === 'approved')
      return {
        ...approved(call),
        ...(call.payment?.storesInstrument &&
          storesAs && { storedToken: storesAs, ...(storedCard && { storedCard }) }),
      }
    return state === 'waits' ? waits(call) : refusedOutcome('issuer_decline')
  }
  const pay = async (call: Call): Promise<Outcome> => {
    if (!call.payment?.canChallenge && !call.payment?.order)
      return refusedOutcome('requires_buyer_authentication')
    await call.commitReference(`page-${call.operation.id}`)
    payments.set(call.operation.id, { call, state: 'waits' })
    return provider.silent ? unknownOutcome('no answer') : outcome(call)
  }
  const provider: PageProvider = {
    payments,
    returned,
    silent: false,
    decide(operation, state) {
      const payment = payments.get(operation)
      if (!payment) throw new Error(`the provider has no payment ${operation}`)
      payment.state = state
    },
    connector: {
      definition: {
        ...mockCard,
        id,
        method,
        mode: method === 'card' ? 'card' : 'redirect',
        fields: [],
        features: { ...mockCard.features, provider_tokens: takesTokens, delayed_capture: false },
        ...(movesMoney && {
          approval: { defaultLife: 3_600_000, longestLife: 86_400_000, movesMoney: true as const },
        }),
      },
      operations: { authorize: pay, sale: pay, refund: async (call) => approved(call) },
      find: async (call) => (stateOf(call) === undefined ? absent : found(outcome(call))),
      async close(call) {
        if (stateOf(call) === 'approved') return found(outcome(call))
        payments.set(call.operation.id, { call, state: 'closed' })
        return absent
      },
      async completeApproval(call, parameters) {
        returned.push({ ...parameters })
        return outcome(call)
      },
      verifyCredentials: async () => 'accepted',
      readNotification: async (_call, { body }) => ({
        about: 'operation',
        operation: String(body['operation']),
        notice: { id: String(body['id']), body },
      }),
    },
  }
  return provider
}

/** Makes the provider one of the instance's, and configures a service of it for the account. */
export async function addPageProvider(
  railyard: TestRailyard,
  account: string,
  provider: PageProvider,
): Promise<string> {
  const { definition } = provider.connector
  const connectors = railyard.world.connectors as Map<string, Connector>
  connectors.set(definition.id, provider.connector)
  const { status, body } = await railyard.admin.post(
    '/payment-services',
    {
      display_name: 'Page',
      payment_service_definition_id: definition.id,
      fields: [],
      accepted_currencies: ['EUR'],
      accepted_countries: ['DE'],
      position: 1,
    },
    { 'x-svc-merchant-account-id': account },
  )
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.id
}

import type { CardForCall, PaymentContext } from '../connectors/contract/call.ts'
import type { Connector } from '../connectors/contract/connector.ts'
import { type Check, check, findDifferences } from './check.ts'
import type { BuyerDecision, ConnectorUnderTest } from './fake-provider.ts'
import { recover, send, settle } from './play.ts'
import {
  approvedPayment,
  beginApproval,
  beginFollowUp,
  beginPayment,
  capturedPayment,
  describe,
  openingKind,
  openScenario,
  type Scenario,
  storeInstrument,
} from './scenario.ts'

/** What a payment of another amount, currency or instrument comes to. */
export function paymentChecks(connector: Connector, underTest: ConnectorUnderTest): Check[] {
  const { features } = connector.definition
  const scene = (name: string, find: (scenario: Scenario) => Promise<readonly string[]>): Check =>
    check(name, () => find(openScenario(connector, underTest)))
  return [
    scene('a decline keeps the provider’s own code, and moves nothing', declineKeepsCode),
    ...currenciesOf(connector, underTest).map((currency) =>
      scene(`an amount in ${currency} reaches the books unchanged`, (scenario) => payIn(scenario, currency)),
    ),
    ...(features.partial_capture ? [scene('a part is captured', capturePart)] : []),
    ...(features.multi_capture ? [scene('two parts are captured, one after the other', captureTwice)] : []),
    ...(features.partial_refunds ? [scene('two parts are refunded', refundTwice)] : []),
    ...(features.payment_method_tokenization
      ? [scene('an instrument that a payment stores is charged again by its token', chargeStored())]
      : []),
    ...(features.zero_auth && features.provider_tokens
      ? [
          scene(
            'a provider’s token that is stored without a payment is charged later',
            chargeStored({ kind: 'authorize', amount: 0 }),
          ),
        ]
      : []),
    ...(underTest.instruments.challenged ? challengeChecks(scene, underTest.instruments.challenged) : []),
    ...(connector.definition.approval?.movesMoney
      ? [
          scene(
            'a buyer who never comes pays nothing, in the end',
            buyerNeverComes(underTest.instruments.approved),
          ),
        ]
      : []),
    ...(hasField(connector, 'card_numbers')
      ? [scene('a card number is refused without a request, unless the service allows it', refusesCardNumber)]
      : []),
  ]
}

async function declineKeepsCode(scenario: Scenario): Promise<string[]> {
  const { connector, underTest, harness } = scenario
  const { declined } = underTest.instruments
  const kind = openingKind(connector)
  // a buyer who approves first declines there
  const begun = connector.operations.approval
    ? beginApproval(scenario, kind, declined)
    : await beginPayment(scenario, kind, declined)
  await settle(harness, begun, { decision: 'decline' })
  const { outcome } = begun
  if (outcome?.status !== 'declined' && outcome?.status !== 'failed')
    return [`the payment is ${describe(outcome)}, not declined`]
  const differences = findDifferences(scenario)
  return outcome.facts.raw_response_code
    ? differences
    : [...differences, `${describe(outcome)} has no raw_response_code`]
}

/** One currency of each number of decimals: none, two and three, as far as the definition takes them. */
function currenciesOf({ definition }: Connector, { currency }: ConnectorUnderTest): string[] {
  const takes = (each: string) => definition.currencies.length === 0 || definition.currencies.includes(each)
  return [...new Set(['JPY', currency, 'KWD'].filter(takes))]
}

async function payIn(scenario: Scenario, currency: string): Promise<string[]> {
  const { begun } = await approvedPayment(scenario, openingKind(scenario.connector), { currency })
  return begun.outcome?.status === 'approved' ? findDifferences(scenario) : [describe(begun.outcome)]
}

async function capturePart(scenario: Scenario): Promise<string[]> {
  const { ids } = await approvedPayment(scenario, 'authorize')
  return approvedInTurn(scenario, [beginFollowUp(scenario, 'capture', ids, { amount: 400 })])
}

async function captureTwice(scenario: Scenario): Promise<string[]> {
  const { ids } = await approvedPayment(scenario, 'authorize')
  return approvedInTurn(scenario, [
    beginFollowUp(scenario, 'capture', ids, { amount: 400, final: false }),
    beginFollowUp(scenario, 'capture', ids, { amount: 300 }),
  ])
}

async function refundTwice(scenario: Scenario): Promise<string[]> {
  const ids = await capturedPayment(scenario)
  return approvedInTurn(scenario, [
    beginFollowUp(scenario, 'refund', ids, { amount: 400 }),
    beginFollowUp(scenario, 'refund', ids, { amount: 300 }),
  ])
}

/** The buyer pays, or only agrees (an amount of zero); the merchant charges the stored token later. */
const chargeStored =
  (first: { kind?: 'authorize'; amount?: number } = {}) =>
  async (scenario: Scenario) => {
    const { connector, harness } = scenario
    const kind = openingKind(connector)
    const stored = await storeInstrument(scenario, first.kind ?? kind, first.amount)
    // a connector that stores cards outside of payments has `tokenize`
    if (stored === undefined) return connector.tokenize ? [] : ['the first payment has no storedToken']
    const again = await beginPayment(scenario, kind, stored)
    await settle(harness, again)
    return again.outcome?.status === 'approved'
      ? findDifferences(scenario)
      : [`the payment with the stored token is ${describe(again.outcome)}`]
  }

/** Sends operations one after the other; each must be approved. */
async function approvedInTurn(scenario: Scenario, begun: Scenario['operations']): Promise<string[]> {
  const refused = []
  for (const each of begun) {
    await settle(scenario.harness, each)
    if (each.outcome?.status !== 'approved')
      refused.push(
        `the ${each.operation.kind} of ${each.operation.amount} is ${describe(each.outcome)}, not approved`,
      )
  }
  return [...refused, ...findDifferences(scenario)]
}

const buyerNeverComes = (paid: Partial<PaymentContext>) => async (scenario: Scenario) => {
  const begun = await beginPayment(scenario, openingKind(scenario.connector), paid)
  await settle(scenario.harness, begun, { decision: 'abandon' })
  return findDifferences(scenario)
}

function challengeChecks(
  scene: (name: string, find: (scenario: Scenario) => Promise<readonly string[]>) => Check,
  challenged: Partial<PaymentContext>,
): Check[] {
  const afterVisit = (decision: BuyerDecision, isApproved: boolean) => async (scenario: Scenario) => {
    const begun = await beginPayment(scenario, openingKind(scenario.connector), challenged)
    await send(scenario.harness, begun)
    const sent = begun.outcome
    if (sent?.status !== 'pending' || !sent.approval)
      return [`the payment is ${describe(sent)}, not pending with an approval`]
    const early = scenario.harness.provider.effects().length
    await recover(scenario.harness, begun, { decision })
    return [
      ...(early > 0 ? ['money moved before the cardholder answered'] : []),
      ...((begun.outcome?.status === 'approved') === isApproved
        ? []
        : [`the payment is ${describe(begun.outcome)}`]),
      ...findDifferences(scenario),
    ]
  }
  return [
    scene('a challenge that the cardholder passes is approved', afterVisit('approve', true)),
    scene('a challenge that the cardholder fails is refused', afterVisit('decline', false)),
    scene('a challenge that the cardholder never answers is refused in the end', buyerNeverComes(challenged)),
    scene('a challenge is a refusal where no buyer can be asked', async (scenario) => {
      const kind = openingKind(scenario.connector)
      const begun = await beginPayment(scenario, kind, { ...challenged, canChallenge: false })
      await settle(scenario.harness, begun)
      const code = begun.outcome && 'code' in begun.outcome ? begun.outcome.code : undefined
      return code === 'requires_buyer_authentication'
        ? findDifferences(scenario)
        : [`the payment is ${describe(begun.outcome)}, not refused with requires_buyer_authentication`]
    }),
  ]
}

const hasField = ({ definition }: Connector, key: string): boolean =>
  definition.fields.some((field) => field.key === key)

const testCard: CardForCall = {
  number: '4111111111111111',
  expirationDate: '11/30',
  securityCode: '123',
  scheme: 'visa',
}

async function refusesCardNumber({ connector, underTest }: Scenario): Promise<string[]> {
  const fields = { ...underTest.fields, card_numbers: 'refuse' }
  const scenario = openScenario(connector, { ...underTest, fields })
  const begun = await beginPayment(scenario, openingKind(connector), { instrument: { card: testCard } })
  await send(scenario.harness, begun)
  const { outcome } = begun
  const isRefused =
    outcome?.status === 'failed' && outcome.code === 'invalid_service_configuration' && outcome.unprocessed
  return [
    ...(isRefused ? [] : [`the payment is ${describe(outcome)}, not rejected unprocessed`]),
    ...(scenario.harness.requests() > 0 ? ['a request was sent'] : []),
  ]
}

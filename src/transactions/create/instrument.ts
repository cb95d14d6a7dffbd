import type { Instrument } from '../../connectors/contract/call.ts'
import type { InstrumentType } from '../../connectors/contract/method.schema.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import { recordExchanges } from '../../connectors/wire/record-exchanges.ts'
import { redactor } from '../../connectors/wire/redact.ts'
import type { TimelineEntry } from '../../operations/timeline-entry.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import { openServiceToken } from '../../payment-services/tokens/payment-service-token.store.ts'
import { usableServiceToken } from '../../payment-services/tokens/payment-service-token.ts'
import type { RouteInstrument } from '../../routing/route.ts'
import { currentToken, openToken } from '../../vault/network-tokens/network-token.store.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import type { World } from '../../world.ts'
import { exchangeContext, timelineEntry } from '../timeline.ts'
import type { Tender } from './tender.ts'

/** An instrument in the form for one payment service, with the timeline entries about how Railyard got it. */
export interface PresentedInstrument {
  instrument: Instrument
  /** The transaction's `instrument_type` while this instrument pays. */
  type: InstrumentType | null
  timeline: TimelineEntry[]
}

/** What it takes to present an instrument. */
export type PresentableTender = Pick<Tender, 'instrument' | 'instrumentType' | 'storedMethod'>

/**
 * The instrument for the first payment service (semantics §5.3, §5.4). A stored card pays with its network
 * token, else with the payment service's own token, else with the card number. The network token comes first
 * because issuers approve it more often and it outlives the card.
 */
export async function instrumentForFirstAttempt(
  world: World,
  tender: Tender,
  service: ConfiguredService,
  merchantInitiated: boolean,
): Promise<PresentedInstrument> {
  const { storedMethod } = tender
  if (tender.instrument.serviceToken !== undefined) return instrumentForRetry(world, tender, service)
  const token =
    storedMethod && canTakeNetworkTokens(world, service)
      ? await networkTokenInstrument(world, storedMethod, merchantInitiated)
      : undefined
  if (token?.instrument)
    return { instrument: token.instrument, type: 'network_token', timeline: token.timeline }
  const other = await instrumentForRetry(world, tender, service)
  return { ...other, timeline: token?.timeline ?? [] }
}

/**
 * The instrument for the payment services after the first: a network token's cryptogram is good for one
 * attempt, so the payment service's own token or the card number pays.
 */
export async function instrumentForRetry(
  world: World,
  { storedMethod, instrument, instrumentType }: PresentableTender,
  service: ConfiguredService,
): Promise<PresentedInstrument> {
  // a card without a number here: only its payment service is asked, which has the token
  if (instrument.serviceToken !== undefined) return { instrument, type: instrumentType, timeline: [] }
  const token =
    storedMethod?.mode === 'card' && service.payment_method_tokenization_enabled
      ? await usableServiceToken(world, storedMethod, service.id)
      : undefined
  const serviceToken = token && (await openServiceToken(world, token))
  return serviceToken
    ? { instrument: { serviceToken }, type: 'card_token', timeline: [] }
    : { instrument, type: instrumentType, timeline: [] }
}

/**
 * The kind of instrument that a rule names; undefined: the payment has none of that kind. Each attempt with a
 * network token gets a cryptogram of its own, as a cryptogram is good for one attempt.
 */
export async function instrumentOfKind(
  world: World,
  tender: PresentableTender,
  service: ConfiguredService,
  instrument: RouteInstrument,
  merchantInitiated: boolean,
): Promise<PresentedInstrument | undefined> {
  const { storedMethod, instrument: submitted, instrumentType: type } = tender
  if (instrument === 'pan') return submitted.card && { instrument: submitted, type, timeline: [] }
  if (instrument === 'service_token') {
    const presented = await instrumentForRetry(world, tender, service)
    return presented.instrument.serviceToken ? presented : undefined
  }
  if (submitted.networkToken) return { instrument: submitted, type, timeline: [] }
  const token =
    storedMethod && canTakeNetworkTokens(world, service)
      ? await networkTokenInstrument(world, storedMethod, merchantInitiated)
      : undefined
  return (
    token?.instrument && { instrument: token.instrument, type: 'network_token', timeline: token.timeline }
  )
}

const canTakeNetworkTokens = (
  { connectors }: World,
  { network_tokens_enabled, payment_service_definition_id: id }: ConfiguredService,
) => network_tokens_enabled && (connectors.get(id)?.definition.features.network_tokens ?? false)

/**
 * A stored card's network token. Undefined: the card has no active one. No `instrument`: the token service
 * gave no cryptogram.
 */
async function networkTokenInstrument(
  world: World,
  method: PaymentMethodRow,
  merchantInitiated: boolean,
): Promise<{ instrument?: Instrument; timeline: TimelineEntry[] } | undefined> {
  const row = await currentToken(world, method.merchant_account_id, method.id)
  const number = row?.status === 'active' ? await openToken(world, row) : null
  if (!row || number === null) return undefined
  const token = {
    number,
    expirationDate: row.expiration_date ?? '',
    scheme: row.scheme,
    source: 'network' as const,
  }
  // a cryptogram proves that the buyer takes part, which is not so in a payment that the merchant initiates
  if (merchantInitiated)
    return { instrument: { networkToken: { ...token, cryptogram: null, eci: null } }, timeline: [] }
  const { request, exchanges } = recordExchanges(
    instrumentedHttp(world, { definition: 'network-tokens', operation: 'cryptogram' }),
    world.clock,
    world.ids,
    redactor(number),
  )
  const answer = await world.schemes.tokenService?.cryptogram(request, row.id, false)
  const [exchange] = exchanges
  if (answer?.status === 'done')
    return {
      instrument: { networkToken: { ...token, ...answer.value } },
      timeline: [timelineEntry(world, `${cryptogramEntry}-succeeded`, exchangeContext(exchange))],
    }
  const reason = answer?.reason ?? 'there is no token service'
  return {
    timeline: [timelineEntry(world, `${cryptogramEntry}-failed`, { ...exchangeContext(exchange), reason })],
  }
}

const cryptogramEntry = 'network-token-cryptogram-provision'

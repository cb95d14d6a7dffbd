import type { Exchange, Instrument } from '../../connectors/connector.ts'
import { instrumentedHttp, recordExchanges } from '../../connectors/http.ts'
import type { InstrumentType } from '../../connectors/method.schema.ts'
import { redactor } from '../../connectors/redact.ts'
import type { TimelineEntry } from '../../operations/journal/journal.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import { openServiceToken } from '../../payment-services/tokens/payment-service-token.store.ts'
import { usableServiceToken } from '../../payment-services/tokens/payment-service-token.ts'
import type { RouteInstrument } from '../../routing/route.ts'
import { currentToken, openToken } from '../../vault/network-tokens/network-token.store.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import type { World } from '../../world.ts'
import { timelineEntry } from '../timeline.ts'
import type { Tender } from './tender.ts'

/** What a payment service is shown of what pays, and what the story tells of how that came to be. */
export interface PresentedInstrument {
  instrument: Instrument
  type: InstrumentType | null
  timeline: TimelineEntry[]
}

/**
 * How a payment is shown to the first payment service (SEMANTICS §5.3, §5.4). For a stored card: with its network token; else with the payment service's
 * own token; else with the card number. The scheme's token comes first because its payments are approved more often, and because it outlives the card.
 */
export async function instrumentForFirstAttempt(
  world: World,
  tender: Tender,
  service: ConfiguredService,
  merchantInitiated: boolean,
): Promise<PresentedInstrument> {
  const { storedMethod } = tender
  const byScheme =
    storedMethod && canTakeNetworkTokens(world, service) ? await networkTokenInstrument(world, storedMethod, merchantInitiated) : undefined
  if (byScheme?.shown) return { instrument: byScheme.shown, type: 'network_token', timeline: byScheme.story }
  const next = await instrumentForRetry(world, tender, service)
  return { ...next, timeline: byScheme?.story ?? [] }
}

/** How it is shown to the payment services after the first: a cryptogram is good for one attempt, so there the card pays, or what they keep of it. */
export async function instrumentForRetry(
  world: World,
  { storedMethod, instrument, instrumentType }: Tender,
  service: ConfiguredService,
): Promise<PresentedInstrument> {
  const token =
    storedMethod?.mode === 'card' && service.payment_method_tokenization_enabled
      ? await usableServiceToken(world, storedMethod, service.id)
      : undefined
  const serviceToken = token && (await openServiceToken(world, token))
  return serviceToken ? { instrument: { serviceToken }, type: 'card_token', timeline: [] } : { instrument, type: instrumentType, timeline: [] }
}

/**
 * As a rule wants it shown. Undefined: there is no instrument of that kind. A network token's cryptogram is asked for anew with each attempt, as it is good
 * for one.
 */
export async function instrumentOfKind(
  world: World,
  tender: Tender,
  service: ConfiguredService,
  instrument: RouteInstrument,
  merchantInitiated: boolean,
): Promise<PresentedInstrument | undefined> {
  const { storedMethod, instrument: brought, instrumentType: type } = tender
  if (instrument === 'pan') return brought.card && { instrument: brought, type, timeline: [] }
  if (instrument === 'service_token') {
    const next = await instrumentForRetry(world, tender, service)
    return next.instrument.serviceToken ? next : undefined
  }
  if (brought.networkToken) return { instrument: brought, type, timeline: [] }
  const byScheme =
    storedMethod && canTakeNetworkTokens(world, service) ? await networkTokenInstrument(world, storedMethod, merchantInitiated) : undefined
  return byScheme?.shown && { instrument: byScheme.shown, type: 'network_token', timeline: byScheme.story }
}

const canTakeNetworkTokens = ({ connectors }: World, { network_tokens_enabled, payment_service_definition_id: id }: ConfiguredService) =>
  network_tokens_enabled && (connectors.get(id)?.definition.features.network_tokens ?? false)

/** Undefined: the card has no active token. Without `shown` no cryptogram could be had. */
async function networkTokenInstrument(
  world: World,
  method: PaymentMethodRow,
  merchantInitiated: boolean,
): Promise<{ shown?: Instrument; story: TimelineEntry[] } | undefined> {
  const row = await currentToken(world, method.merchant_account_id, method.id)
  const number = row?.status === 'active' ? await openToken(world, row) : null
  if (!row || number === null) return undefined
  const token = { number, expirationDate: row.expiration_date ?? '', scheme: row.scheme, source: 'network' as const }
  // the buyer is not there to be proved by one
  if (merchantInitiated) return { shown: { networkToken: { ...token, cryptogram: null, eci: null } }, story: [] }
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
      shown: { networkToken: { ...token, ...answer.value } },
      story: [timelineEntry(world, `${cryptogram}-succeeded`, cryptogramContext(exchange))],
    }
  const reason = answer?.reason ?? 'there is no token service'
  return { story: [timelineEntry(world, `${cryptogram}-failed`, { ...cryptogramContext(exchange), reason })] }
}

const cryptogram = 'network-token-cryptogram-provision'

const cryptogramContext = (exchange: Exchange | undefined) => ({
  url: exchange?.url ?? null,
  request: exchange?.request ?? null,
  response: exchange?.response ?? null,
  response_status_code: exchange?.status ?? null,
})

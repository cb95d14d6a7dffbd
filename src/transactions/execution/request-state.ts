import type { CardForCall, Instrument, StoredCredential } from '../../connectors/contract/call.ts'
import type { TransactionConnectionOptions } from '../../connectors/contract/connection-options.schema.ts'
import type { OperationInput } from '../../operations/operation.ts'
import type { TimelineEntry } from '../../operations/timeline-entry.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import type { RouteInstrument } from '../../routing/route.ts'
import type { Draft } from '../create/draft.ts'
import type { PresentedInstrument } from '../create/instrument.ts'
import type { Tender } from '../create/tender.ts'
import type { RetryRoute } from './retry-route.ts'

/**
 * What a request knows and no row holds: the card, and the payment services that are left to try. Recovery
 * has none of it.
 */
export interface RequestState {
  instrument?: Instrument
  storedCredential?: StoredCredential | undefined
  /** As the request gave them; the row keeps them without card numbers. */
  connectionOptions?: TransactionConnectionOptions | null | undefined
  /** What decides the attempt after a refusal; absent: there is none. */
  route?: RetryRoute
  /**
   * How the payment is presented to another payment service than the first; absent: in the same way.
   * Undefined: the request has no instrument of the kind that a rule asks for (null: the rule asks for none).
   */
  presentTo?: (
    service: ConfiguredService,
    instrument: RouteInstrument | null,
  ) => Promise<PresentedInstrument | undefined>
  /** The card, where the account updater may know a newer one. */
  renewable?: RenewableCard | undefined
  /** The card is a newer one than the payment service refused. */
  isRenewedCard?: boolean
  /** How the cardholder could be asked, by the issuer or the payment service; absent: no card pays. */
  authenticationOptions?: AuthenticationOptions
  /** The issuer was asked, or needs not be: it is not asked again for another payment service. */
  isAuthenticated?: boolean
  /**
   * The stored method that pays has succeeded before, and a success of this payment changes nothing about it:
   * the shorter statement records it.
   */
  methodProven?: boolean
  /** Lines that end the request's part of the timeline. */
  timeline?: () => TimelineEntry[]
}

/** How the cardholder of a request could be asked by the card's issuer. */
export interface AuthenticationOptions {
  /** Where they return to; null: the merchant gave no page. */
  redirectUrl: string | null
  /** Until when they may answer, ISO 8601. */
  expiresAt: string
  /** A rule said that it is to go without (semantics §3.16, `skip-3ds`). */
  isSkipped: boolean
  /** The amount that they are asked about, where that is not what is paid. */
  amount: number | null
  /** The 3DS method that their browser has begun; null: none. */
  method: NonNullable<OperationInput['three_ds_method']> | null
}

/** A card that the account updater may know a newer one of. */
export interface RenewableCard {
  card: CardForCall
  /** The stored payment method that holds it, or will; null: it is not stored. */
  method: string | null
  /** What the sandbox's account updater is to answer (semantics §6.4); null: the card's number decides. */
  simulated: Record<string, unknown> | null
}

/**
 * The card of a request; `method`: the stored payment method that holds it, or will. Undefined: the request
 * pays with something else.
 */
export const readRenewableCard = (
  draft: Draft,
  tender: Tender | undefined,
  method: string | undefined,
): RenewableCard | undefined =>
  tender?.instrument.card && {
    card: tender.instrument.card,
    method: method ?? null,
    simulated: draft.connection_options?.['account-updater'] ?? null,
  }

import type { Settings } from '../settings.ts'
import { adyenCard, adyenRedirects } from './adyen/connector.ts'
import { adyenGiftCard } from './adyen/gift-card/connector.ts'
import { bnpl } from './bnpl-bnpl/connector.ts'
import { checkoutCard } from './checkout/connector.ts'
import type { AccountUpdater } from './contract/account-updater.ts'
import type { AntiFraudConnector } from './contract/anti-fraud-connector.ts'
import type { Connector } from './contract/connector.ts'
import type { GiftCardConnector } from './contract/gift-card-connector.ts'
import type { ThreeDSecureServer } from './contract/three-d-secure-server.ts'
import type { TokenService } from './contract/token-service.ts'
import { emv3ds } from './emv-3ds/connector.ts'
import { mockAccountUpdater } from './mock-account-updater/account-updater.ts'
import { mockAntiFraud } from './mock-anti-fraud/connector.ts'
import { mockCard } from './mock-card/connector.ts'
import { mockGiftCard } from './mock-gift-card/connector.ts'
import { mockTokenService } from './mock-token-service/token-service.ts'
import { mollieCard, mollieRedirects } from './mollie/connector.ts'
import { simulatedMethodConnectors } from './simulated-method/connector.ts'
import { stripeCard, stripeMethods } from './stripe/connector.ts'
import { wallet } from './wallet-wallet/connector.ts'

/** Every payment service that can be configured, by the id of its definition. */
export type Connectors = ReadonlyMap<string, Connector>

/**
 * A new payment service needs its folder and one line here. Without a sandbox there is no simulator, and no
 * connector that needs one. `loaded`: the connectors of other packages, whose ids are not among these.
 */
export function connectors({
  sandboxUrl,
  clock,
  loaded = [],
  providerUrls = {},
}: {
  sandboxUrl: string | undefined
  clock: { now(): number }
  /** Hosts of fakes, which replace those of the providers. Without a sandbox they have no effect. */
  providerUrls?: Settings['providerUrls']
  loaded?: readonly Connector[]
}): Connectors {
  const simulated = sandboxUrl ? [mockCard(`${sandboxUrl}/card`)] : []
  const isSandbox = sandboxUrl !== undefined
  const at = (baseUrl: string | undefined) => ({
    clock,
    isSandbox,
    ...(isSandbox && baseUrl !== undefined && { baseUrl }),
  })
  const { stripe, adyen, checkout, mollie } = providerUrls
  const methods = sandboxUrl ? simulatedMethodConnectors(`${sandboxUrl}/redirect`) : []
  const available = [
    ...simulated,
    adyenCard(at(adyen)),
    ...adyenRedirects(at(adyen)),
    mollieCard(at(mollie)),
    ...mollieRedirects(at(mollie)),
    wallet({ sandboxUrl, clock }),
    bnpl(sandboxUrl && `${sandboxUrl}/bnpl`),
    stripeCard(at(stripe)),
    ...stripeMethods(at(stripe)),
    checkoutCard(at(checkout)),
    ...methods,
    ...loaded,
  ]
  return new Map(available.map((connector) => [connector.definition.id, connector]))
}

/** Every gift card service that can be configured, by the id of its definition. */
export type GiftCardConnectors = ReadonlyMap<string, GiftCardConnector>

export function giftCardConnectors({
  sandboxUrl,
  clock,
}: {
  sandboxUrl: string | undefined
  clock: { now(): number }
}): GiftCardConnectors {
  const simulated = sandboxUrl ? [mockGiftCard(`${sandboxUrl}/gift-card`)] : []
  const available = [...simulated, adyenGiftCard({ clock, isSandbox: sandboxUrl !== undefined })]
  return new Map(available.map((connector) => [connector.definition.id, connector]))
}

/** Every anti-fraud service that can be configured, by the id of its definition. */
export type AntiFraudConnectors = ReadonlyMap<string, AntiFraudConnector>

export function antiFraudConnectors({ sandboxUrl }: { sandboxUrl: string | undefined }): AntiFraudConnectors {
  const available = sandboxUrl ? [mockAntiFraud(`${sandboxUrl}/anti-fraud`)] : []
  return new Map(available.map((connector) => [connector.definition.id, connector]))
}

/**
 * The card schemes' services that belong to no payment service. In production this is the operator's 3DS
 * server, if configured.
 */
export interface SchemeServices {
  tokenService: TokenService | undefined
  accountUpdater: AccountUpdater | undefined
  threeDSecureServer: ThreeDSecureServer | undefined
}

interface SchemeOptions {
  sandboxUrl: string | undefined
  /** The operator's 3DS server. */
  threeDSecureServer: { url: string | undefined; token: string | undefined }
  clock: { now(): number }
}

export function schemeServices({
  sandboxUrl,
  threeDSecureServer: configured,
  clock,
}: SchemeOptions): SchemeServices {
  const simulated3ds = sandboxUrl ? emv3ds({ baseUrl: `${sandboxUrl}/3ds`, clock }) : undefined
  return {
    tokenService: sandboxUrl ? mockTokenService(`${sandboxUrl}/tokens`) : undefined,
    accountUpdater: sandboxUrl ? mockAccountUpdater(`${sandboxUrl}/updater`) : undefined,
    threeDSecureServer: configured.url
      ? emv3ds({ baseUrl: configured.url, token: configured.token, clock })
      : simulated3ds,
  }
}

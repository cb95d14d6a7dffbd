import { invalid } from '../../api/errors.ts'
import type { NetworkTokenForCall } from '../../connectors/contract/call.ts'
import { cardExpiryProblem, schemeOf } from '../../vault/cards/card.ts'
import type {
  ClickToPayTokenInput,
  NetworkTokenInput,
  ProviderTokenInput,
} from '../../vault/payment-methods/payment-method-input.schema.ts'
import { tokenizedCard } from '../../vault/payment-methods/token-method.ts'
import type { World } from '../../world.ts'
import type { Tender } from './tender.ts'

/**
 * A token from the merchant: a card scheme's, or a wallet's that the merchant has decrypted (semantics §5.1).
 * Railyard does not store it. Throws 400 if it is malformed.
 */
export function tokenTender(world: World, input: NetworkTokenInput | ClickToPayTokenInput): Tender {
  // a token need not have the check digit of a card number
  const expiryProblem = cardExpiryProblem(input.expiration_date, world.clock.now())
  const problems = {
    ...(!/^\d{13,19}$/.test(input.token) && { '/payment_method/token': 'must have 13 to 19 digits' }),
    ...(expiryProblem && { '/payment_method/expiration_date': expiryProblem }),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  return input.method === 'network-token' ? merchantTokenTender(input) : clickToPayTender(input)
}

/**
 * The token of a provider's browser script. Only that payment service can use it, and Railyard stores none of
 * it. The cardholder can be challenged by the provider alone, since there is no card number to ask with.
 */
export const providerTokenTender = ({
  payment_service_id,
  token,
  bin,
  card_suffix,
  card_scheme,
  card_type,
  expiration_date,
  external_identifier,
}: Omit<ProviderTokenInput, 'method' | 'redirect_url'>): Tender => {
  const card = tokenizedCard({ bin, card_suffix, card_scheme, card_type, expiration_date })
  return {
    method: 'card',
    routedAs: 'card',
    features: ['provider_tokens'],
    onlyService: payment_service_id,
    instrumentType: 'card_token',
    snapshot: {
      method: 'card',
      label: card.label,
      scheme: card.scheme,
      ...(bin && { bin }),
      ...(card_type && { card_type }),
      ...(expiration_date && { expiration_date }),
      ...(external_identifier && { external_identifier }),
    },
    instrument: { providerToken: token },
    tokenized: card,
  }
}

const common = { routedAs: 'card', instrumentType: 'network_token' } as const

function merchantTokenTender({
  token,
  expiration_date,
  card_suffix,
  card_scheme,
  card_source,
  cryptogram,
  eci,
}: NetworkTokenInput): Tender {
  const scheme = card_scheme ?? schemeOf(token)
  return {
    ...common,
    method: 'network-token',
    features: ['network_tokens'],
    snapshot: { method: 'network-token', mode: 'card', label: card_suffix ?? null, scheme, expiration_date },
    instrument: {
      networkToken: {
        ...tokenNumber(token, expiration_date, scheme),
        cryptogram: cryptogram ?? null,
        eci: twoDigits(eci),
        source: card_source ?? 'network',
      },
    },
  }
}

function clickToPayTender({ token, expiration_date, cryptogram }: ClickToPayTokenInput): Tender {
  const scheme = schemeOf(token)
  return {
    ...common,
    method: 'click-to-pay',
    features: ['digital_wallets'],
    snapshot: { method: 'click-to-pay', mode: 'click-to-pay', scheme, expiration_date },
    instrument: {
      networkToken: {
        ...tokenNumber(token, expiration_date, scheme),
        cryptogram,
        eci: null,
        source: 'click-to-pay',
      },
    },
  }
}

/** The members that both kinds of token share. */
const tokenNumber = (
  number: string,
  expirationDate: string,
  scheme: string,
): Pick<NetworkTokenForCall, 'number' | 'expirationDate' | 'scheme'> => ({
  number,
  expirationDate,
  scheme,
})

const twoDigits = (eci: string | null | undefined): string | null => eci?.padStart(2, '0') ?? null

/**
 * Electronic commerce indicators (ECI): the result of an authentication in a scheme's terms. Sources: Visa
 * Secure Program Guide, American Express SafeKey, JCB J/Secure, Discover and Diners Club ProtectBuy, UnionPay
 * 3DS (all: 05 authenticated, 06 attempted, 07 neither); Mastercard Identity Check Program Guide (02, 01, 00,
 * and 04 data only, 06 acquirer exemption, 07 merchant-initiated, which shift nothing).
 */
interface Indicators {
  authenticated: string
  /** The issuer or cardholder takes no part, and the scheme stands in for them. */
  attempted: string
  none: string
}

const common: Indicators = { authenticated: '05', attempted: '06', none: '07' }
const mastercard: Indicators = { authenticated: '02', attempted: '01', none: '00' }

const byScheme = new Map<string, Indicators>([
  ['visa', common],
  ['amex', common],
  ['jcb', common],
  ['discover', common],
  ['diners-club', common],
  ['unionpay', common],
  ['mastercard', mastercard],
  ['maestro', mastercard],
])

/**
 * The result of an authentication in EMV 3DS (`transStatus`); `C` asks for a challenge, so that there is no
 * result yet.
 */
export type EmvTransactionStatus = 'Y' | 'A' | 'N' | 'U' | 'R' | 'C'

const indicatorOfStatus = {
  Y: 'authenticated',
  A: 'attempted',
  N: 'none',
  U: 'none',
  R: 'none',
  C: null,
} as const satisfies Record<EmvTransactionStatus, keyof Indicators | null>

/**
 * The ECI that an issuer of the scheme answers, two digits; null while a challenge is open. A scheme without
 * known indicators gets those of most schemes.
 */
export function expectedEci(scheme: string | null, status: EmvTransactionStatus): string | null {
  const result = indicatorOfStatus[status]
  return result && (byScheme.get(scheme ?? '') ?? common)[result]
}

/** The indicators, two digits, that make a scheme's issuers liable. */
export const shiftingIndicators: readonly { scheme: string; eci: string }[] = [...byScheme].flatMap(
  ([scheme, { authenticated, attempted }]) => [
    { scheme, eci: authenticated },
    { scheme, eci: attempted },
  ],
)

/**
 * The party that bears the loss if the cardholder denies the payment. `eci` may lack its leading zero, as
 * merchants send it; null: there was no authentication. Under a scheme whose rules are not known here it is
 * the merchant, who must not rely on a shift that may not exist.
 */
export function liabilityShift(scheme: string | null, eci: string | null): 'issuer' | 'merchant' {
  const indicators = byScheme.get(scheme ?? '')
  const shifts =
    indicators &&
    eci !== null &&
    [indicators.authenticated, indicators.attempted].includes(eci.padStart(2, '0'))
  return shifts ? 'issuer' : 'merchant'
}

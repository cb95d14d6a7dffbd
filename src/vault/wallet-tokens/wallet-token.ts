/** The verified and decrypted content of a token from a buyer's wallet. It exists in memory only. */
export interface OpenedWalletToken {
  /** A device's own number (DPAN), or the card's (FPAN) if `method` is `PAN_ONLY`. */
  number: string
  /** `MM/YY`. */
  expirationDate: string
  /** Proves that the buyer approved this payment; null if `method` is `PAN_ONLY`. */
  cryptogram: string | null
  /** Electronic commerce indicator, two digits; null: the wallet sent none. */
  eci: string | null
  source: 'apple-pay' | 'google-pay'
  method: 'PAN_ONLY' | 'CRYPTOGRAM_3DS'
  /** The wallet's id of this token, by which it is used once. */
  tokenId: string
  /** Milliseconds since 1970: afterwards the token is refused as expired. */
  usableUntil: number
  /**
   * The amount that the buyer approved, in the smallest unit of the currency; null: the wallet does not send
   * it.
   */
  approved: { amount: number; currency: string } | null
}

/**
 * A token that is forged, damaged, too old, or for another merchant. The message says which, and nothing of
 * the token's content.
 */
export class RefusedToken extends Error {}

/** Runs `read` on untrusted input, and turns every error of a parser or of OpenSSL into a refusal. */
export function refuseOnError<T>(problem: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof RefusedToken ? error : new RefusedToken(problem)
  }
}

/**
 * Strict: Node's own decoder ignores unknown characters and unused bits, so that many texts would be the same
 * token.
 */
export function fromBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw new RefusedToken('is not in base64')
  return bytes
}

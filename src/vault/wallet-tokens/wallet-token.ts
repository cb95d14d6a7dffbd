/** What a buyer's wallet sent encrypted: verified and opened. It exists in memory only. */
export interface OpenedWalletToken {
  /** A device's own number (DPAN), or the card's (FPAN) where `method` is `PAN_ONLY`. */
  number: string
  /** `MM/YY`. */
  expirationDate: string
  /** Proves that the buyer approved this payment; null where `method` is `PAN_ONLY`. */
  cryptogram: string | null
  /** Electronic commerce indicator, two digits; null: the wallet gave none. */
  eci: string | null
  source: 'apple-pay' | 'google-pay'
  method: 'PAN_ONLY' | 'CRYPTOGRAM_3DS'
  /** The wallet's name for this token, by which it is used once. */
  tokenId: string
  /** Milliseconds since 1970: afterwards the token is refused for its age. */
  usableUntil: number
  /** What the buyer saw and approved, in the smallest unit of the currency; null: the wallet does not tell. */
  approved: { amount: number; currency: string } | null
}

/** A token that is forged, damaged, too old, or meant for somebody else. The message says which, and nothing of what is in the token. */
export class RefusedToken extends Error {}

/** Runs `read`, and takes whatever a parser or OpenSSL throws at what a stranger wrote for a refusal. */
export function refuseOnError<T>(problem: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof RefusedToken ? error : new RefusedToken(problem)
  }
}

/** Strict: Node's own decoder passes over what it does not know, and over bits that no byte holds, so that many texts would be one token. */
export function fromBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw new RefusedToken('is not in base64')
  return bytes
}

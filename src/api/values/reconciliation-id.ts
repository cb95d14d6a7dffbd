const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The UUID as a 128-bit big-endian integer in base 62, not padded (semantics §1.1). */
export function reconciliationId(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`)
  let text = ''
  do {
    text = `${ALPHABET[Number(rest % 62n)]}${text}`
    rest /= 62n
  } while (rest > 0n)
  return text
}

/** The UUID of a reconciliation id; undefined: the text is not a reconciliation id. */
export function uuidOfReconciliationId(text: string): string | undefined {
  if (!/^[0-9A-Za-z]{1,22}$/.test(text)) return undefined
  const value = [...text].reduce((sum, digit) => sum * 62n + BigInt(ALPHABET.indexOf(digit)), 0n)
  if (value >= 1n << 128n) return undefined
  const hex = value.toString(16).padStart(32, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

import { createHash } from 'node:crypto'

export type Kind =
  | 'card number'
  | 'gift card number'
  | 'password'
  | 'service credential'
  | 'webhook secret'
  | 'private key'
  | 'bearer token'
  | 'link token'
  | 'session credential'
  | 'download signature'

/** A secret that may appear in one place only: in the answer to its owner, or nowhere. */
export interface Canary {
  kind: Kind
  text: string
}

/** Secrets that the API makes and returns to their owner. */
export const shownToOwner: ReadonlySet<Kind> = new Set<Kind>([
  'webhook secret',
  'private key',
  'link token',
  'session credential',
  'download signature',
])

export interface Canaries {
  all(): readonly Canary[]
  /** Makes one that we send. */
  make(kind: Kind): string
  /** Remembers one that the API has made. */
  keep(kind: Kind, text: string): void
  /** Four digits that belong to no number; they are looked for by what stands before them. */
  securityCode(): string
}

/** Of one seed the same ones, in the same order. */
export function canaries(seed: number): Canaries {
  const kept: Canary[] = []
  let count = 0
  const bytes = (of: string) => createHash('sha256').update(`${seed} ${of} ${count++}`).digest()
  const digits = (length: number) =>
    String(bytes('digits').readBigUInt64BE() % 10n ** BigInt(length)).padStart(length, '0')
  return {
    all: () => kept,
    keep: (kind, text) => void kept.push({ kind, text }),
    make(kind) {
      const text =
        kind === 'card number'
          ? withCheckDigit(`${count % 2 ? '411111' : '520082'}${digits(9)}`)
          : kind === 'gift card number'
            ? `600649${digits(10)}`
            : `canary+/${bytes(kind).toString('base64url').slice(0, 24)}=?`
      kept.push({ kind, text })
      return text
    },
    securityCode: () => String(100 + (bytes('code').readUInt16BE() % 900)),
  }
}

/** ISO/IEC 7812-1, annex B. */
function withCheckDigit(number: string): string {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return `${number}${(10 - (sum % 10)) % 10}`
}

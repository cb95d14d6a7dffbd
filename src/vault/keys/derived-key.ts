import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import type { Cipher } from '../../base/cipher.ts'

const CURVE = 'prime256v1'

/**
 * A P-256 private key that is derived from the instance’s root secret: every process has the same key, and
 * none has to store it. `label` distinguishes the keys of one purpose.
 */
export function derivedKey(
  cipher: Cipher,
  purpose: 'google-pay' | 'sandbox-wallets',
  label: string,
): KeyObject {
  // one scalar in four thousand million is no valid key: the next one is used
  for (let attempt = 0; ; attempt++) {
    const key = keyOf(cipher.mac(purpose, `${label}\n${attempt}`))
    if (key) return key
  }
}

function keyOf(scalar: Buffer): KeyObject | undefined {
  const pair = createECDH(CURVE)
  try {
    pair.setPrivateKey(scalar)
  } catch {
    return undefined
  }
  const point = pair.getPublicKey()
  const [d, x, y] = [scalar, point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString('base64url'),
  )
  return createPrivateKey({
    key: { kty: 'EC', crv: 'P-256', d: d ?? '', x: x ?? '', y: y ?? '' },
    format: 'jwk',
  })
}

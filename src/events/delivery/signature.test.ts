import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import {
  newSigningSecret,
  type SignedContent,
  signatureHeaders,
  signWebhook,
  toStandardWebhooksSecret,
} from './signature.ts'

/**
 * Checks a signature as the receivers' libraries do (semantics §15.3), from the secret, two headers and the
 * body.
 */
function isAccepted(secret: string, headers: Record<string, string>, body: string): boolean {
  const timestamp = Number(headers['x-svc-webhook-timestamp'])
  return (
    Number.isInteger(timestamp) &&
    (headers['x-svc-webhook-signatures'] ?? '').split(',').includes(signWebhook(secret, { timestamp, body }))
  )
}

const now = Math.floor(Date.now() / 1000)
const contents = fc.record<SignedContent>({
  id: fc.uuid(),
  timestamp: fc.integer({ min: now - 200, max: now + 200 }),
  body: fc.json(),
})
const secrets = fc.constant(null).map(newSigningSecret)

test('the signature of the reference’s example is the same', () => {
  const secret = 'Ik4L-8FH0ihWczctcIPXZRR_8F0fPNgmhEfVBbZ3zNwqQVa1Or4tBz4Pgw2eNaVDod7H56Y268h_wohEUaWbUg'
  const expected = '78aca0c78005107a654a957b8566fa6e0e5e06aea92d7da72a6da9e5a690d013'
  expect(signWebhook(secret, { timestamp: 1744018920, body: 'payload' })).toBe(expected)
  expect(
    signatureHeaders([secret], { id: 'e', timestamp: 1744018920, body: 'payload' })[
      'x-svc-webhook-signatures'
    ],
  ).toBe(expected)
})

describe('a receiver that checks signatures', () => {
  test('a receiver accepts a delivery with any live secret, and none with another', () => {
    fc.assert(
      fc.property(contents, fc.array(secrets, { minLength: 1, maxLength: 2 }), (content, liveSecrets) => {
        const headers = signatureHeaders(liveSecrets, content)
        for (const secret of liveSecrets) expect(isAccepted(secret, headers, content.body)).toBe(true)
        expect(isAccepted(newSigningSecret(), headers, content.body)).toBe(false)
      }),
    )
  })

  test('a receiver accepts no delivery of which a byte was changed', () => {
    fc.assert(
      fc.property(
        contents,
        secrets,
        fc.nat(),
        fc.integer({ min: 1, max: 127 }),
        (content, secret, index, flip) => {
          const headers = signatureHeaders([secret], content)
          const bytes = Buffer.from(content.body)
          const at = index % bytes.length
          bytes.writeUInt8(bytes.readUInt8(at) ^ flip, at)
          expect(isAccepted(secret, headers, bytes.toString('latin1'))).toBe(false)
          expect(
            isAccepted(
              secret,
              { ...headers, 'x-svc-webhook-timestamp': String(content.timestamp + flip) },
              content.body,
            ),
          ).toBe(false)
        },
      ),
    )
  })
})

describe('the standardwebhooks package', () => {
  test('standardwebhooks accepts deliveries as they are, also while a secret rotates', () => {
    fc.assert(
      fc.property(contents, fc.array(secrets, { minLength: 1, maxLength: 2 }), (content, liveSecrets) => {
        for (const secret of liveSecrets) {
          const receiver = new Webhook(toStandardWebhooksSecret(secret))
          expect(receiver.verify(content.body, signatureHeaders(liveSecrets, content))).toEqual(
            JSON.parse(content.body),
          )
        }
      }),
    )
  })

  test('standardwebhooks refuses another body, another id and another secret', () => {
    fc.assert(
      fc.property(contents, secrets, (content, secret) => {
        const headers = signatureHeaders([secret], content)
        const receiver = new Webhook(toStandardWebhooksSecret(secret))
        expect(() => receiver.verify(`${content.body} `, headers)).toThrow('No matching signature found')
        expect(() => receiver.verify(content.body, { ...headers, 'webhook-id': 'another' })).toThrow(
          'No matching signature found',
        )
        expect(() =>
          new Webhook(toStandardWebhooksSecret(newSigningSecret())).verify(content.body, headers),
        ).toThrow('No matching signature found')
      }),
    )
  })
})

import { describe, expect, test } from 'vitest'
import type { HttpAnswer } from '../../../src/connectors/wire/http-message.ts'
import { answered, CERTIFICATE_URL, openBench, orderApproved, signedNotification } from './bench.ts'

const subject = { about: 'payment', payment: '5O190127TN364715T' }
const forged = [{ about: 'forged' }]

test('a notification is verified with the certificate of PayPal’s own host, which is fetched once a day', async () => {
  const { read, notify, requests, passTime } = await openBench()
  expect(await read(notify(orderApproved))).toEqual([subject])
  expect(await read(notify(orderApproved))).toEqual([subject])
  expect(requests).toEqual([{ method: 'GET', url: CERTIFICATE_URL, text: true }])
  passTime(24 * 3_600_000)
  expect(await read(notify(orderApproved))).toEqual([subject])
  expect(requests).toHaveLength(2)
})

const path = '/v1/notifications/certs/CERT-360caa42'

describe('a certificate is not fetched from', () => {
  test.each([
    ['a foreign host', `https://evil.example${path}`],
    ['a look-alike host', `https://api.paypal.com.evil.example${path}`],
    ['a host with PayPal’s name at its end', `https://evilpaypal.com${path}`],
    ['another host of PayPal’s', `https://www.paypal.com${path}`],
    ['a host whose name has a letter of another alphabet', `https://api.p\u0430ypal.com${path}`],
    ['the same host in Punycode', `https://api.xn--pypal-4ve.com${path}`],
    ['the host of the other environment', `https://api.sandbox.paypal.com${path}`],
    ['a host behind a user name', `https://api.paypal.com@evil.example${path}`],
    ['PayPal’s host with a user name', `https://user:password@api.paypal.com${path}`],
    ['another port', `https://api.paypal.com:8443${path}`],
    ['a port that is written out', `https://api.paypal.com:443${path}`],
    ['HTTP', `http://api.paypal.com${path}`],
    ['a file', `file://api.paypal.com${path}`],
    ['the text of the URL itself', 'data:application/x-pem-file,certificate'],
    ['this machine', `https://127.0.0.1${path}`],
    ['this machine, as a number', `https://2130706433${path}`],
    ['this machine in IPv6', `https://[::1]${path}`],
    ['the cloud’s metadata service', `https://169.254.169.254${path}`],
    ['a private address', `https://10.0.0.1${path}`],
    ['another path', 'https://api.paypal.com/v1/oauth2/token'],
    ['a path that climbs', `https://api.paypal.com/v1/notifications/certs/../../oauth2/token`],
    ['a path with an encoded slash', 'https://api.paypal.com/v1/notifications/certs/..%2f..%2foauth2'],
    ['a path with a query', `https://api.paypal.com${path}?next=https://evil.example`],
    ['a URL with a fragment', `https://api.paypal.com${path}#evil.example`],
    ['a URL with a backslash', `https://api.paypal.com\\@evil.example${path}`],
    ['a URL with a line break', `https://api.paypal.com\n.evil.example${path}`],
    ['a URL with a space before it', ` https://api.paypal.com${path}`],
    ['a host with a dot at its end', `https://api.paypal.com.${path}`],
    ['a host in capital letters', `https://API.PAYPAL.COM${path}`],
    ['no URL', 'nowhere'],
  ])('%s', async (_name, url) => {
    const { read, signer, requests } = await openBench(() => answered(200, { text: signer.certificate }))
    expect(await read(signedNotification(signer, orderApproved, url))).toEqual(forged)
    expect(requests).toEqual([])
  })

  test('a production host by a service of PayPal’s sandbox', async () => {
    const { read, notify, requests } = await openBench()
    expect(await read(notify(orderApproved), { environment: 'sandbox' })).toEqual(forged)
    expect(requests).toEqual([])
  })
})

describe('a notification is refused, so that PayPal sends it again, while its certificate', () => {
  const other = CERTIFICATE_URL.replace('a5cafa77', 'b5cafa77')
  const answers: [string, HttpAnswer][] = [
    ['is redirected', { lost: false, status: 302, headers: { location: 'https://evil.example' }, body: {} }],
    ['is not there', answered(404)],
    ['comes with no answer', { lost: true, sent: true, reason: 'no answer in time' }],
    ['is no certificate', answered(200, { text: 'certificate' })],
    ['is too long', answered(200, { text: 'a'.repeat(17 * 1024) })],
  ]
  test.each(answers)('%s', async (_name, answer) => {
    const { read, signer, requests } = await openBench(() => answer)
    expect(await read(signedNotification(signer, orderApproved, other))).toEqual(forged)
    expect(requests.map(({ url }) => url)).toEqual([other])
  })
})

describe('a notification with one changed byte is refused:', () => {
  const flipped = (text: string): string => text.slice(0, 9) + (text[9] === '7' ? '8' : '7') + text.slice(10)

  test.each(['paypal-transmission-id', 'paypal-transmission-time', 'paypal-transmission-sig'])(
    'in %s',
    async (name) => {
      const { read, notify } = await openBench()
      const { headers, ...message } = notify(orderApproved)
      const changed = { ...headers, [name]: flipped(String(headers[name])) }
      expect(await read({ ...message, headers: changed })).toEqual(forged)
    },
  )

  test('in its text', async () => {
    const { read, notify } = await openBench()
    const message = notify(orderApproved)
    expect(await read({ ...message, text: flipped(message.text) })).toEqual(forged)
  })

  test('for another webhook', async () => {
    const { read, notify } = await openBench()
    expect(await read(notify(orderApproved), { webhook_id: '2JE4291016473214C' })).toEqual(forged)
  })
})

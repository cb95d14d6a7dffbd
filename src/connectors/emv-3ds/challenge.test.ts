import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  asked,
  type Challenge,
  emv,
  openThreeDSecure,
  simulate,
} from '../../../test/support/domains/three-d-secure.ts'
import { oneTimeCode } from '../../sandbox/providers/three-d-secure/challenge.page.ts'
import { testCards } from '../../sandbox/providers/three-d-secure/outcome.ts'
import type { AuthenticationRequest } from '../contract/three-d-secure-server.ts'
import { versions } from './version.ts'

const town = openThreeDSecure()

const session = 'the merchant’s own data'
const decoded = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())

/** Posts the CReq to the issuer, as the browser does. */
const openChallenge = ({ acsUrl, creq }: Challenge, accept?: string) =>
  town.post(acsUrl, { creq, threeDSSessionData: session }, accept)

/** Submits the cardholder's answer on the issuer's page. */
const answers = ({ acsUrl, creq }: Challenge, form: Record<string, string>, accept?: string) =>
  town.post(`${acsUrl}/${decoded(creq).acsTransID}`, { threeDSSessionData: session, ...form }, accept)

const confirm = { decision: 'confirm', code: oneTimeCode }
const decline = { decision: 'decline' }

const result = ({ id }: AuthenticationRequest) => town.server.result(town.http, id)

/** The authentication in the 3DS server's books. */
async function books({ id }: AuthenticationRequest) {
  const { items } = (await (await fetch(`${town.simulatorUrl}/3ds/3dss/results`)).json()) as {
    items: { id: string; rreq: unknown }[]
  }
  return items.find((item) => item.id === id)
}

describe('a challenge (semantics §7.2)', () => {
  test.each(versions)('that the cardholder confirms proves the authentication (%s)', async (version) => {
    const request = asked(simulate('C', 'Y', version))
    const challenge = await town.challenged(request)
    expect(emv.schema('CReq', decoded(challenge.creq))).toEqual([])
    expect(decoded(challenge.creq)).toMatchObject({
      messageVersion: version,
      threeDSServerTransID: request.id,
      challengeWindowSize: '05',
    })
    expect((await openChallenge(challenge)).status).toBe(200)
    expect(await result(request)).toEqual({ status: 'open' })
    await answers(challenge, confirm)
    expect(await result(request)).toEqual({
      status: 'authenticated',
      proof: {
        ...challenge.proof,
        authentication_response: 'Y',
        cavv: expect.stringMatching(/^[A-Za-z0-9+/]{27}=$/),
        eci: '05',
      },
    })
    expect(emv.schema('RReq', (await books(request))?.rreq)).toEqual([])
  })

  test('that the cardholder declines is a refusal', async () => {
    const request = asked(simulate('C', 'N'))
    const challenge = await town.challenged(request)
    await answers(challenge, decline)
    const proof = {
      directory_response: 'C',
      authentication_response: 'N',
      transaction_reason: '01',
      cavv: null,
      eci: '07',
    }
    expect(await result(request)).toMatchObject({ status: 'refused', proof })
    expect((await books(request))?.rreq).toMatchObject({ challengeCancel: '01', interactionCounter: '01' })
  })

  test.each(testCards.challenge)('of the card %s ends as its cardholder decides', async (number) => {
    const request = asked({}, number)
    await answers(await town.challenged(request), confirm)
    const eci = number.startsWith('5') ? '02' : '05'
    expect(await result(request)).toMatchObject({
      status: 'authenticated',
      proof: { directory_response: 'C', authentication_response: 'Y', eci },
    })
  })

  test('of a scenario without an end stays open', async () => {
    const request = asked(simulate('C', 'timeout'))
    const challenge = await town.challenged(request)
    await openChallenge(challenge)
    await answers(challenge, confirm)
    await answers(challenge, decline)
    expect(await result(request)).toEqual({ status: 'open' })
  })

  test('ends as its scenario says, whatever the cardholder enters', async () => {
    const request = asked(simulate('C', 'N'))
    await answers(await town.challenged(request), confirm)
    expect(await result(request)).toMatchObject({ status: 'refused' })
  })

  test('is refused after the third wrong code', async () => {
    const request = asked(simulate('C', 'Y'))
    const challenge = await town.challenged(request)
    for (const code of ['000000', '']) await answers(challenge, { decision: 'confirm', code })
    expect(await result(request)).toEqual({ status: 'open' })
    await answers(challenge, { decision: 'confirm', code: '111111' })
    expect(await result(request)).toMatchObject({ status: 'refused' })
    expect((await books(request))?.rreq).toMatchObject({ interactionCounter: '03' })
  })

  test('takes the first of concurrent decisions, and all get the same result', async () => {
    const request = asked(simulate('C'))
    const challenge = await town.challenged(request)
    const responses = await Promise.all(
      [confirm, decline, confirm, decline].map((form) => answers(challenge, form)),
    )
    const statuses = responses.map(({ text }) => decoded(JSON.parse(text).cres).transStatus)
    expect(new Set(statuses).size).toBe(1)
    expect(await result(request)).toMatchObject({ proof: { authentication_response: statuses[0] } })
  })

  test('is absent for an unknown authentication', async () => {
    expect(await town.server.result(town.http, randomUUID())).toEqual({ status: 'absent' })
  })
})

describe('the messages of a challenge', () => {
  test('the browser returns the CRes and the merchant’s own data', async () => {
    const request = asked(simulate('C', 'Y'))
    const challenge = await town.challenged(request)
    const { text } = await answers(challenge, confirm)
    const { notificationURL, cres, threeDSSessionData } = JSON.parse(text)
    expect({ notificationURL, threeDSSessionData }).toEqual({
      notificationURL: request.notificationUrl,
      threeDSSessionData: session,
    })
    expect(emv.schema('CRes', decoded(cres))).toEqual([])
    expect(decoded(cres)).toMatchObject({
      threeDSServerTransID: request.id,
      transStatus: 'Y',
      challengeCompletionInd: 'Y',
    })
    expect((await openChallenge(challenge)).text).toBe(text)
  })

  test('an RReq is acknowledged by an RRes, and the first one counts', async () => {
    const request = asked(simulate('C', 'Y'))
    await answers(await town.challenged(request), decline)
    const known = (await books(request))?.rreq
    const send = async (body: unknown) => {
      const answer = await fetch(`${town.simulatorUrl}/3ds/ds/rreq`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const message: Record<string, unknown> = JSON.parse(await answer.text())
      expect(
        emv.response({ method: 'POST', path: '/3dss/rreq', status: answer.status, body: message }),
      ).toEqual([])
      return message
    }
    const forged = {
      ...Object(known),
      transStatus: 'Y',
      eci: '05',
      authenticationValue: 'A'.repeat(27).concat('='),
    }
    expect(await send(forged)).toMatchObject({ messageType: 'RRes', resultsStatus: '01' })
    expect(await result(request)).toMatchObject({ status: 'refused' })
    expect(await send({ ...forged, threeDSServerTransID: randomUUID() })).toMatchObject({
      messageType: 'Erro',
      errorCode: '301',
    })
    expect(await send({ messageType: 'RReq' })).toMatchObject({
      messageType: 'Erro',
      errorCode: '201',
      errorComponent: 'S',
    })
    expect(await send([])).toMatchObject({ messageType: 'Erro' })
  })

  test('an RReq that is lost twice arrives the third time', async () => {
    const request = asked(simulate('C', 'Y'))
    const challenge = await town.challenged(request)
    await town.misbehave({ operation: 'challenge_result', kind: 'reset', times: 2 })
    await answers(challenge, confirm)
    expect(await result(request)).toMatchObject({ status: 'authenticated' })
  })

  test('a lost RReq leaves the challenge open until the browser posts again', async () => {
    const request = asked(simulate('C', 'Y'))
    const challenge = await town.challenged(request)
    await town.misbehave({ operation: 'challenge_result', kind: 'outage' })
    await answers(challenge, confirm)
    expect(await result(request)).toEqual({ status: 'open' })
    await town.misbehave()
    await openChallenge(challenge)
    expect(await result(request)).toMatchObject({ status: 'authenticated' })
  })

  test('a look-up that fails leaves the challenge open', async () => {
    const request = asked(simulate('C', 'Y'))
    await answers(await town.challenged(request), confirm)
    await town.misbehave({ operation: 'find', kind: 'error', times: 1 })
    expect(await result(request)).toMatchObject({ status: 'error', error: { code: '403' } })
    expect(await result(request)).toMatchObject({ status: 'authenticated' })
  })
})

describe('input on the issuer’s page', () => {
  const page = 'text/html'
  const isPage = ({ headers }: { headers: Headers }) =>
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')

  test.each(['', '!', 'bnVsbA', 'W10', Buffer.from('{"messageType":"CReq"}').toString('base64url')])(
    'refuses the malformed CReq %j',
    async (creq) => {
      const { acsUrl } = await town.challenged(asked(simulate('C')))
      const answer = await town.post(acsUrl, { creq }, page)
      isPage(answer)
      expect(answer.status).toBe(404)
      expect((await town.post(acsUrl, { creq })).status).toBe(404)
      expect((await town.post(`${acsUrl}/${randomUUID()}`, confirm, page)).status).toBe(404)
    },
  )

  test('escapes the merchant’s text, and allows scripts only on the page that sends the result', async () => {
    const merchant = '<script>alert(1)</script>'
    const { profile } = asked()
    const challenge = await town.challenged(
      asked({ ...simulate('C', 'Y'), profile: { ...profile, merchant_name: merchant } }),
    )
    const shownPage = await openChallenge(challenge, page)
    expect(shownPage.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(shownPage.text).not.toContain(merchant)
    expect(shownPage.headers.get('content-security-policy')).not.toContain('script-src')
    const left = await answers(challenge, confirm, page)
    expect(left.headers.get('content-security-policy')).toMatch(/script-src 'sha256-[^']+'/)
    expect(left.text).not.toContain(merchant)
  })

  test('stores and shows only the last four digits of the card', async () => {
    const request = asked(simulate('C', 'Y'))
    const challenge = await town.challenged(request)
    const { text } = await openChallenge(challenge, page)
    expect(text).toContain('ends in 5556')
    expect(text).not.toContain(request.card.number)
    expect(JSON.stringify(await books(request))).not.toContain(request.card.number)
  })

  test('no submitted form makes the page fail', async () => {
    const { acsUrl, creq } = await town.challenged(asked(simulate('C')))
    const decidesAt = `${acsUrl}/${decoded(creq).acsTransID}`
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(creq, 'confirm', '\0', '__proto__'))
    const form = fc.dictionary(
      fc.constantFrom('creq', 'threeDSSessionData', 'code', 'decision', '__proto__'),
      value,
    )
    const address = fc.constantFrom(acsUrl, decidesAt, `${acsUrl}/__proto__`)
    await fc.assert(
      fc.asyncProperty(address, form, fc.constantFrom('text/html', '*/*'), async (url, fields, accept) => {
        expect((await town.post(url, fields, accept)).status).toBeLessThan(500)
      }),
      { numRuns: 200 },
    )
  })
})

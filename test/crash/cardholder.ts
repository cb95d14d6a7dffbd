import { request } from 'undici'
import type { Chance } from './chance.ts'

/** Whether a payment's `approval_url` is our page that leads to the card's issuer. */
export const isChallenge = (approvalUrl: string): boolean => approvalUrl.endsWith('/challenge')

/**
 * Takes a cardholder's browser through our page, the issuer's and back, unless it is closed there. Throws if
 * one of them is down: the cardholder leaves, and recovery finds the answer.
 */
export async function answerChallenge(chance: Chance, approvalUrl: string): Promise<void> {
  const decision = chance.odds(0.85) ? 'confirm' : 'decline'
  const [returns, comesTwice] = [chance.odds(0.7), chance.odds(0.2)]
  const page = await (await request(approvalUrl)).body.text()
  const acs = attribute(page, /action="([^"]+)"/)
  const issuers = await post(
    acs,
    { creq: attribute(page, /name="creq" value="([^"]+)"/), threeDSSessionData: '' },
    'text/html',
  )
  const decided = await post(
    attribute(issuers, /action="([^"]+)"/),
    { decision, code: '123456', threeDSSessionData: '' },
    'application/json',
  )
  const { notificationURL, cres } = JSON.parse(decided)
  if (!returns) return
  const back = () => post(notificationURL, { cres, threeDSSessionData: '' }, 'text/html')
  await (comesTwice ? Promise.all([back(), back()]) : back())
}

function attribute(page: string, pattern: RegExp): string {
  const [, value] = pattern.exec(page) ?? []
  if (!value) throw new Error('an error page')
  return value
}

async function post(url: string, fields: Record<string, string>, accept: string): Promise<string> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept }
  const answer = await request(url, { method: 'POST', headers, body: new URLSearchParams(fields).toString() })
  return answer.body.text()
}

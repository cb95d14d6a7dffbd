import { Compile } from '../../../base/compile.ts'
import {
  type Answer,
  type BuyerDecision,
  type BuyerDecisionResult,
  type Incoming,
  json,
  problem,
} from '../../core/provider-messages.ts'
import { htmlAnswer, wantsPage } from '../../page/html-answer.ts'
import type { Sandbox } from '../../sandbox.ts'
import { type ChallengePage, challengePage, oneTimeCode } from './challenge.page.ts'
import { type Challenge, challengeOf, type Decision, outcomeMembers, storeChallenge } from './issuer.ts'
import { Creq } from './message.schema.ts'
import { decodedMessage, type Message, sendMessage } from './message.ts'
import { returnScript } from './return-script.ts'

/** A request of the cardholder's browser to the issuer's page. */
interface BrowserRequest {
  sandbox: Sandbox
  incoming: Incoming
}

const WRONG_CODES = 3
const RESULT_TRIES = 3

const creqMessage = Compile(Creq)

/**
 * Answers a CReq from the merchant's page: shows the issuer's page, or returns to the merchant if the
 * challenge is decided.
 */
export async function beginChallenge(request: BrowserRequest): Promise<Answer> {
  const { creq, threeDSSessionData: session } = fields(request)
  const message = decodedMessage(creq)
  const challenge = creqMessage.Check(message) ? challengeOf(request.sandbox, message.acsTransID) : undefined
  const isSameTransaction =
    challenge?.threeDSServerTransID === message?.['threeDSServerTransID'] &&
    challenge?.messageVersion === message?.['messageVersion']
  if (!challenge || !isSameTransaction) return show(request, { state: 'unknown' })
  return challenge.decision
    ? returnToMerchant(request, challenge, session)
    : show(request, openPage(request, challenge, session))
}

/**
 * Takes the cardholder's answer. The first decision counts; the 3DS server gets it before the browser goes
 * back.
 */
export async function decideChallenge(request: BrowserRequest, acsTransID: string): Promise<Answer> {
  const { sandbox } = request
  const { threeDSSessionData: session, code, decision } = fields(request)
  const challenge = challengeOf(sandbox, acsTransID)
  if (!challenge) return show(request, { state: 'unknown' })
  if (challenge.decision) return returnToMerchant(request, challenge, session)
  if (challenge.expected === 'timeout') return show(request, openPage(request, challenge, session))
  if (decision === 'decline')
    return returnToMerchant(
      request,
      storeDecision(sandbox, challenge, { transStatus: 'N', isCancelled: true }),
      session,
    )
  // a scenario decides whatever the cardholder enters (semantics §7.3)
  const confirmed = challenge.expected ?? 'Y'
  if (code.trim() === oneTimeCode)
    return returnToMerchant(
      request,
      storeDecision(sandbox, challenge, { transStatus: confirmed, isCancelled: false }),
      session,
    )
  const updated = storeChallenge(sandbox, { ...challenge, wrongCodes: challenge.wrongCodes + 1 })
  if (updated.wrongCodes < WRONG_CODES)
    return show(request, { ...openPage(request, updated, session), isWrongCode: true })
  return returnToMerchant(
    request,
    storeDecision(sandbox, updated, { transStatus: 'N', isCancelled: false }),
    session,
  )
}

/**
 * Answers for the cardholder, as the simulation endpoint asks, and reports to the 3DS server. A scenario's
 * result counts more; in a scenario without an answer this is refused.
 */
export async function answerChallenge(
  sandbox: Sandbox,
  acsTransID: string,
  decision: BuyerDecision,
): Promise<BuyerDecisionResult> {
  const challenge = challengeOf(sandbox, acsTransID)
  if (!challenge) return 'unknown'
  if (challenge.decision || challenge.expected === 'timeout') return 'refused'
  const answer: Decision =
    decision === 'reject'
      ? { transStatus: 'N', isCancelled: true }
      : { transStatus: challenge.expected ?? 'Y', isCancelled: false }
  await reportResult(sandbox, storeDecision(sandbox, challenge, answer))
  return 'decided'
}

const storeDecision = (sandbox: Sandbox, challenge: Challenge, decision: Decision): Challenge =>
  storeChallenge(sandbox, { ...challenge, decision })

const openPage = ({ sandbox }: BrowserRequest, challenge: Challenge, session: string) =>
  ({
    state: 'open',
    challenge,
    action: `${sandbox.pagesUrl()}/3ds/acs/challenge/${challenge.acsTransID}`,
    session,
    isWrongCode: false,
  }) satisfies ChallengePage

async function returnToMerchant(
  request: BrowserRequest,
  challenge: Challenge,
  session: string,
): Promise<Answer> {
  const { messageVersion, threeDSServerTransID, acsTransID, notificationURL, decision } = challenge
  await reportResult(request.sandbox, challenge)
  const message = {
    messageType: 'CRes',
    messageVersion,
    threeDSServerTransID,
    acsTransID,
    challengeCompletionInd: 'Y',
    transStatus: decision?.transStatus,
  }
  const cres = Buffer.from(JSON.stringify(message)).toString('base64url')
  if (wantsPage(request.incoming)) return show(request, { state: 'decided', challenge, cres, session })
  return json(200, { notificationURL, cres, threeDSSessionData: session })
}

/**
 * Sends the result to the 3DS server through the directory server (RReq) until it acknowledges (RRes). It is
 * tried again when the browser posts again.
 */
async function reportResult(sandbox: Sandbox, challenge: Challenge): Promise<void> {
  const { acsTransID, decision, isReported } = challenge
  if (!decision || isReported) return
  for (let attempt = 1; attempt <= RESULT_TRIES; attempt += 1) {
    const answer = await sendMessage(
      sandbox,
      `${sandbox.ownUrl()}/3ds/ds/rreq`,
      rreq(sandbox, challenge, decision),
    )
    if (answer?.['messageType'] !== 'RRes' || answer['acsTransID'] !== acsTransID) continue
    storeChallenge(sandbox, { ...challenge, isReported: true })
    return
  }
}

function rreq(sandbox: Sandbox, challenge: Challenge, { transStatus, isCancelled }: Decision): Message {
  const { messageVersion, threeDSServerTransID, acsTransID, dsTransID, messageCategory, wrongCodes } =
    challenge
  return {
    messageType: 'RReq',
    messageVersion,
    threeDSServerTransID,
    acsTransID,
    dsTransID,
    messageCategory,
    transStatus,
    authenticationType: '02',
    authenticationMethod: '02',
    interactionCounter: String(Math.min(WRONG_CODES, wrongCodes + 1)).padStart(2, '0'),
    ...(isCancelled && { challengeCancel: '01' }),
    ...outcomeMembers(sandbox, challenge, transStatus),
  }
}

/** The page; JSON for other clients. */
function show(request: BrowserRequest, page: ChallengePage): Answer {
  if (wantsPage(request.incoming))
    return htmlAnswer(
      page.state === 'unknown' ? 404 : 200,
      challengePage(page),
      page.state === 'decided' ? returnScript : undefined,
      // issuers' pages are made for frames of merchants' pages (EMV 3DS, challenge window)
      '*',
    )
  if (page.state === 'unknown') return problem(404, 'unknown_transaction', 'there is no such challenge')
  return json(200, { acsTransID: page.challenge.acsTransID, wrong_codes: page.challenge.wrongCodes })
}

function fields({ incoming: { body } }: BrowserRequest) {
  const form: Message = typeof body === 'object' && body !== null ? { ...body } : {}
  const text = (name: string) => (typeof form[name] === 'string' ? form[name] : '')
  return {
    creq: text('creq'),
    threeDSSessionData: text('threeDSSessionData').slice(0, 1024),
    code: text('code'),
    decision: text('decision'),
  }
}

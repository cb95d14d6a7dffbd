import { type Signer, signToken } from '../accounts/api-keys/private-key.ts'
import { embedConstraintNames, isEmbedConstraintName } from '../api/auth/embed-constraint-names.ts'
import { scopeProblem } from '../api/auth/scopes.ts'
import { isJsonObject } from '../api/values/json-object.ts'
import type { Settings } from '../settings.ts'
import { durationSeconds } from './support/duration.ts'
import { UserError } from './support/user-error.ts'
import { readTokenSigner } from './token-signer.ts'

export interface TokenOptions {
  scopes: string
  expiresIn: string
  /** PEM file; default: the instance's first key. */
  key?: string
  merchantAccount?: string
  /** JSON: the embed constraints of a browser's token. */
  embed?: string
  checkoutSession?: string
  /** Of an RSA key, which fits two algorithms. */
  algorithm?: string
}

/**
 * `railyard token`: signs a bearer token and prints it alone, so that `TOKEN=$(npm run -s railyard -- token
 * …)` works.
 */
export async function token(
  settings: Settings,
  {
    scopes: scopeList,
    expiresIn,
    key,
    merchantAccount,
    embed: constraints,
    checkoutSession,
    algorithm,
  }: TokenOptions,
): Promise<void> {
  const scopes = scopeList.split(/[\s,]+/).filter((scope) => scope !== '')
  if (scopes.length === 0)
    throw new UserError('--scopes takes scopes, separated by commas: transactions.read,*.write')
  for (const scope of scopes) {
    const problem = scopeProblem(scope)
    if (problem) throw new UserError(`--scopes: ${scope} ${problem}`)
  }
  const seconds = durationSeconds(expiresIn)
  if (!seconds) throw new UserError('--expires-in takes seconds, or a number with s, m, h or d: 30s, 15m, 1h')
  const signer = await readTokenSigner(settings, key, algorithm)
  const isForBrowser = scopes.includes('embed')
  if (constraints !== undefined && !isForBrowser)
    throw new UserError(
      '--embed pins nothing without the scope embed, whose tokens are for browsers: --scopes embed',
    )
  if (merchantAccount !== undefined) await refuseUnknownAccount(settings, signer, merchantAccount)
  const embed = {
    ...readConstraints(constraints),
    ...(merchantAccount && { merchant_account_id: merchantAccount }),
  }
  const isConstrained = Object.keys(embed).length > 0
  if (isForBrowser && isConstrained && !('amount' in embed && 'currency' in embed))
    throw new UserError(
      'a token with the scope embed pins the amount and the currency, or nothing: --embed \'{"amount": 1299, "currency": "USD"}\'',
    )
  const misspelt = Object.keys(embed).find((name) => !isEmbedConstraintName(name))
  if (misspelt)
    throw new UserError(`--embed pins no ${misspelt}: it knows ${embedConstraintNames.join(', ')}`)
  if (isForBrowser && !isConstrained)
    console.error('This token pins no amount: a buyer who has it can pay any. Pin one with --embed.')
  const claims = {
    scopes,
    expiresIn: seconds,
    ...(isConstrained && { embed }),
    ...(checkoutSession && { checkoutSession }),
  }
  console.log(await signToken(signer, claims, Date.now()))
}

const TIMEOUT_MS = 2_000

/**
 * Asks the service whether this key may act on the merchant account; throws `UserError` if not. If the
 * service does not answer, prints that the account was not checked, and the token is signed all the same.
 */
async function refuseUnknownAccount(settings: Settings, signer: Signer, account: string): Promise<void> {
  const url = settings.publicUrl ?? `http://${settings.host}:${settings.port}`
  const token = await signToken(
    signer,
    { scopes: ['card-scheme-definitions.read'], expiresIn: 60 },
    Date.now(),
  )
  const headers = { authorization: `Bearer ${token}`, 'x-svc-merchant-account-id': account }
  const answer = await fetch(`${url}/card-scheme-definitions`, {
    headers,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined)
  await answer?.body?.cancel()
  if (answer?.status === 403)
    throw new UserError(
      `--merchant-account: there is no merchant account ${account}, or this key may not act on it; GET /merchant-accounts lists them`,
    )
  if (answer?.status !== 200)
    console.error(
      `Not checked whether there is a merchant account ${account}: ${url} ${answer ? `answers ${answer.status}` : 'does not answer'}`,
    )
}

/** Reads the embed constraints (semantics §1.4): `{"amount": 1299, "currency": "USD", "buyer_id": "…"}`. */
function readConstraints(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {}
  try {
    const parsed: unknown = JSON.parse(text)
    if (isJsonObject(parsed)) return { ...parsed }
  } catch {
    // not JSON: answered as below
  }
  throw new UserError('--embed takes a JSON object: {"amount": 1299, "currency": "USD", "buyer_id": "…"}')
}

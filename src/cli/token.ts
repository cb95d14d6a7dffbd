import { readFile } from 'node:fs/promises'
import { readSigner, type Signer, signToken } from '../accounts/api-keys/private-key.ts'
import { embedConstraintNames, isEmbedConstraintName } from '../api/auth/embed-constraint-names.ts'
import { scopeProblem } from '../api/auth/scopes.ts'
import { privateKeyFile } from '../process/create-instance.ts'
import type { Settings } from '../settings.ts'
import { UserError } from './user-error.ts'

export interface TokenOptions {
  scopes: string
  expiresIn: string
  /** PEM file; default: the instance's first key. */
  key?: string
  merchantAccount?: string
  /** JSON: what a browser's token pins. */
  embed?: string
  checkoutSession?: string
  /** Of an RSA key, which fits two. */
  algorithm?: string
}

const units: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** `90`, `30s`, `15m`, `1h`, `7d` → seconds. Undefined where the text is none of these. */
export function durationSeconds(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? []
  const seconds = Number(digits) * (units[unit || 's'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
}

/** `railyard token`: signs a bearer token and prints it alone, so that `TOKEN=$(npm run -s railyard -- token …)` works. */
export async function token(
  settings: Settings,
  { scopes, expiresIn, key, merchantAccount, embed: pins, checkoutSession, algorithm }: TokenOptions,
): Promise<void> {
  const wanted = scopes.split(/[\s,]+/).filter((scope) => scope !== '')
  if (wanted.length === 0) throw new UserError('--scopes takes scopes, separated by commas: transactions.read,*.write')
  for (const scope of wanted) {
    const problem = scopeProblem(scope)
    if (problem) throw new UserError(`--scopes: ${scope} ${problem}`)
  }
  const seconds = durationSeconds(expiresIn)
  if (!seconds) throw new UserError('--expires-in takes seconds, or a number with s, m, h or d: 30s, 15m, 1h')
  const signer = await signerOf(settings, key, algorithm)
  if (pins !== undefined && !wanted.includes('embed'))
    throw new UserError('--embed pins nothing without the scope embed, whose tokens are for browsers: --scopes embed')
  if (merchantAccount !== undefined) await refuseUnknownAccount(settings, signer, merchantAccount)
  const embed = { ...readConstraints(pins), ...(merchantAccount && { merchant_account_id: merchantAccount }) }
  const isPinned = Object.keys(embed).length > 0
  if (wanted.includes('embed') && isPinned && !('amount' in embed && 'currency' in embed))
    throw new UserError('a token with the scope embed pins the amount and the currency, or nothing: --embed \'{"amount": 1299, "currency": "USD"}\'')
  const misspelt = Object.keys(embed).find((name) => !isEmbedConstraintName(name))
  if (misspelt) throw new UserError(`--embed pins no ${misspelt}: it knows ${embedConstraintNames.join(', ')}`)
  if (wanted.includes('embed') && !isPinned) console.error('This token pins no amount: a buyer who has it can pay any. Pin one with --embed.')
  const claims = { scopes: wanted, expiresIn: seconds, ...(isPinned && { embed }), ...(checkoutSession && { checkoutSession }) }
  console.log(await signToken(signer, claims, Date.now()))
}

const TIMEOUT_MS = 2_000

/** The service knows which merchant accounts there are. Where it cannot be asked, the token is signed all the same, and standard error says that nobody has checked. */
async function refuseUnknownAccount(settings: Settings, signer: Signer, account: string): Promise<void> {
  const url = settings.publicUrl ?? `http://${settings.host}:${settings.port}`
  const asking = await signToken(signer, { scopes: ['card-scheme-definitions.read'], expiresIn: 60 }, Date.now())
  const headers = { authorization: `Bearer ${asking}`, 'x-svc-merchant-account-id': account }
  const answer = await fetch(`${url}/card-scheme-definitions`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined)
  await answer?.body?.cancel()
  if (answer?.status === 403)
    throw new UserError(
      `--merchant-account: there is no merchant account ${account}, or this key may not act on it; GET /merchant-accounts lists them`,
    )
  if (answer?.status !== 200)
    console.error(`Not checked whether there is a merchant account ${account}: ${url} ${answer ? `answers ${answer.status}` : 'does not answer'}`)
}

/** The key that a command signs with: of a file, or the instance's first. `algorithm` is for RSA keys, which fit two. */
export async function signerOf(settings: Settings, key: string | undefined, algorithm = 'RS512'): Promise<Signer> {
  if (algorithm !== 'RS512' && algorithm !== 'RS256')
    throw new UserError('--algorithm is for RSA keys: RS512 or RS256. The other kinds of keys have one each')
  const file = key ?? privateKeyFile(settings)
  const pem = await readFile(file, 'utf8').catch(() => {
    throw new UserError(
      key
        ? `--key: ${file} cannot be read`
        : `${file} cannot be read: a first start makes it, and railyard keys create any other; name one with --key`,
    )
  })
  return readSigner(pem, algorithm).catch(() => {
    throw new UserError(`${file} does not hold a private key (PKCS #8 PEM)`)
  })
}

/** `{"amount": 1299, "currency": "USD", "buyer_id": "…"}`, as SEMANTICS §1.4 names them. */
function readConstraints(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {}
  try {
    const pins: unknown = JSON.parse(text)
    if (typeof pins === 'object' && pins !== null && !Array.isArray(pins)) return { ...pins }
  } catch {}
  throw new UserError('--embed takes a JSON object: {"amount": 1299, "currency": "USD", "buyer_id": "…"}')
}

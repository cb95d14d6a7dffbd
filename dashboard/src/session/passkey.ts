import { type FreshProof, type Passkey, type Railyard, RailyardError, type Session } from '@railyard/client'

export const knowsPasskeys = (): boolean => 'PublicKeyCredential' in globalThis

/** Passkeys are for few visits: their code is loaded when it is needed. */
const browser = () => import('@simplewebauthn/browser')
type Browser = Awaited<ReturnType<typeof browser>>

/** Has the browser make a passkey. `proof`: the password, and a code of a person with an authenticator app. */
export async function addPasskey(api: Railyard, name: string, proof: FreshProof): Promise<Passkey> {
  const { options } = await api.users.me.passkeys.options.create(proof)
  const { startRegistration } = await browser()
  const credential = await startRegistration({
    optionsJSON: options as unknown as Parameters<Browser['startRegistration']>[0]['optionsJSON'],
  })
  return api.users.me.passkeys.create({ name, credential: { ...credential } })
}

export async function signInWithPasskey(api: Railyard): Promise<Session> {
  const { options } = await api.sessions.passkey.options.create()
  const { startAuthentication } = await browser()
  const credential = await startAuthentication({
    optionsJSON: options as unknown as Parameters<Browser['startAuthentication']>[0]['optionsJSON'],
  })
  return api.sessions.passkey.create({ credential: { ...credential } })
}

/** Has a passkey of the person sign the hash of a proposal: the proof for one decision on it. */
export async function signProposal(api: Railyard, id: string): Promise<Record<string, unknown>> {
  const { options } = await api.proposals.passkeyOptions.create(id)
  const { startAuthentication } = await browser()
  const credential = await startAuthentication({
    optionsJSON: options as unknown as Parameters<Browser['startAuthentication']>[0]['optionsJSON'],
  })
  return { ...credential }
}

/** Whether the browser or the person refused, not the server. */
export const isRefusedByBrowser = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof RailyardError)

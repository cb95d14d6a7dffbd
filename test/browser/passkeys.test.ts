import { afterAll, expect, test } from 'vitest'
import { PASSWORD, person } from '../support/people.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'
import { launchBrowser } from './chromium.ts'

const railyard = await startRailyardForFile()
// browsers make passkeys for host names only
const origin = railyard.url.replace('127.0.0.1', 'localhost')
railyard.world.publicUrl = origin
const browser = await launchBrowser()
afterAll(() => browser.close())

const html = `<!doctype html><title>Sign in</title><script>
let csrf
async function send(method, path, body) {
  const headers = { 'content-type': 'application/json', ...(csrf && { 'x-csrf-token': csrf }) }
  const answer = await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  const json = text ? JSON.parse(text) : {}
  if (json.csrf_token) csrf = json.csrf_token
  return { status: answer.status, body: json }
}
async function addPasskey(password) {
  const { body } = await send('POST', '/users/me/passkeys/options', { password })
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(body.options)
  const credential = await navigator.credentials.create({ publicKey })
  return send('POST', '/users/me/passkeys', { name: 'Laptop', credential: credential.toJSON() })
}
async function signIn() {
  csrf = undefined
  const { body } = await send('POST', '/sessions/passkey/options')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(body.options)
  const credential = await navigator.credentials.get({ publicKey })
  return send('POST', '/sessions/passkey', { credential: credential.toJSON() })
}
</script>`

test('a person adds a passkey in Chromium, signs out, and signs in again without password and code', async () => {
  const ford = await person(railyard)
  const page = await (await browser.newContext()).newPage()
  await page.route(`${origin}/dashboard`, (route) => route.fulfill({ contentType: 'text/html', body: html }))
  await page.goto(`${origin}/dashboard`)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const inPage = (call: string) => page.evaluate<{ status: number; body: object }>(call)
  const credentials = JSON.stringify({ email_address: ford.email, password: PASSWORD })
  expect(await inPage(`send('POST', '/sessions', ${credentials})`)).toMatchObject({ status: 201 })
  expect(await inPage(`addPasskey(${JSON.stringify(PASSWORD)})`)).toMatchObject({
    status: 201,
    body: { type: 'passkey', name: 'Laptop' },
  })
  expect(await inPage(`send('DELETE', '/sessions/current')`)).toMatchObject({ status: 204 })
  expect(await inPage('signIn()')).toMatchObject({ status: 201, body: { user: { id: ford.id } } })
  // the counter of the authenticator has grown
  expect(await inPage('signIn()')).toMatchObject({ status: 201 })
  expect(await inPage(`send('GET', '/users/me/passkeys')`)).toMatchObject({
    status: 200,
    body: { items: [{ name: 'Laptop', last_used_at: expect.any(String) }] },
  })
})
